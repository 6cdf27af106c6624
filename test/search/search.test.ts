import { describe, expect, test } from "vitest";
import type { Card } from "../../src/schema/card.ts";
import { matcher } from "../../src/search/match.ts";
import { parseQuery, type Span } from "../../src/search/query.ts";

const span = (text: string): Span | undefined =>
  /^\d{4}-\d\d-\d\d$/.test(text)
    ? { from: `${text}T00:00:00.000Z`, to: new Date(Date.parse(text) + 86_400_000).toISOString() }
    : undefined;

const card = (fields: Partial<Card>): Card => ({ id: "c", content: "", "deck-id": "d", ...fields }) as Card;

function found(query: string, fields: Partial<Card>): boolean {
  const decks = new Map([["Geography", new Set(["d", "below"])]]);
  return matcher(parseQuery(query, { span }), {
    decks: (deck) => decks.get(deck) ?? new Set(),
    inTrash: (each) => each["trashed?"] != null,
    hasAttachment: ({ content }) => (content ?? "").includes("@media/"),
    isDue: () => false,
    dayOf: (instant) => Math.floor(instant / 86_400_000),
  })(card(fields));
}

describe("a search", () => {
  test.each(["tag:", "tag: europe", 'tag:""', "-DECK:", "created: 2026-01-01", 'is:" "'])(
    "is refused where a key has no value: %s",
    (query) => {
      expect(() => parseQuery(query, { span })).toThrow(/: takes a value, without a space between/);
    },
  );

  test("is read with 300,000 alternatives", () => {
    const many = `${"b OR ".repeat(300_000)}a`;
    expect([found(many, { content: "a" }), found(many, { content: "c" })]).toEqual([true, false]);
  });

  test.each([
    ["capital", "The capital of Norway", true],
    ["CAPITAL norway", "The capital of Norway", true],
    ["cap", "The capital of Norway", true],
    ["pital", "The capital of Norway", false],
    ["cap*", "The capital of Norway", true],
    ["cap*l", "The capital of Norway", false],
    ['"cap*"', "The cap is off", false],
    ["sao paulo", "São Paulo", true],
    ["São", "sao paulo", true],
    ["strasse", "Straße", true],
    ["łódź", "Lodz", true],
    ["ＡＢＣ", "abc", true],
    ['"capital of"', "the capital\nof Norway", true],
    ['"capital of nor"', "the capital of Norway", false],
    ['"of capital"', "the capital of Norway", false],
    ["首都", "日本の首都は東京", true],
    ["京都", "日本の首都は東京", false],
    ["か", "が", false],
    ["-norway capital", "the capital of Norway", false],
    ["-sweden capital", "the capital of Norway", true],
    ['-"of norway"', "the capital of Norway", false],
    ["paris", "**Paris**, _France_", true],
    ["france", "**Paris**, _France_", true],
    ["c++", "C++ and C", true],
    ["https://example.org/a", "see https://example.org/a", true],
  ])("for %s in %j gives %s", (query, content, expected) => {
    expect(found(query, { content })).toBe(expected);
  });

  test("looks into the values of fields and the name", () => {
    expect(found("oslo", { fields: { capital: { id: "capital", value: "Oslo" } } })).toBe(true);
    expect(found("oslo", { name: "Oslo" })).toBe(true);
  });

  test("by tag finds the tag, those below it, and with a star what begins so", () => {
    expect(found("tag:Europe", { tags: ["europe"] })).toBe(true);
    expect(found("tag:#europe", { tags: ["europe/north"] })).toBe(true);
    expect(found("tag:europe", { tags: ["Europe::North"] })).toBe(true);
    expect(found("tag:euro", { tags: ["europe"] })).toBe(false);
    expect(found("tag:euro*", { tags: ["europe"] })).toBe(true);
    expect(found("-tag:europe", { tags: [] })).toBe(true);
  });

  test("by deck finds its cards and those of decks under it", () => {
    expect(found("deck:Geography", { "deck-id": "below" })).toBe(true);
    expect(found("deck:Geography", { "deck-id": "other" })).toBe(false);
    expect(found('-deck:"Geography"', { "deck-id": "other" })).toBe(true);
  });

  test("by leech finds what was forgotten on eight days after it had been remembered, in any order of reviews", () => {
    const review = (day: number, remembered: boolean) => ({
      date: new Date(Date.UTC(2026, 0, day)).toISOString(),
      "remembered?": remembered,
    });
    const forgotten = (times: number) =>
      Array.from({ length: times }, (_, index) => review(index + 3, false));
    expect(found("is:leech", { reviews: [...forgotten(8), review(2, true)] })).toBe(true);
    expect(found("is:leech", { reviews: [review(1, false), review(2, true), ...forgotten(7)] })).toBe(false);
    // Twice on one day.
    expect(found("is:leech", { reviews: [review(2, true), ...forgotten(7), review(3, false)] })).toBe(false);
    expect(found("is:leech", { reviews: forgotten(9) })).toBe(false);
    expect(found("-is:leech", {})).toBe(true);
  });

  test("by state and attachment", () => {
    expect(found("is:new", { "new?": true })).toBe(true);
    expect(found("is:new", { reviews: [{ date: "2026-01-01T00:00:00.000Z" }] })).toBe(false);
    expect(found("is:archived", { "archived?": true })).toBe(true);
    expect(found("is:trashed", { "trashed?": "2026-01-01T00:00:00.000Z" })).toBe(true);
    expect(found("-is:trashed", { "trashed?": null })).toBe(true);
    expect(found("has:attachment", { content: "![](@media/a.png)" })).toBe(true);
  });

  test.each([
    ["created:2026-01-31", "2026-01-31T23:59:59.999Z", true],
    ["created:>2026-01-31", "2026-01-31T23:59:59.999Z", false],
    ["created:>2026-01-31", "2026-02-01T00:00:00.000Z", true],
    ["created:>=2026-01-31", "2026-01-31T00:00:00.000Z", true],
    ["created:<2026-01-31", "2026-01-30T23:59:59.999Z", true],
    ["created:<=2026-01-31", "2026-01-31T23:00:00.000Z", true],
    ["created:2026-01-01..2026-01-31", "2026-01-31T23:00:00.000Z", true],
    ["created:2026-01-01..2026-01-31", "2026-02-01T00:00:00.000Z", false],
  ])("%s of a card of %s is %s", (query, at, expected) => {
    expect(found(query, { "created-at": at })).toBe(expected);
  });

  test.each([
    ["", /the search is empty/],
    ['"open', /quote is not closed/],
    ["is:old", /is: takes new, due, archived, trashed, leech/],
    ["has:picture", /has: takes attachment/],
    ["created:soon", /created: takes a date/],
    ["created:2026-01-31..2026-01-01", /ends before it begins/],
    ["colour:red", /there is no colour:/],
  ])("for %j is refused", (query, message) => {
    expect(() => parseQuery(query, { span })).toThrow(message);
  });
});

test.each([
  ["a well - known - thing", "well - known"],
  ["1 / 2 ^ 3 {4}", "2 ^ 3 {4}"],
  ["x\u{1d400} b and \u{1d400} b", "\u{1d400} b"],
])("a phrase of signs that mean something elsewhere is found in %j", (text, wanted) => {
  expect(found(`"${wanted}"`, { content: text })).toBe(true);
});

describe("OR", () => {
  test("asks for either of the terms beside it, and binds closer than a space", () => {
    expect(found("oslo OR bergen", { content: "Bergen" })).toBe(true);
    expect(found("oslo OR bergen OR turku", { content: "Turku" })).toBe(true);
    expect(found("oslo OR bergen", { content: "Turku" })).toBe(false);
    expect(found("city oslo OR bergen", { content: "Bergen" })).toBe(false);
    expect(found("tag:x OR -bergen", { content: "Turku" })).toBe(true);
    for (const query of ["OR a", "a OR"])
      expect(() => parseQuery(query, { span })).toThrow(/OR needs a term/);
  });
});

describe("AND and OR", () => {
  const asian = { content: "The river Mekong", tags: ["asia"] };
  test.each([
    ["river europe OR asia", { content: "a river in Asia" }, true],
    ["river europe OR asia", { content: "a lake in Asia" }, false],
    ["NOT europe river", { content: "a river in Africa" }, false],
    ["river AND asia", { content: "a river in Asia" }, true],
    ["river and asia", { content: "a river" }, false],
    ["river or lake", { content: "a lake" }, true],
    ["river AND -asia", { content: "a river in Asia" }, false],
    ["river not asia", { content: "a river, not a lake, in Asia" }, true],
    ["river not asia", { content: "a river in Asia" }, false],
    ['river "or" asia', { content: "a river in Asia" }, false],
    ["f(x)", { content: "the graph of f(x)" }, true],
    ["#asia", asian, true],
    ["-#asia", asian, false],
    ["#asia OR lake", { content: "a lake" }, true],
    ["#include", { content: "#include <stdio.h>" }, true],
    ['"#asia"', asian, false],
  ] as const)("%s of %j gives %s", (query, fields, expected) => {
    expect(found(query, { ...fields, tags: "tags" in fields ? [...fields.tags] : [] })).toBe(expected);
  });

  test.each([
    ["(a OR b)", /a search has no brackets/],
    ["a -(b c)", /a search has no brackets/],
    ["or", /or needs a term before it/],
    ["a OR OR b", /OR needs a term before it/],
    ["a OR", /OR needs a term after it/],
  ])("%s is refused, and the error says how to write it", (query, message) => {
    try {
      parseQuery(query, { span });
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({ code: "usage", message: expect.stringMatching(message) });
      expect(error).toHaveProperty("hint", expect.stringMatching(/quote it/));
    }
  });
});

describe("due", () => {
  const reviews = [
    { date: "2026-01-05T00:00:00.000Z", due: "2026-01-10T12:00:00.000Z" },
    { date: "2026-01-01T00:00:00.000Z", due: "2026-01-02T12:00:00.000Z" },
  ] as Card["reviews"];
  const days = { span: (text: string) => span({ today: "2026-01-09", "+3d": "2026-01-12" }[text] ?? text) };
  const matches = (query: string, fields: Partial<Card>) =>
    matcher(parseQuery(query, days), {
      decks: () => new Set(),
      inTrash: (each) => each["trashed?"] != null,
      hasAttachment: () => false,
      isDue: ({ id }) => id === "today",
      dayOf: () => 0,
    })(card(fields));

  test("goes by the last review, and leaves out cards that are not asked", () => {
    expect(matches("is:due", { reviews })).toBe(false);
    expect(matches("is:due", { id: "today" })).toBe(true);
    expect(matches("due:<3d", { reviews })).toBe(true);
    expect(matches("due:2026-01-10", { reviews })).toBe(true);
    expect(matches("due:2026-01-02", { reviews })).toBe(false);
    expect(matches("due:<3d", { reviews, "archived?": true })).toBe(false);
    expect(matches("due:<3d", {})).toBe(false);
    expect(() => parseQuery("due:soon", days)).toThrow(/due: takes a date/);
  });
});
