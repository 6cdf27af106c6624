import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Figures } from "../../../src/stats/figures.ts";
import { type Deckhand, deckhand } from "../../support/world.ts";

const now = Date.parse("2026-11-22T12:00:00Z");
const clock = { now: () => now };
const daysAgo = (days: number) => new Date(now - days * 86_400_000).toISOString();

const json = async (d: Deckhand, ...args: string[]): Promise<Figures> =>
  JSON.parse(await d.ok(["stats", ...args], clock));

async function review(d: Deckhand, id: string, days: number, remembered = true): Promise<void> {
  const body = { date: daysAgo(days), "remembered?": remembered, duration: 5 };
  await d.ok(["api", "POST", `/cards/${id}/reviews`, "--input", "-"], { input: JSON.stringify(body) });
}

/** Languages > Spanish with two cards, and Old, which is archived, with one. */
async function collection(d: Deckhand): Promise<{ hola: string; sol: string; old: string }> {
  await d.ok(["decks", "create", "Languages"]);
  await d.ok(["decks", "create", "Spanish", "--parent", "Languages"]);
  await d.ok(["decks", "create", "Old"]);
  const add = async (front: string, deck: string) => (await d.ok(["add", front, "x", "--deck", deck])).trim();
  const ids = {
    hola: await add("hola", "Spanish"),
    sol: await add("sol", "Spanish"),
    old: await add("old", "Old"),
  };
  for (const days of [3, 2, 0]) await review(d, ids.hola, days);
  await review(d, ids.old, 1, false);
  await d.ok(["decks", "archive", "Old"]);
  return ids;
}

describe("deckhand stats", () => {
  test("prints one object off a terminal, with the keys of the contract", async () => {
    const d = await deckhand();
    await collection(d);
    const figures = await json(d);
    expect(Object.keys(figures)).toEqual([
      "today",
      "streak",
      "days",
      "due",
      "retention",
      "intervals",
      "stability",
      "difficulty",
      "retrievability",
      "hardest",
      "totals",
    ]);
    expect(figures.today).toEqual({ reviews: 1, remembered: 1, new: 0, seconds: 5 });
    expect(figures.streak).toEqual({ current: 4, longest: 4 });
    expect(figures.totals).toMatchObject({ cards: 3, new: 1, archived: 1, reviews: 4, seconds: 20 });
  });

  test("includes the decks under a deck, and limits the period", async () => {
    const d = await deckhand();
    await collection(d);
    expect((await json(d, "Languages")).totals).toMatchObject({ cards: 2, reviews: 3 });
    expect((await json(d, "Languages", "--no-recursive")).totals).toMatchObject({ cards: 0, reviews: 0 });
    const period = await json(d, "--since", "-2d", "--until", "yesterday");
    expect(period.days.map(({ reviews }) => reviews)).toEqual([1, 1]);
    expect((await d.run(["stats", "--since", "soon"])).code).toBe(2);
    expect(await d.run(["stats", "--since", "2026-11-30", "--until", "2026-11-01"])).toMatchObject({
      ...{ code: 2, stderr: "deckhand: --since is after --until\n" },
    });
    expect((await d.run(["stats", "Nope"])).code).toBe(4);
  });

  test("prints the days in csv, tsv and ndjson, and the hardest cards as ids", async () => {
    const d = await deckhand();
    const { sol } = await collection(d);
    await review(d, sol, 1);
    await review(d, sol, 0, false);
    expect(await d.ok(["stats", "-o", "csv", "--since", "-1d"], clock)).toBe(
      "date,reviews,new,seconds\r\n2026-11-21,2,2,10\r\n2026-11-22,2,0,10\r\n",
    );
    expect(await d.ok(["stats", "-o", "tsv", "--since", "today"], clock)).toBe("2026-11-22\t2\t0\t10\n");
    expect(await d.ok(["stats", "-o", "id"], clock)).toBe(`${sol}\n`);
  });

  test("fits a terminal of 80 by 24, of 40 columns, and one without Unicode", async () => {
    const d = await deckhand();
    await collection(d);
    const lines = async (columns: number, env: Record<string, string> = {}) =>
      (await d.ok(["stats", "--no-color"], { ...clock, terminal: true, columns, env })).trimEnd().split("\n");
    expect((await lines(80)).length).toBeLessThanOrEqual(23);
    for (const columns of [40, 80, 200])
      expect(Math.max(...(await lines(columns)).map((line) => line.length))).toBeLessThanOrEqual(columns);
    const ascii = (await lines(80, { LC_ALL: "C" })).join("\n");
    expect(ascii).toMatch(/^[\x20-\x7e\n]*$/);
  });

  test("says it in numbers with --plain and for screen readers", async () => {
    const d = await deckhand();
    await collection(d);
    const plain = await d.ok(["stats", "--plain"], { ...clock, terminal: true });
    expect(plain).toContain("Cards: 3; 1 new");
    const reader = await d.ok(["stats"], { ...clock, terminal: true, env: { INK_SCREEN_READER: "1" } });
    expect(reader).toBe(plain);
    expect(await d.ok(["stats", "--plain"], clock)).toBe(plain);
    expect(JSON.parse(await d.ok(["stats", "--plain", "-o", "json"], clock))).toBeTypeOf("object");
  });

  test("writes a page that names the deck, and fails without one where it cannot", async () => {
    const d = await deckhand();
    await collection(d);
    const file = join(d.home, "stats.html");
    await d.ok(["stats", "Languages/Spanish", "--report", file], clock);
    expect(readFileSync(file, "utf8")).toContain("<h1>Languages/Spanish</h1>");
    const failed = await d.run(["stats", "--report", join(d.home, "no", "such", "folder.html")], clock);
    expect(failed).toMatchObject({ code: 2, stdout: "" });
    expect(failed.stderr).toContain("there is no folder");
    expect(await d.ok(["stats", "--report", "-"], clock)).toContain("<h1>All decks</h1>");
    expect(existsSync("-")).toBe(false);
  });

  test("replaces a page only after a question, keeps who may read it, and replaces nothing that is no file", async () => {
    const d = await deckhand();
    await collection(d);
    const file = join(d.home, "stats.html");
    writeFileSync(file, "mine", { mode: 0o644 });
    expect(await d.run(["stats", "--report", file], clock)).toMatchObject({ code: 2 });
    expect(readFileSync(file, "utf8")).toBe("mine");
    await d.ok(["stats", "--report", file, "--yes"], clock);
    expect(readFileSync(file, "utf8")).toContain("<h1>All decks</h1>");
    expect(statSync(file).mode & 0o777).toBe(0o644);
    for (const other of ["/dev/null", d.home]) {
      expect(await d.run(["stats", "--report", other, "--yes"], clock)).toMatchObject({ code: 2 });
    }
  });

  test("counts answers of the log that the service does not have, but none that was undone", async () => {
    const d = await deckhand();
    const { sol } = await collection(d);
    const answer = (id: string, card: string, days: number) => ({
      type: "answer",
      id,
      "card-id": card,
      "deck-id": "gone",
      at: daysAgo(days),
      pass: "forward",
      "remembered?": true,
      duration: 2,
      review: { date: daysAgo(days), "remembered?": true, duration: 2, status: "pending" },
    });
    const lines = [
      answer("one", sol, 1),
      answer("two", sol, 0),
      answer("three", "deleted1", 5),
      answer("four", sol, 9),
      { type: "undone", id: "four", at: daysAgo(9) },
    ];
    mkdirSync(join(d.home, "data", "reviews"), { recursive: true });
    const log = join(d.home, "data", "reviews", "local.jsonl");
    writeFileSync(log, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const figures = await json(d);
    expect(figures.totals).toMatchObject({ cards: 3, new: 0, reviews: 7 });
    expect(figures.days.map(({ date }) => date)).toContain("2026-11-17");
    expect(figures.today.reviews).toBe(2);
  });

  test("counts the reviews of deleted cards that the log has, also those that the service had", async () => {
    const d = await deckhand();
    const { sol, hola } = await collection(d);
    const date = daysAgo(1);
    await d.ok(["api", "POST", `/cards/${sol}/reviews`, "--input", "-"], {
      input: JSON.stringify({ date, "remembered?": true }),
    });
    const answer = {
      ...{ type: "answer", id: "one", "card-id": sol, "deck-id": "any", at: date, pass: "forward" },
      ...{ "remembered?": true, duration: 2 },
      review: { date, "remembered?": true, duration: 2, status: "pending" },
    };
    const lines = [answer, { type: "sent", id: "one" }];
    mkdirSync(join(d.home, "data", "reviews"), { recursive: true });
    const log = join(d.home, "data", "reviews", "local.jsonl");
    writeFileSync(log, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    expect((await json(d)).totals).toMatchObject({ cards: 3, reviews: 5 });
    await d.ok(["cards", "delete", sol, "--yes"]);
    expect((await json(d)).totals).toMatchObject({ cards: 2, reviews: 5 });
    await d.ok(["cards", "delete", hola, "--yes"]);
    expect((await json(d)).totals).toMatchObject({ cards: 1, reviews: 2 });
  });

  test("explains the shades of the heat map, and says of new cards whether they were new or still are", async () => {
    const d = await deckhand();
    const { sol } = await collection(d);
    await review(d, sol, 0);
    await review(d, sol, 0.01);
    const screen = (columns: number) => d.ok(["stats", "--no-color"], { ...clock, terminal: true, columns });
    expect(await screen(80)).toContain("\n    fewer · ░ ▒ ▓ █ more reviews a day\n");
    expect(await screen(80)).toMatch(/^3 reviews today, 100% remembered, 1 was new, .*longest 4\)\n/);
    expect(await screen(80)).toMatch(/ new +0\n/);
    expect((await screen(64)).split("\n")[0]).toMatch(/ streak 4 days$/);
    expect(await screen(40)).toContain("\n    fewer · ░ ▒ ▓ █ more reviews a day\ncards");
  });

  test("ends its plots of the past with --until", async () => {
    const d = await deckhand();
    const { sol } = await collection(d);
    for (const days of [1302, 1300, 1296]) await review(d, sol, days);
    const options = { ...clock, terminal: true, columns: 80 };
    const past = await d.ok(["stats", "--no-color", "--until", "2023-06-30"], options);
    expect(past).toContain("\nReviews up to 2023-06-30:\n");
    expect(past.split("\nReviews, 30 days")[0]).toContain("·█·");
    expect(past).toMatch(/^Reviews, 30 days up to 2023-06-30/m);
    const all = await d.ok(["stats", "--no-color"], options);
    expect(all).not.toContain("up to");
  });

  test("names each month above the heat map whose beginning is in it", async () => {
    const d = await deckhand();
    // The first week begins on 24 November 2025, the second in December.
    const monday = { now: () => Date.parse("2026-11-23T12:00:00Z") };
    await collection(d);
    const screen = await d.ok(["stats", "--no-color"], { ...monday, terminal: true, columns: 80 });
    expect(screen).toMatch(/ Dec +Jan +Feb +Mar /);
  });
});
