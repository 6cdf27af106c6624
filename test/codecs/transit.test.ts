import { describe, expect, it } from "vitest";
import { CodecError, deepestNesting, loadCodec } from "../../src/codecs/index.ts";
import { card, cardCreate, cardUpdate, type ObjectKind, templateCreate } from "../../src/schema/index.ts";

const codec = await loadCodec("transit");

/** What a value of a field that the schema does not know is read as. */
const readValue = (node: unknown): unknown =>
  (codec.decode(card, JSON.stringify({ "~:x": node })) as Record<string, unknown>)["x"];
const refused = (node: unknown, kind: ObjectKind = card) =>
  expect(() => codec.decode(kind, JSON.stringify(node)), JSON.stringify(node)).toThrow(CodecError);

describe("reading transit", () => {
  it("understands every form of an instant alike", () => {
    const forms = [
      "~t1732143600000",
      "~t2024-11-20T23:00:00.000Z",
      "~t2024-11-21T00:00:00+01:00",
      "~t2024-11-20T23:00:00",
      "~m1732143600000",
      { "~#dt": 1_732_143_600_000 },
      { "~#dt": "1732143600000" },
      { "~#dt": "2024-11-20T23:00Z" },
      { "~#dt": "~i1732143600000" },
      { "~#dt": ["~#i", "1732143600000"] },
      { "~#dt": { "~#n": "1732143600000" } },
      { "~#dt": { "~#'": 1_732_143_600_000 } },
      { "~#dt": "~t1732143600000" },
      { "~#dt": 1_732_143_600_000.9 },
      ["~#dt", 1_732_143_600_000],
      ["~#m", 1_732_143_600_000],
      { "~#t": "2024-11-20T23:00:00.000Z" },
    ];
    for (const form of forms) expect(readValue(form), JSON.stringify(form)).toBe("2024-11-20T23:00:00.000Z");
  });

  it("brings a bare ISO string into the form of an instant where the schema has one, nowhere else", () => {
    const text =
      '{"~:created-at":"2024-11-20","~:trashed?":"2024-11-20T01:00+01:00","~:content":"2024-11-20"}';
    expect(codec.decode(card, text)).toEqual({
      "created-at": "2024-11-20T00:00:00.000Z",
      "trashed?": "2024-11-20T00:00:00.000Z",
      content: "2024-11-20",
    });
  });

  it("refuses broken instants", () => {
    for (const inside of [null, "", "soon", true, [], {}, "2024-02-31", 8.64e15 + 1, "~zNaN", "~:x:y", "1e3"])
      refused({ "~:x": { "~#dt": inside } });
    for (const text of ["~t", "~tsoon", "~t1.5", "~m", "~m2024-02-30T00:00:00Z", "~t99999999999999999"])
      refused({ "~:x": text });
  });

  it("reads numbers exactly, as text where a number cannot hold them", () => {
    const huge = "123456789012345678901234567890";
    const cases: [unknown, unknown][] = [
      ["~i7", 7],
      ["~i-9007199254740991", -9_007_199_254_740_991],
      ["~i9007199254740992", "9007199254740992"],
      [`~i${huge}`, huge],
      [`~n-${huge}`, `-${huge}`],
      [["~#n", "12"], 12],
      [["~#i", 12], 12],
      ["~d1.5", 1.5],
      ["~d-2.5E3", -2500],
      ["~f0.25", 0.25],
      [`~f1e999`, "1e999"],
      ["~zNaN", null],
      ["~zINF", null],
      ["~z-INF", null],
    ];
    for (const [node, value] of cases) expect(readValue(node), String(node)).toBe(value);
    for (const text of ["~i", "~i1.5", "~ix", "~d", "~d.", "~dx", "~n1x", "~f", "~z", "~znan"])
      refused({ "~:x": text });
  });

  it("reads the other types as plain values", () => {
    const cases: [unknown, unknown][] = [
      ["~_", null],
      ["~?t", true],
      ["~?f", false],
      ["~:a/b", "a/b"],
      ["~$a", "a"],
      ["~cx", "x"],
      ["~rhttp://x/", "http://x/"],
      ["~bAAEC", "AAEC"],
      [["~#b", "AAEC"], "AAEC"],
      [{ "~#b": "AAEC" }, "AAEC"],
      [{ "~#?": "t" }, true],
      [{ "~#'": "~:quoted" }, "quoted"],
      ["~u531A379E-31BB-4CE1-8690-158DCEB64BE6", "531a379e-31bb-4ce1-8690-158dceb64be6"],
      ["~xany", "any"],
      [
        ["~#list", ["a", "a"]],
        ["a", "a"],
      ],
      [
        ["~#set", ["a", "a", ["~#set", [1, 1]]]],
        ["a", [1]],
      ],
      [
        [
          "~#set",
          [
            ["~#dt", 5],
            ["~#dt", 5],
          ],
        ],
        ["1970-01-01T00:00:00.005Z"],
      ],
      [["~#cmap", ["a", 1, "~:b", 2]], { a: 1, b: 2 }],
      [["~#'", "~:quoted"], "quoted"],
      [
        ["~#'", ["a", "~:b"]],
        ["a", "b"],
      ],
      [
        ["~#point", [1, ["~#dt", 5]]],
        [1, "1970-01-01T00:00:00.005Z"],
      ],
      [{ "~#point": { "~#inner": "x" } }, "x"],
      [["~#link", ["^ ", "~:rel", "a"]], { rel: "a" }],
      [["^ ", "~i5", 1, "~i-12", 2], { 5: 1, "-12": 2 }],
    ];
    for (const [node, value] of cases) expect(readValue(node), JSON.stringify(node)).toEqual(value);
  });

  it("reads tags that are named like inherited properties of objects as unknown tags", () => {
    for (const name of Object.getOwnPropertyNames(Object.prototype)) {
      expect(readValue({ [`~#${name}`]: ["a"] }), name).toEqual(["a"]);
      expect(readValue([`~#${name}`, 5]), name).toBe(5);
    }
    for (const name of ["call", "apply", "name", "length", "prototype"])
      expect(readValue([`~#${name}`, 5]), name).toBe(5);
  });

  it("refuses tags and cache codes in places where they mean nothing", () => {
    const broken: unknown[] = [
      { "~:x": "~#set" },
      { "~:x": ["a", "~#set"] },
      { "~:x": ["~#set", ["a"], 1] },
      { "~:x": ["~#set", ["~#dt", 5]] },
      { "~:x": ["~#list", { a: 1 }] },
      { "~:x": ["~#link", ["^1"]] },
      { "~:x": ["~#link", ["~#dt", 5]] },
      { "~:x": ["~#link", ["^10", "~#set"]] },
      { "~:x": ["~#unknown", ["a", "~#set"]] },
      { "~:x": ["~#set", ["^ ", "~:a", 1]] },
      { "~#set": ["a"], "~:x": 1 },
      { "~:x": { "~#i": "5", "~:y": 1 } },
      { "~:x": { "~#'": "5", "~:y": 1 } },
      { "~:x": ["~#cmap", ["a"]] },
      { "~:x": ["~#cmap", [["a"], 1]] },
      { "~:x": ["^ ", "~:a"] },
      { "~:x": ["^ ", null, 1] },
      { "~:x": ["^ ", 5, 1] },
      { "~:x": ["^ ", ["a"], 1] },
      { "~:x": ["^ ", "~?t", 1] },
      { "~:x": ["^ ", "~_", 1] },
      { "~:x": ["^ ", "~d1.5", 1] },
      { "~:x": ["^ ", "~bAAEC", 1] },
      { "~:x": "^0" },
      { "~:x": ["^ ", "~:long", "^1"] },
      { "~:x": "^" },
      { "~:x": "^ " },
      { "~:x": "^foo" },
      { "~:x": "^~" },
      { "^x": 1 },
      { "~:x": "~" },
      { "~": 1 },
      { "~:x": "~?x" },
      { "~:x": "~_x" },
      { "~:x": "~b!" },
      { "~:x": ["~#b", [1, 2]] },
      { "~:x": ["~#i", {}] },
      { "~:x": ["~#:", 5] },
      { "~:x": ["~#u", 5] },
    ];
    for (const node of broken) refused(node);
  });

  it("forgets the cache of one document before it reads the next", () => {
    codec.decode(card, '["^ ","~:content","~:secret"]');
    refused(["^ ", "~:x", "^0", "~:y", "^1"]);
    expect(() => codec.decode(card, '["^ ","~:content",["~#set",5]]')).toThrow(CodecError);
    expect(codec.decode(card, '["^ ","~:content","a","~:other",["^ ","^0","b"]]')).toEqual({
      content: "a",
      other: { content: "b" },
    });
  });

  it("reads a body under either name of its tags", () => {
    const text = '{"~:tags":["~#list",["a","a"]],"~:manual-tags":{"~#set":["b"]}}';
    expect(codec.decode(cardCreate, text)).toEqual({ tags: ["a"], "manual-tags": ["b"] });
  });

  it("reads nesting to the limit and refuses what goes below it", () => {
    const text = (depth: number) => `{"~:x":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
    expect(codec.decode(card, text(deepestNesting))).toBeTypeOf("object");
    expect(() => codec.decode(card, text(deepestNesting + 1))).toThrow(CodecError);
  });

  it("counts the nesting of the text, not only that of the value", () => {
    const nested = (levels: number, open: string, close: string) =>
      `{"~:x":${open.repeat(levels)}1${close.repeat(levels)}}`;
    const forms: [open: string, close: string, levels: number][] = [
      ['["~#x",', "]", 1],
      ['{"~#x":', "}", 1],
      [`["~#'",`, "]", 1],
      [`{"~#'":`, "}", 1],
      ['{"~:a":["~#x",', "]}", 2],
      ['["^ ","~:a",["~#x",', "]]", 2],
      ['[["~#x",', "]]", 2],
    ];
    for (const [open, close, levels] of forms) {
      const most = Math.floor((deepestNesting - 1) / levels);
      expect(codec.decode(card, nested(most, open, close)), open).toBeTypeOf("object");
      expect(() => codec.decode(card, nested(most + 1, open, close)), open).toThrow(CodecError);
    }
  });

  it("prints no warning", async () => {
    const warnings: unknown[] = [];
    const listen = (warning: unknown) => warnings.push(warning);
    process.on("warning", listen);
    readValue(["~bAAEC", ["~#b", "AAEC"], "~rx", "~n5"]);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", listen);
    expect(warnings).toEqual([]);
  });
});

describe("writing transit", () => {
  it("refuses what would be no keyword or another one", () => {
    for (const name of ["", ":a", ":"]) {
      expect(() => codec.encode(cardCreate, { "deck-id": name })).toThrow(CodecError);
      expect(() => codec.encode(templateCreate, { fields: { [name]: {} } })).toThrow(CodecError);
      expect(() => codec.encode(cardCreate, { [name]: 1 })).toThrow(CodecError);
    }
  });

  it("writes manual-tags under tags, and only once", () => {
    const written = '{"~:tags":{"~#set":["a"]}}';
    expect(codec.encode(cardUpdate, { "manual-tags": ["a"] })).toBe(written);
    expect(codec.encode(cardUpdate, { tags: ["a"] })).toBe(written);
    expect(codec.encode(cardUpdate, { "manual-tags": ["a"], tags: ["b"] })).toBe(written);
    expect(codec.encode(cardUpdate, { tags: ["b"], "manual-tags": ["a"] })).toBe(written);
    expect(codec.encode(cardUpdate, { tags: ["a"], "manual-tags": undefined })).toBe(written);
    expect(codec.encode(card, { tags: ["a"] })).toBe(written);
  });

  it("leaves out undefined fields and writes false, null, zero and empty", () => {
    const value = { content: "", "deck-id": undefined, "archived?": false, "template-id": null, fields: {} };
    expect(codec.encode(cardUpdate, value)).toBe(
      '{"~:content":"","~:archived?":false,"~:template-id":null,"~:fields":{}}',
    );
  });

  it("refuses broken instants and values that are not plain data, and works afterwards", () => {
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
    for (const value of ["soon", 5, new Date(Number.NaN)])
      expect(() => codec.encode(card, { "created-at": value })).toThrow(CodecError);
    expect(codec.encode(card, { constructor: { constructor: "a" } })).toBe(
      '{"~:constructor":{"~:constructor":"a"}}',
    );
  });
});
