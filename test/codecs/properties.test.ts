import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import transit from "transit-js";
import { describe, expect, it } from "vitest";
import { type Codec, CodecError, loadCodec } from "../../src/codecs/index.ts";
import { dueCard, type ObjectKind, operations, reviewCreate } from "../../src/schema/index.ts";
import { domainValues } from "../support/arbitraries.ts";
import { bare, isDomainValue, prototypes } from "../support/domain.ts";
import { figure } from "../support/soak.ts";
import { vectorKinds, wireErrors, wireVectors } from "../support/vectors.ts";

/** FUZZ_CASES=100000 for a long look. */
const numRuns = Number(process.env["FUZZ_CASES"] ?? 2000);

const kinds: Record<string, ObjectKind> = {
  ...vectorKinds,
  "due-card": dueCard,
  "review-create": reviewCreate,
  "cards-query": operations["cards.list"].query,
};
const perKind = { numRuns: Math.ceil(numRuns / Object.keys(kinds).length) };

const codecs = async () => ({ json: await loadCodec("json"), transit: await loadCodec("transit") });

/** The same text in the compact form, by transit-js itself. */
function compact(verbose: string): string {
  const keep = (tag: string) => (value: unknown) => transit.tagged(tag, value);
  const read = transit.reader("json", { handlers: { dt: keep("dt"), t: keep("t"), set: keep("set") } });
  return transit.writer("json").write(read.read(verbose));
}

/** Transit names some fields of bodies otherwise; they keep that name when they are read. */
function renamed(kind: ObjectKind, value: unknown): unknown {
  const names = kind.transitKeys ?? {};
  const map = Object.create(null) as Record<string, unknown>;
  for (const [key, field] of Object.entries(value as object))
    map[(Object.hasOwn(names, key) ? names[key] : undefined) ?? key] = field;
  return map;
}

describe("every domain document", () => {
  for (const [name, kind] of Object.entries(kinds)) {
    it(`of the kind ${name} comes back from both codecs as it was`, async () => {
      const { json, transit } = await codecs();
      const check = (value: unknown) => {
        deepStrictEqual(bare(json.decode(kind, json.encode(kind, value))), value);
        const verbose = transit.encode(kind, value);
        const expected = renamed(kind, value);
        deepStrictEqual(transit.decode(kind, verbose), expected);
        deepStrictEqual(transit.decode(kind, compact(verbose)), expected);
      };
      fc.assert(fc.property(domainValues(kind), check), perKind);
    }, 600_000);
  }
});

/**
 * The share of what it may take: 100 ms for each kilobyte that was begun. What seems slow is done again before it is
 * called so: the machine has other things to do, too, and compiles what it meets for the first time.
 */
function slowness(work: () => unknown, text: string): number {
  const limit = 100 * Math.ceil(Buffer.byteLength(text) / 1024 || 1);
  let share = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 3 && share > 0.5; attempt++) {
    const began = performance.now();
    work();
    share = Math.min(share, (performance.now() - began) / limit);
  }
  return share;
}

describe("any text", () => {
  const wires = [...wireVectors(), ...wireErrors().filter(({ name }) => name !== "error/deep")];
  const kind = fc.constantFrom(...Object.values(kinds));
  const codecName = fc.constantFrom("json" as const, "transit" as const);

  /** What decoding gives, or undefined for a CodecError; nothing else may be thrown. */
  function decoded(codec: Codec, kind: ObjectKind, text: string): unknown {
    try {
      return codec.decode(kind, text);
    } catch (error) {
      if (error instanceof CodecError) return undefined;
      throw error;
    }
  }

  async function holds(texts: fc.Arbitrary<string>): Promise<void> {
    const all = await codecs();
    const before = prototypes();
    let longest = 0;
    fc.assert(
      fc.property(codecName, kind, texts, (name, kind, text) => {
        const share = slowness(() => decoded(all[name], kind, text), text);
        longest = Math.max(longest, share);
        expect(share, "of the 100 ms that a kilobyte may take").toBeLessThan(1);
        const value = decoded(all[name], kind, text);
        expect(value === undefined || isDomainValue(value)).toBe(true);
        expect(prototypes()).toBe(before);
      }),
      { numRuns },
    );
    figure("decoding any text", { cases: numRuns, longestShareOfLimit: longest });
  }

  it("that is JSON is read or refused", () => holds(fc.json({ maxDepth: 6 })), 600_000);

  it("of transit's own tokens is read or refused", () => holds(transitTexts), 600_000);

  it("that differs a little from a true one is read or refused", async () => {
    await holds(mutated(wires.map(({ wire }) => wire)));
  }, 600_000);

  it("that repeats itself is read or refused, however long", async () => {
    const repeated = fc
      .tuple(fc.constantFrom(...repeats), fc.integer({ min: 1, max: 3000 }), fc.string({ maxLength: 3 }))
      .map(([[begin, part, end], times, more]) => `${begin}${part.repeat(times)}${more}${end}`);
    await holds(
      fc.oneof(
        repeated,
        transitTexts.map((text) => `[${`${text},`.repeat(50)}null]`),
      ),
    );
  }, 600_000);

  it("at all is read or refused", () => holds(fc.string({ unit: "binary" })), 600_000);
});

/** What takes longer than it should where something grows with the square of its length. */
const repeats: readonly (readonly [string, string, string])[] = [
  ["", "[", ""],
  ["", '{"a":', ""],
  ["[", "[],", "1]"],
  ["[", "1e999,", "1]"],
  ['["~#list",["', "^0", '"]]'],
  ['["', "~:", '"]'],
  ['["', "\\u0000", '"]'],
  ['{"id":"', "\\ud800", '"}'],
  ['{"~:tags":{"~#set":[', '"~:a",', '"~:b"]}}'],
  ['["~#cmap",[', '["^ "],1,', "null,1]]"],
  ['["^ ",', '"~:date","~t1",', '"a",1]'],
  ['{"~#dt":', '{"~#dt":', "1}}"],
  ['["', "~#set", '",[]]'],
  ['{"content":"', "<b>#a ", '"}'],
  ['{"created-at":{"date":"', "2024-01-01T", '"}}'],
  ['{"reviews":[', '{"date":{"date":"0"}},', "{}]}"],
];

/** JSON whose strings mean something in transit. */
const token = fc.oneof(
  fc.constantFrom("^ ", "^0", "^1", "^2", "^10", "^", "^zz", "~", "~~", "~^", "~`", "`"),
  fc.constantFrom(
    "~#set",
    "~#dt",
    "~#cmap",
    "~#list",
    "~#'",
    "~#i",
    "~#b",
    "~#?",
    "~#_",
    "~#link",
    "~#m",
    "~#t",
  ),
  fc.constantFrom("~#__proto__", "~#constructor", "~#toString", "~#valueOf", "~#unknown", "~#"),
  fc.constantFrom(
    "~:id",
    "~:tags",
    "~:reviews",
    "~:date",
    "~:created-at",
    "~:trashed?",
    "~:fields",
    "~:__proto__",
  ),
  fc.constantFrom("__proto__", "constructor", "date", "id", "tags", "then", "toJSON"),
  fc
    .tuple(
      fc.constantFrom(
        "_",
        "?",
        "i",
        "d",
        "b",
        "n",
        "f",
        "c",
        ":",
        "$",
        "r",
        "z",
        "m",
        "t",
        "u",
        "'",
        "x",
        "#",
      ),
      fc.constantFrom("", "0", "-7", "t", "NaN", "INF", "1.5", "soon", "99999999999999999999", "2024-02-31"),
    )
    .map(([type, rest]) => `~${type}${rest}`),
);
const transitTexts = fc
  .letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      fc.oneof(token, token, fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
      fc.tuple(token, tie("node")),
      fc.array(tie("node"), { maxLength: 5 }),
      fc.array(fc.tuple(token, tie("node")), { maxLength: 4 }).map((pairs) => ["^ ", ...pairs.flat()]),
      fc.dictionary(token, tie("node"), { maxKeys: 4 }),
    ),
  }))
  .node.map((node) => JSON.stringify(node));

/** One of the texts with a few characters taken out, put in, or moved over from another one. */
function mutated(texts: readonly string[]): fc.Arbitrary<string> {
  const insertion = fc.oneof(
    fc.constantFrom(...'{}[]",:~^#`\\ 0', "null", "1e999", "[[", '"~#set"', '"__proto__":1,', '"^0"'),
    fc.constantFrom(...texts),
    fc.string({ maxLength: 3 }),
  );
  const change = fc.record({ at: fc.nat(), cut: fc.nat({ max: 8 }), insertion });
  return fc
    .tuple(fc.constantFrom(...texts), fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([text, changes]) =>
      changes.reduce((result, { at, cut, insertion }) => {
        const start = at % (result.length + 1);
        return result.slice(0, start) + insertion + result.slice(start + cut);
      }, text),
    );
}
