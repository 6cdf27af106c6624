import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CodecError, deepestNesting, loadCodec } from "../../src/codecs/index.ts";
import {
  array,
  card,
  cardCreate,
  cardPage,
  cardUpdate,
  dueCard,
  instant,
  type ObjectKind,
  object,
  record,
  string,
  template,
  timestamp,
} from "../../src/schema/index.ts";
import { heap } from "../support/heap.ts";

const codec = await loadCodec("json");
const read = (kind: ObjectKind, value: unknown) => codec.decode(kind, JSON.stringify(value)) as never;
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

describe("reading JSON", () => {
  it("understands an instant as a map with a date, in any ISO form, or as a bare string", () => {
    const at = "2024-11-20T23:00:00.000Z";
    for (const form of [{ date: at }, at, { date: "2024-11-21T00:00:00+01:00" }, "2024-11-20T23:00Z"])
      expect(read(card, { "created-at": form, "trashed?": form })).toEqual({
        "created-at": at,
        "trashed?": at,
      });
  });

  it("takes a map with a date for an instant only where the schema has one", () => {
    const value = { fields: { date: { id: "date", value: "2024" } }, future: { date: "soon" }, content: {} };
    expect(read(card, value)).toEqual(value);
  });

  it("leaves a string that names no instant to the check, but refuses a map that names none", () => {
    expect(read(cardUpdate, { "trashed?": "soon" })).toEqual({ "trashed?": "soon" });
    expect(() => read(cardUpdate, { "trashed?": { date: "2024-02-31T00:00:00.000Z" } })).toThrow(CodecError);
  });

  it("leaves values of the wrong type as they are", () => {
    const value = {
      content: 5,
      tags: "a",
      fields: [{ id: "a" }],
      reviews: { 0: {} },
      "created-at": { date: 5 },
      "updated-at": [1],
      "new?": "yes",
    };
    expect(read(card, value)).toEqual(value);
    for (const text of ["5", "null", '"x"', "[1]", "true"])
      expect(codec.decode(card, text)).toEqual(JSON.parse(text));
  });

  it("understands instants in lists and maps as well", () => {
    const kind = object({ list: array(instant()), map: record(timestamp()) });
    const at = "2024-11-20T23:00:00.000Z";
    const forms = ["2024-11-20T23:00Z", { date: "2024-11-20T23:00Z" }, "soon", null];
    expect(read(kind, { list: forms, map: { ...forms } })).toEqual({
      list: [at, at, "soon", null],
      map: { 0: at, 1: at, 2: "soon", 3: null },
    });
    expect(read(object({ list: array(string()) }), { list: ["2024-11-20"] })).toEqual({
      list: ["2024-11-20"],
    });
  });

  it("drops doubles of sets and keeps the order of first appearance", () => {
    const many = Array.from({ length: 50 }, (_, number) => `tag${number % 20}`);
    expect(read(card, { tags: ["b", "a", "b"], references: [1, "1", 1, null, true, "true", null] })).toEqual({
      tags: ["b", "a"],
      references: [1, "1", null, true, "true"],
    });
    expect(read(cardCreate, { "manual-tags": many })).toEqual({ "manual-tags": many.slice(0, 20) });
    const mixed = [...many.slice(0, 20), 1, "1", 1, true, "true", null, "null", null];
    expect(read(card, { references: mixed })).toEqual({
      references: [...many.slice(0, 20), 1, "1", true, "true", null, "null"],
    });
  });

  it("takes the lists and maps of a set to be different", () => {
    for (const length of [2, 16, 17]) {
      const references = Array.from({ length }, (_, index) => (index % 2 === 0 ? { id: "a" } : ["a"]));
      expect(read(card, { references })).toEqual({ references });
    }
  });

  it("understands the key tags of a body as manual-tags, and leaves both as they came", () => {
    expect(read(cardCreate, { tags: ["a", "a"], "manual-tags": ["b", "b"] })).toEqual({
      tags: ["a"],
      "manual-tags": ["b"],
    });
  });

  it("gives records and unknown maps without a prototype, and takes __proto__ for an ordinary key", () => {
    const text = '{"__proto__":{"a":{}},"fields":{"__proto__":{"id":"x","constructor":{}}},"x":[{"y":{}}]}';
    const value = codec.decode(card, text) as Record<string, unknown>;
    const inside = (map: unknown, key: string): unknown => Object.getOwnPropertyDescriptor(map, key)?.value;
    const field = inside(value["fields"], "__proto__");
    const unknown = [inside(value, "__proto__"), inside(field, "constructor"), ...(value["x"] as unknown[])];
    const maps = [value["fields"], ...unknown, inside(unknown[0], "a"), inside(unknown[2], "y")];
    for (const map of maps) expect(Object.getPrototypeOf(map)).toBeNull();
    expect(Object.keys(value)).toEqual(["__proto__", "fields", "x"]);
    expect(Object.keys(field as object)).toEqual(["id", "constructor"]);
    expect(unknown[0]).toEqual({ a: {} });
    expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
  });

  it("reads the keys of a document by what they are, whatever stood in their places before", () => {
    const at = "2024-11-20T23:00:00.000Z";
    const keys = ["created-at", "updated-at", "tags", "references", "reviews", "x", "1", "constructor"];
    const given: Record<string, unknown> = {
      "created-at": { date: "2024-11-20T23:00Z" },
      "updated-at": { date: "2024-11-20T23:00Z" },
      tags: ["a", "a"],
      references: [{ date: at }],
      reviews: [{ x: ["a", "a"], due: { date: "2024-11-20T23:00Z" } }],
      x: { date: "2024-11-20T23:00Z" },
      1: ["a", "a"],
      constructor: ["b", "b"],
    };
    const expected: Record<string, unknown> = {
      ...given,
      "created-at": at,
      "updated-at": at,
      tags: ["a"],
      reviews: [{ x: ["a", "a"], due: at }],
    };
    const many = Array.from({ length: 100 }, (_, number) => `k${number}`);
    const orders = fc.shuffledSubarray([...keys, ...many]);
    fc.assert(
      fc.property(orders, (order) => {
        const document = Object.fromEntries(order.map((key) => [key, given[key] ?? { date: key }]));
        expect(read(card, document)).toEqual(
          Object.fromEntries(order.map((key) => [key, expected[key] ?? { date: key }])),
        );
      }),
    );
  });

  it("remembers nothing of keys that it does not know", () => {
    const mebibytes = 4;
    const before = heap();
    for (let place = 12; place >= 0; place--) {
      const keys = Array.from({ length: place }, (_, number) => `k${number}`);
      const long = String(place).padEnd(mebibytes * 1024 * 1024, "x");
      codec.decode(card, JSON.stringify(Object.fromEntries([...keys, long].map((key) => [key, 1]))));
    }
    expect(heap() - before).toBeLessThan(mebibytes * 2);
  });

  it("reads nesting to the limit and refuses what goes below it, in known and unknown places", () => {
    const places: [ObjectKind, string, number][] = [
      ...["unknown", "references", "fields", "created-at", "content"].map(
        (key): [ObjectKind, string, number] => [card, `{"${key}":`, 1],
      ),
      [template, '{"fields":{"a":{"options":{"b":', 4],
      [cardPage, '{"docs":[{"references":[', 4],
      [cardPage, '{"docs":[{"reviews":[{"x":', 5],
    ];
    for (const [kind, open, levels] of places) {
      const close = [...open].reverse().map((c) => ({ "{": "}", "[": "]" })[c] ?? "");
      const text = (depth: number) => open + nested(depth - levels) + close.join("");
      expect(codec.decode(kind, text(deepestNesting)), open).toBeTypeOf("object");
      expect(() => codec.decode(kind, text(deepestNesting + 1)), open).toThrow(CodecError);
    }
  });
});

describe("writing JSON", () => {
  it("writes the instants of the due answer as maps, too", () => {
    const at = "2024-11-20T23:00:00.000Z";
    expect(codec.encode(dueCard, { reviews: [{ date: at }] })).toBe(
      `{"reviews":[{"date":{"date":"${at}"}}]}`,
    );
  });

  it("brings instants into the form of Date#toJSON and refuses what names none", () => {
    expect(codec.encode(cardUpdate, { "trashed?": "2024-11-20" })).toBe(
      '{"trashed?":"2024-11-20T00:00:00.000Z"}',
    );
    for (const value of ["soon", "", 5, {}, { date: "2024-11-20" }, new Date(0), new Date(Number.NaN)])
      expect(() => codec.encode(card, { "created-at": value })).toThrow(CodecError);
  });

  it("says what cannot be written", () => {
    expect(() => codec.encode(card, { "created-at": "soon" })).toThrow('not an instant: "soon"');
    expect(() => codec.encode(card, { "created-at": 5 })).toThrow("not an instant: number");
    expect(() => codec.encode(card, { duration: Infinity })).toThrow("Infinity cannot be written");
    expect(() => codec.encode(card, { unknown: 1n })).toThrow("bigint cannot be written");
    expect(() => codec.encode(card, { unknown: new Date(0) })).toThrow("Date cannot be written");
  });

  it("leaves out undefined fields and writes false, null, zero and empty", () => {
    const value = { content: "", "deck-id": undefined, "archived?": false, "template-id": null, fields: {} };
    expect(codec.encode(cardUpdate, value)).toBe(
      '{"content":"","archived?":false,"template-id":null,"fields":{}}',
    );
  });

  it("writes the key __proto__ like other keys", () => {
    const fields = JSON.parse('{"__proto__":{"id":"__proto__","value":"v"}}') as unknown;
    const text = codec.encode(card, { fields, "created-at": "2024-11-20", ["__proto__"]: 1 });
    expect(text).toBe(
      '{"fields":{"__proto__":{"id":"__proto__","value":"v"}},"created-at":{"date":"2024-11-20T00:00:00.000Z"},"__proto__":1}',
    );
  });

  it("refuses values that are not plain data", () => {
    const loop: unknown[] = [];
    loop.push(loop);
    const bad = [
      Number.NaN,
      Infinity,
      1n,
      Symbol("x"),
      () => 1,
      [undefined],
      new Map(),
      new Set(),
      new Date(0),
      loop,
    ];
    for (const value of bad) expect(() => codec.encode(card, { unknown: value })).toThrow(CodecError);
  });

  it("does not change what it writes", () => {
    const value = Object.freeze({
      tags: Object.freeze(["a", "a"]),
      reviews: Object.freeze([Object.freeze({ date: "2024-11-20" })]),
    });
    expect(codec.encode(card, value)).toContain('"2024-11-20T00:00:00.000Z"');
    expect(value.reviews[0]).toEqual({ date: "2024-11-20" });
  });
});
