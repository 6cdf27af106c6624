import { expect, onTestFinished, test } from "vitest";
import { runOn } from "../support/postgres.ts";
import { seededRandom } from "../support/random.ts";
import { askOnce, startReplica } from "../support/replicas.ts";
import { count, seed } from "../support/soak.ts";
import { replicated } from "./replicated.ts";

const kills = count("kills", 2, 100);

/** A database with one card whose next interval is long, so that its day is chosen out of many. */
async function cardOnce() {
  const { host, url: database, key } = await replicated();
  const replica = async () => {
    const { url, process, ended } = await startReplica(host, database);
    onTestFinished(async () => {
      process.kill();
      await ended;
    });
    return { process, ended, ask: (...what: [string, string, object?]) => askOnce(url, key, ...what) };
  };
  const first = await replica();
  const deck = await first.ask("POST", "/decks", { name: "d" });
  const card = await first.ask("POST", "/cards", { content: "Q\n---\nA", "deck-id": deck.body["id"] });
  const path = `/cards/${card.body["id"]}`;
  const record = (at: string) => ["POST", `${path}/reviews`, { date: at, "remembered?": true }] as const;
  for (const at of ["2024-01-01", "2024-02-01", "2024-08-01"])
    expect((await first.ask(...record(`${at}T12:00:00.000Z`))).status).toBe(200);
  const reviews = (at: string) =>
    runOn(database, `select date::text, due::text from review where date = ${Date.parse(at)}`);
  return { first, replica, path, record, reviews };
}

test("a review that two servers record at once is one review with one day, until it is taken back", async () => {
  const { first, replica, path, record, reviews } = await cardOnce();
  const second = await replica();
  const at = "2025-03-01T12:00:00.000Z";
  // One at a time of an account: the other one is told to come again.
  const both = () => Promise.all([first, second].map(({ ask }) => ask(...record(at))));
  expect((await both()).map(({ status }) => status)).toContain(200);
  const [only, ...others] = await reviews(at);
  expect(others).toEqual([]);
  await both();
  expect(await reviews(at)).toEqual([only]);
  await second.ask("DELETE", `${path}/reviews/${encodeURIComponent(at)}`);
  expect(await reviews(at)).toEqual([]);
  await first.ask(...record(at));
  expect(await reviews(at)).toHaveLength(1);
});

test(`a review whose server is killed ${kills} times is one review, and keeps the day it got first`, async () => {
  const { first, replica, record, reviews } = await cardOnce();
  const random = seededRandom(seed);
  for (let nth = 0; nth < kills; nth++) {
    const at = new Date(Date.UTC(2025, 0, 1 + 3 * nth, 12)).toISOString();
    const killed = await replica();
    const answer = killed.ask(...record(at));
    const timer = setTimeout(() => killed.process.kill("SIGKILL"), random() * 20);
    await answer;
    clearTimeout(timer);
    killed.process.kill("SIGKILL");
    await killed.ended;
    const before = await reviews(at);
    // The turn of a server that was killed ends with its lease.
    let again = await first.ask(...record(at));
    for (let tries = 0; again.status !== 200 && tries < 600; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      again = await first.ask(...record(at));
    }
    const [only, ...others] = await reviews(at);
    expect(others, `seed ${seed}`).toEqual([]);
    expect([[], [only]], `seed ${seed}`).toContainEqual(before);
  }
}, 600_000);
