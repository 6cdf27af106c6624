import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/errors.ts";
import { formatQuery, operations, parseQuery } from "../../src/schema/index.ts";

const cards = operations["cards.list"].query;
const due = operations["due.list"].query;

describe("reading a query", () => {
  it("gives the parameters as domain values", () => {
    expect(parseQuery(cards, "deck-id=abc&limit=10&bookmark=g1%2B%20x")).toEqual({
      value: { "deck-id": "abc", limit: 10, bookmark: "g1+ x" },
      problems: undefined,
    });
    expect(parseQuery(due, "date=2024-11-21T00:00:00%2B01:00").value).toEqual({
      date: "2024-11-20T23:00:00.000Z",
    });
    expect(parseQuery(cards, "")).toEqual({ value: {}, problems: undefined });
  });

  it("takes a limit of 1 to 100 in plain digits, nothing else", () => {
    for (const limit of ["1", "10", "100", "010"])
      expect(parseQuery(cards, `limit=${limit}`).value, limit).toEqual({ limit: Number(limit) });
    const bad = [
      "",
      "0",
      "101",
      "-1",
      "1.0",
      "1e1",
      "0x10",
      "+10",
      "%2B10",
      " 10",
      "10 ",
      "ten",
      "١٠",
      "1,0",
      "NaN",
    ];
    for (const limit of [...bad, "99999999999999999999", "Infinity", "null"]) {
      const { value, problems } = parseQuery(cards, `limit=${limit}`);
      expect(value, limit).toEqual({});
      expect(Object.keys(problems ?? {}), limit).toEqual(["limit"]);
    }
    expect(parseQuery(cards, "limit=0").problems).toEqual({ limit: "must be from 1 to 100" });
    expect(parseQuery(cards, "limit=ten").problems).toEqual({ limit: "must be a whole number" });
  });

  it("names every failing parameter at once", () => {
    expect(parseQuery(cards, "limit=x&deck-id=a&deck-id=b&bookmark=").problems).toEqual({
      limit: "must be a whole number",
      "deck-id": "is given more than once",
    });
    expect(parseQuery(due, "date=soon").problems).toEqual({ date: "must be an ISO 8601 timestamp" });
    expect(parseQuery(due, "date=2024-02-31").problems).toEqual({ date: "must be an ISO 8601 timestamp" });
  });

  it("refuses a parameter that is given twice", () => {
    for (const query of ["limit=10&limit=10", "limit=x&limit=5", "limit=5&limit=x"])
      expect(parseQuery(cards, query)).toEqual({ value: {}, problems: { limit: "is given more than once" } });
  });

  it("ignores parameters that it does not know", () => {
    const query = "page=2&__proto__=1&constructor=2&toString=3&page=3&limit=5";
    expect(parseQuery(cards, query)).toEqual({ value: { limit: 5 }, problems: undefined });
  });
});

describe("writing a query", () => {
  it("percent-encodes, leaves out what is absent and keeps the order of the schema", () => {
    const value = { bookmark: "a+b&c=d é~", limit: 10, "deck-id": undefined, other: "x" };
    expect(formatQuery(cards, value)).toBe("limit=10&bookmark=a%2Bb%26c%3Dd%20%C3%A9~");
    expect(formatQuery(cards, { bookmark: null })).toBe("");
    expect(formatQuery(cards, { bookmark: "" })).toBe("bookmark=");
  });

  it("writes a timestamp as it was given", () => {
    expect(formatQuery(due, { date: "2024-11-21T00:00+01:00" })).toBe("date=2024-11-21T00%3A00%2B01%3A00");
  });

  it("refuses halves of surrogate pairs, which no URL carries", () => {
    expect(() => formatQuery(cards, { bookmark: "a\ud83d" })).toThrow(UsageError);
  });

  it("is understood again", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1 });
    const value = fc.record(
      {
        "deck-id": text.map((id) => id.replace(/^:+/, "") || "d"),
        limit: fc.integer({ min: 1, max: 100 }),
        bookmark: text,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(value, (value) => {
        expect(parseQuery(cards, formatQuery(cards, value))).toEqual({ value, problems: undefined });
      }),
    );
  });
});
