import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { cli, program } from "../support/cli.ts";
import { withCollection } from "../support/collection.ts";
import { seededRandom } from "../support/random.ts";
import { runProcess } from "../support/run-process.ts";
import { count, seed } from "../support/soak.ts";

const kills = count("kills", 10, 100);

/** A local collection with one card whose next interval is long, so that its day is chosen out of many. */
async function cardOnce() {
  const own = cli({ DECKHAND_PROFILE: "local" });
  onTestFinished(() => own.remove());
  const id = (await own.ok(["add", "Q", "A", "--deck", "One", "--create-deck"])).trim();
  for (const at of ["2024-01-01", "2024-02-01", "2024-08-01"])
    await own.ok(["due", "answer", id, "remembered", "--at", `${at}T12:00:00Z`]);
  const env = { DECKHAND_HOME: own.home, HOME: own.home, DECKHAND_PROFILE: "local" };
  const args = (at: string) => [program, "due", "answer", id, "remembered", "--at", at];
  const reviews = (at: string) =>
    withCollection(join(own.home, "data"), async (client) => {
      const card = await client.cards.get(id);
      return (card.reviews ?? []).filter((each) => Date.parse(each?.date ?? "") === Date.parse(at));
    });
  return { env, args, reviews };
}

test("a review that three processes record at once is one review with one day", async () => {
  const { env, args, reviews } = await cardOnce();
  const at = "2025-03-01T12:00:00Z";
  const ran = await Promise.all([1, 2, 3].map(() => runProcess(args(at), env)));
  expect(ran.map(({ code }) => code)).toContain(0);
  const [first, ...others] = await reviews(at);
  expect(others).toEqual([]);
  expect(first?.due).toEqual(expect.any(String));
  await runProcess(args(at), env);
  expect(await reviews(at)).toEqual([first]);
});

test("a review whose recording is killed and repeated is one review, and keeps the day it got first", async () => {
  const { env, args, reviews } = await cardOnce();
  const random = seededRandom(seed);
  for (let nth = 0; nth < kills; nth++) {
    const at = new Date(Date.UTC(2025, 0, 1 + 3 * nth, 12)).toISOString();
    const child = spawn(process.execPath, args(at), { env: { PATH: process.env["PATH"], ...env } });
    const ended = new Promise((resolve) => child.on("close", resolve));
    const timer = setTimeout(() => child.kill("SIGKILL"), 90 + random() * 80);
    await ended;
    clearTimeout(timer);
    const before = await reviews(at);
    await runProcess(args(at), env);
    const [only, ...others] = await reviews(at);
    expect(others, `seed ${seed}`).toEqual([]);
    expect(only?.due).toEqual(expect.any(String));
    expect([[], [only]], `seed ${seed}`).toContainEqual(before);
  }
});
