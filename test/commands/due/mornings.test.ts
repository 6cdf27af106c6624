import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../support/random.ts";
import { onPostgres } from "../../support/service.ts";
import { waitFor } from "../../support/wait-for.ts";
import { deckhand } from "../../support/world.ts";

const lines = (text: string) => text.split("\n").filter((line) => line !== "");
const day = 86_400_000;

/** Three decks, 20 new cards a day, two days off: what a learner reads each morning and each evening. */
describe.skipIf(onPostgres)("forty mornings", () => {
  test("every command says the same number, no deck waits, and after the work each says done", async () => {
    const d = await deckhand();
    const clock = { now: new Date(2031, 2, 1, 8).getTime() };
    const now = () => clock.now;
    const ok = (args: readonly string[], input?: string) =>
      d.ok(args, { now, ...(input === undefined ? {} : { input }) });
    const random = seededRandom(17);
    for (const [deck, count] of [
      ["Large", 400],
      ["Middle", 40],
      ["Small", 5],
    ] as const) {
      const file = join(d.home, `${deck}.csv`);
      writeFileSync(file, Array.from({ length: count }, (_, at) => `${deck} ${at},answer ${at}\n`).join(""));
      await ok(["import", file, "--deck", deck, "--create-deck", "--no-header"]);
    }
    const lastOf: Record<string, number> = {};
    let worked = 0;
    for (let morning = 0; morning < 40; morning++, clock.now += day) {
      // Two days off, the second after the first new cards came back.
      if (morning === 9 || morning === 10) continue;
      worked++;
      const count = await agreed(ok, now, d);
      const asked = lines(await ok(["cards", "search", "is:due", "-o", "json"]).then(toLines));
      expect(asked).toHaveLength(count);
      for (const line of asked) {
        const { name } = JSON.parse(line) as { name: string };
        const deck = name.split(" ")[0] ?? "";
        if (lastOf[deck] === undefined) lastOf[deck] = worked;
      }
      await work(ok, random);
      clock.now += 3_600_000;
      if (count > 0) expect(await ok(["due"])).toMatch(/^Done for today\. \d+ tomorrow\.\n$/);
      expect(await ok(["due", "--count"])).toBe("0\n");
      expect(await ok(["cards", "search", "is:due", "--count"])).toBe("0\n");
      expect((await d.run(["due", "--check"], { now })).code).toBe(1);
      clock.now -= 3_600_000;
    }
    // Each deck begins its new cards within two days.
    for (const deck of ["Large", "Middle", "Small"]) expect(lastOf[deck]).toBeLessThanOrEqual(2);
  }, 600_000);
});

type Ok = (args: readonly string[], input?: string) => Promise<string>;

const toLines = (json: string) =>
  (JSON.parse(json) as unknown[]).map((each) => JSON.stringify(each)).join("\n");

/** What each command says is asked now. @returns it */
async function agreed(ok: Ok, now: () => number, d: Awaited<ReturnType<typeof deckhand>>): Promise<number> {
  const count = Number(await ok(["due", "--count"]));
  const { today, decks } = JSON.parse(await ok(["due", "-o", "json"]));
  expect(today.count).toBe(count);
  expect(today.reviews + today.new + today.forgotten).toBe(count);
  expect(
    decks.reduce((sum: number, deck: { reviews: number; new: number }) => sum + deck.reviews + deck.new, 0),
  ).toBe(count);
  expect(today.new).toBeLessThanOrEqual(20);
  const listed = lines(await ok(["decks", "list", "--columns", "due,new"])).map((line) =>
    line.split("\t").map(Number),
  );
  expect(listed.flat().reduce((sum, each) => sum + each, 0)).toBe(count);
  expect(await ok(["cards", "search", "is:due", "--count"])).toBe(`${count}\n`);
  const summary = await ok(["due"]);
  const [first = ""] = lines(summary);
  const said = [...first.matchAll(/(\d+) (?:to review|new|forgotten)/g)];
  expect(said.reduce((sum, [, each]) => sum + Number(each), 0)).toBe(count);
  if (count === 0) return 0;
  async function* typed(shown: () => string) {
    await waitFor(() => /Card 1 of \d+\b[\s\S]*reveal/.test(shown()), "the first card");
    yield "q\n";
  }
  const review = await d.run(["review", "--plain"], { now, terminal: true, input: typed });
  // The first card may be there before the second page of what is due.
  expect(review.stdout).toMatch(new RegExp(`Card 1 of (?:${count}\\b${count > 100 ? "|100\\+" : ""})`));
  return count;
}

/** Answers all that is asked, what was forgotten once more. */
async function work(ok: Ok, random: () => number): Promise<void> {
  for (let round = 0; round < 20; round++) {
    const ids = lines(await ok(["cards", "search", "is:due", "-o", "id"]));
    if (ids.length === 0) return;
    const forgotten = round > 0 ? [] : ids.filter(() => random() < 0.15);
    const remembered = ids.filter((id) => !forgotten.includes(id));
    if (forgotten.length > 0) await ok(["due", "answer", "-", "forgotten"], `${forgotten.join("\n")}\n`);
    if (remembered.length > 0) await ok(["due", "answer", "-", "remembered"], `${remembered.join("\n")}\n`);
  }
}
