import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { default_w } from "ts-fsrs";
import { describe, expect, test } from "vitest";
import { loadOptimizer } from "../../../src/commands/schedule/parameters.ts";
import { simulateLearner } from "../../support/learner.ts";
import { seededRandom } from "../../support/random.ts";
import { type Deckhand, deckhand } from "../../support/world.ts";

const hasOptimizer = await loadOptimizer().then(
  () => true,
  () => false,
);
const now = Date.parse("2026-11-22T12:00:00Z");
const clock = { now: () => now };

/** Cards of a learner who remembers for much longer than the defaults say. */
async function learnt(d: Deckhand, cards: number): Promise<void> {
  const truth = default_w.map((w, index) => (index < 4 ? w * 6 : w));
  const histories = simulateLearner(truth, { cards, days: 300, random: seededRandom(3) });
  await d.ok(["decks", "create", "Learnt"]);
  const lines = histories.map((history, index) => ({
    card: {
      id: `learnt${index}`,
      content: `card ${index}`,
      reviews: history.map(({ day, remembered }) => ({
        date: new Date(now - (300 - day) * 86_400_000).toISOString(),
        "remembered?": remembered,
      })),
    },
  }));
  const input = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  writeFileSync(join(d.home, "learnt.ndjson"), input);
  await d.ok(["import", join(d.home, "learnt.ndjson"), "--deck", "Learnt", "--yes", "--quiet"], clock);
}

const shown = async (d: Deckhand) => JSON.parse(await d.ok(["schedule", "show"], clock));

describe("deckhand schedule", () => {
  test("shows the defaults until something was trained", async () => {
    const d = await deckhand();
    expect(await shown(d)).toMatchObject({
      retention: 0.9,
      "trained-at": null,
      reviews: null,
      w: [...default_w],
    });
  });

  test("refuses to train on fewer than 400 usable reviews, and names both numbers", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "A"]);
    const ran = await d.run(["schedule", "train"], clock);
    expect(ran).toMatchObject({ code: 5, stdout: "" });
    expect(ran.stderr).toContain("0 usable reviews are too few to train on; 400 are needed");
  });

  test.skipIf(!hasOptimizer)(
    "trains, keeps what is better, moves due dates when asked, and goes back",
    async () => {
      const d = await deckhand();
      await learnt(d, 180);
      const due = async () => (await d.ok(["due", "list", "--count", "--date", "2026-11-22"], clock)).trim();
      const before = await due();
      const dry = JSON.parse(await d.ok(["schedule", "train", "--dry-run"], clock));
      expect(dry.better).toBe(true);
      expect(dry["log-loss"].after).toBeLessThan(dry["log-loss"].before);
      expect((await shown(d))["trained-at"]).toBeNull();

      await d.ok(["schedule", "train"], clock);
      expect(await shown(d)).toMatchObject({
        "trained-at": new Date(now).toISOString(),
        reviews: dry.reviews,
        w: dry.w,
      });
      expect(await due()).toBe(before);

      await d.ok(["schedule", "reset"], clock);
      expect((await shown(d))["trained-at"]).toBeNull();
      const refused = await d.run(["schedule", "train", "--reschedule"], clock);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toMatch(/\d+ cards? become due earlier, \d+ later/);
      expect((await shown(d))["trained-at"]).toBeNull();
      await d.ok(["schedule", "train", "--reschedule", "--yes"], clock);
      expect(await due()).not.toBe(before);
    },
    60_000,
  );
});

describe("schedule forecast", () => {
  test("says what each retention costs, by the averages of FSRS without enough reviews", async () => {
    const d = await deckhand();
    for (const front of ["one", "two", "three"])
      await d.ok(["add", front, "x", "--deck", "A", "--create-deck"]);
    const { stdout, stderr } = await d.run(["schedule", "forecast", "A", "-o", "json"]);
    const steps = JSON.parse(stdout) as Record<string, number>[];
    expect(steps.map((step) => step["retention"])).toEqual([0.8, 0.85, 0.9, 0.95]);
    expect(steps[3]?.["reviews-per-day"]).toBeGreaterThan(steps[0]?.["reviews-per-day"] ?? 0);
    expect(stderr).toContain("Fewer than 400 reviews (0)");
    expect(await d.ok(["--no-color", "schedule", "forecast"], { terminal: true })).toMatch(
      /RETENTION +REVIEWS-PER-DAY/,
    );
    expect(await d.ok(["stats", "--report", "-"])).toContain("The next year by retention");
  });

  test("goes by what was recalled and how long it took, the same each time", async () => {
    const d = await deckhand();
    await learnt(d, 180);
    const asked = await d.run(["schedule", "forecast", "-o", "json"], clock);
    expect(asked.stderr).toMatch(/By \d+ reviews of your own/);
    expect(await d.ok(["schedule", "forecast", "-o", "json"], clock)).toBe(asked.stdout);
  });
});

test("the package of the optimizer is optional", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8"));
  expect(manifest.peerDependenciesMeta["@open-spaced-repetition/binding"]).toEqual({ optional: true });
});
