import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layOut } from "../../src/output/layout.ts";
import { relativeDate } from "../../src/output/relative.ts";
import { displayWidth } from "../../src/output/width.ts";
import { listings } from "../../src/schema/resources.ts";
import { anyCard, now, printed } from "./support.ts";

const card = {
  id: "aaaa1111",
  "deck-id": "dddd1111",
  name: "The capital of Liechtenstein is Vaduz, not Schaan",
  tags: ["europe", "capital"],
  "created-at": "2026-07-28T00:00:00.000Z",
};
const table = (documents: readonly object[], width: number) =>
  printed(documents, { format: "table", isTerminal: true, width, listing: cards });
const cards = { ...listings.cards, columns: ["id", "deck-id", "name", "tags", "created-at"] };

describe("a table", () => {
  test("shows everything where there is room", async () => {
    expect(await table([card], 200)).toBe(
      [
        "ID        DECK-ID   NAME                                               TAGS             CREATED-AT",
        "aaaa1111  dddd1111  The capital of Liechtenstein is Vaduz, not Schaan  europe, capital  3 days ago",
        "",
      ].join("\n"),
    );
  });

  test("cuts texts, the longest first, never ids and dates", async () => {
    expect(await table([card], 80)).toBe(
      [
        "ID        DECK-ID   NAME                             TAGS             CREATED-AT",
        "aaaa1111  dddd1111  The capital of Liechtenstein i…  europe, capital  3 days ago",
        "",
      ].join("\n"),
    );
  });

  test("leaves columns out where texts would be too short to read, ids and names last", async () => {
    expect(await table([card], 50)).toBe(
      [
        "ID        DECK-ID   NAME            TAGS",
        "aaaa1111  dddd1111  The capital o…  europe, capit…",
        "",
      ].join("\n"),
    );
    expect(await table([card], 24)).toBe("ID        NAME\naaaa1111  The capital o…\n");
    expect(await table([card], 12)).toBe("ID\naaaa1111\n");
  });

  test("is not cut where there is no terminal", async () => {
    const long = { ...card, name: "x".repeat(500) };
    expect(await printed([long], { format: "table", width: 20 })).toContain("x".repeat(500));
  });

  test("has no line wider than the terminal, whatever the documents hold", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyCard, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 120 }),
        async (cards, width) => {
          const lines = (await table(cards, width)).split("\n").slice(0, -1);
          expect(lines).toHaveLength(cards.length + 1);
          for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
          const fields = (
            await printed(cards, { format: "table", isTerminal: true, width }, "documents")
          ).split("\n");
          for (const line of fields) expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(width, 4));
        },
      ),
    );
  });

  test("leaves room for a wide character after the indent of a line", async () => {
    const shown = await printed(
      [{ id: "", content: " 漢" }],
      { format: "table", isTerminal: true, width: 4 },
      "documents",
    );
    expect(shown).toContain("\n  漢\n");
  });

  test("stays within the terminal for what comes after the columns were laid out", async () => {
    async function* pages() {
      yield Array.from({ length: 250 }, () => ({ id: "a", name: "b" }));
      yield [{ id: "longer-than-the-others", name: "x".repeat(300) }];
    }
    const lines = (await printed(pages(), { format: "table", isTerminal: true, width: 30 })).split("\n");
    expect(lines).toHaveLength(253);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(30);
  });

  test("keeps what comes after short rows readable", async () => {
    async function* pages() {
      yield Array.from({ length: 250 }, () => ({ id: "aaaa1111", name: "b", "created-at": "" }));
      yield [{ ...card, "created-at": "2027-07-01T00:00:00.000Z" }];
    }
    const columns = "id,created-at,name";
    const settings = { format: "table", isTerminal: true, width: 80, columns } as const;
    expect(await printed(pages(), settings)).toContain("aaaa1111  in 11 months  The capital…\n");
  });

  test("lines columns up whatever the width of their characters", async () => {
    const names = ["plain", "漢字カナ", "e\u0301te\u0301", "👩‍👩‍👧 family", "한국어"];
    const decks = names.map((name, sort) => ({ id: "x", name, sort }));
    const lines = (
      await printed(decks, {
        format: "table",
        isTerminal: true,
        listing: listings.decks,
        columns: "id,name,sort",
      })
    ).split("\n");
    const widths = lines.slice(0, -1).map((line) => displayWidth(line));
    expect(new Set(widths).size).toBe(1);
  });

  test("is coloured only where colour is wanted", async () => {
    const coloured = await printed([card], {
      format: "table",
      isTerminal: true,
      listing: cards,
      colour: true,
    });
    expect(coloured).toContain("\x1b[36maaaa1111\x1b[39m");
    expect(coloured.replaceAll(/\x1b\[\d+m/g, "")).toBe(await table([card], 80));
  });
});

test("columns never need more than there is, and take all they want where there is room", () => {
  const wish = fc.record({ natural: fc.integer({ min: 1, max: 200 }), flexible: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(wish, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 300 }),
      (wishes, width) => {
        const widths = layOut(wishes, width);
        const kept = widths.filter((each) => each > 0);
        const needed = kept.reduce((sum, each) => sum + each + 2, -2);
        expect(needed).toBeLessThanOrEqual(width);
        expect(widths[0]).toBeGreaterThan(0);
        const wanted = wishes.reduce((sum, { natural }) => sum + natural + 2, -2);
        if (wanted <= width) expect(widths).toEqual(wishes.map(({ natural }) => natural));
        // Room is left only where every text has what it wants or a column had to go.
        if (kept.length === wishes.length && wanted > width) expect(needed).toBe(width);
      },
    ),
    { numRuns: 500 },
  );
});

describe("a due date", () => {
  const columns = "id,reviews.0.due,created-at";
  // By the user's clock, whose days begin at 4: noon of the next day but one.
  const dayOf = (instant: number) => Math.floor((instant - 4 * 3_600_000) / 86_400_000);
  const at = Date.parse("2026-07-31T03:00:00Z");
  test.each([
    ["2026-07-30T12:00:00.000Z", "today"],
    ["2026-07-31T03:59:59.000Z", "today"],
    ["2026-07-31T12:00:00.000Z", "tomorrow"],
    ["2026-07-29T12:00:00.000Z", "yesterday"],
    ["2026-08-02T12:00:00.000Z", "in 3 days"],
    ["2026-07-17T12:00:00.000Z", "13 days ago"],
    ["2026-07-16T12:00:00.000Z", "2 weeks ago"],
    ["2026-08-26T12:00:00.000Z", "in 4 weeks"],
    ["2026-09-27T12:00:00.000Z", "in 8 weeks"],
    ["2026-09-28T12:00:00.000Z", "in 2 months"],
    ["2027-07-30T12:00:00.000Z", "in 1 year"],
    ["2024-07-30T12:00:00.000Z", "2 years ago"],
  ])("of %s is written in days of the user: %s", async (due, words) => {
    const card = { id: "x", reviews: [{ due }], "created-at": "2026-07-31T00:00:00.000Z" };
    const settings = { format: "table", columns, isTerminal: true, dayOf, now: at } as const;
    expect(await printed([card], settings)).toContain(`x   ${words.padEnd(13)}  3 hours ago`);
    expect(await printed([card], settings, "documents")).toContain(`${due} (${words})`);
  });
});

describe("a relative date", () => {
  const minute = 60_000;
  const day = 24 * 60 * minute;
  test.each([
    [0, "now"],
    [-44_000, "now"],
    [-minute, "1 minute ago"],
    [-59 * minute, "59 minutes ago"],
    [-60 * minute, "1 hour ago"],
    [3 * 60 * minute, "in 3 hours"],
    [-23.9 * 60 * minute, "1 day ago"],
    [3 * day, "in 3 days"],
    [-29 * day, "29 days ago"],
    [45 * day, "in 1 month"],
    [-345 * day, "11 months ago"],
    [-360 * day, "1 year ago"],
    [-730 * day, "2 years ago"],
  ])("%d ms from now is %s", (distance, words) => {
    expect(relativeDate(new Date(now + distance).toISOString(), now)).toBe(words);
  });

  test("that is none stays what it is", () => {
    expect(relativeDate("never", now)).toBe("never");
  });
});
