import { beforeAll, describe, expect, it } from "vitest";
import { CodecError, deepestNesting, loadCodec } from "../../src/codecs/index.ts";
import { card } from "../../src/schema/index.ts";
import { cpuTimeOf, leastBelow } from "../support/cpu-time.ts";
import { prototypes } from "../support/domain.ts";

const size = 1 << 20;

/** `open`, then items up to a mebibyte, then `close`. */
function filled(open: string, item: (index: number) => string, close: string): string {
  const parts: string[] = [];
  for (let length = open.length + close.length; length < size; length += (parts.at(-1) ?? "").length + 1)
    parts.push(item(parts.length));
  return open + parts.join(",") + close;
}

/** Different strings that transit-js gives one hash: "Aa" and "BB" are alike to it. */
const colliding = (index: number) =>
  Array.from({ length: 16 }, (_, bit) => ((index >> bit) & 1 ? "BB" : "Aa")).join("");

const documents = {
  "a set whose strings collide": filled('{"~:tags":{"~#set":[', (i) => `"${colliding(i)}"`, "]}}"),
  "a set of numbers that collide": filled('{"~:tags":{"~#set":[', (i) => String(i * 65_536), "]}}"),
  "a set of digits that collide": filled('{"~:tags":{"~#set":[', (i) => `"${i * 65_536}"`, "]}}"),
  "a map whose keys collide": filled('["^ ","~:x",["^ ",', (i) => `"~:${colliding(i)}",1`, "]]"),
  "a map with keys of digits": filled('{"~:x":{', (i) => `"${i * 65_536}":1`, "}}"),
  "a cmap whose keys collide": filled('{"~:x":{"~#cmap":[', (i) => `"${colliding(i)}",1`, "]}}"),
  "maps that are all different": filled('{"~:x":[', (i) => `{"~:key${i}":1}`, "]}"),
  "tags that are all different": filled('{"~:x":[', (i) => `["~#tag${i}",1]`, "]}"),
  "lists nested to the limit": filled('{"~:x":[', () => "[".repeat(190) + "]".repeat(190), "]}"),
  "a number of a million digits": `{"~:x":"~n${"1".repeat(size)}"}`,
  "a decimal that is none at its end": `{"~:x":"~f${"1".repeat(size)}x"}`,
  "an instant of a million digits": `{"~:x":"~t${"1".repeat(size)}"}`,
  "lists nested half a million deep": "[".repeat(size / 2) + "]".repeat(size / 2),
  "maps nested very deep": `${'{"~:a":'.repeat(size / 8)}1${"}".repeat(size / 8)}`,
};

/** What each codec needs for a mebibyte of small lists: how quick this machine is, whatever else it does. */
const ordinary = { json: 0, transit: 0 };

async function decodingTime(codecName: "json" | "transit", text: string): Promise<number> {
  const codec = await loadCodec(codecName);
  return cpuTimeOf(() => {
    try {
      codec.decode(card, text);
    } catch (error) {
      expect(error).toBeInstanceOf(CodecError);
    }
  });
}

describe("a hostile mebibyte", () => {
  beforeAll(async () => {
    const lists = filled('{"~:x":[', () => "[[]]", "]}");
    for (const codecName of ["json", "transit"] as const)
      ordinary[codecName] = await decodingTime(codecName, lists);
  });

  for (const codecName of ["json", "transit"] as const)
    for (const [what, text] of Object.entries(documents))
      it(`of ${codecName}, ${what}, is read or refused in a moment`, async () => {
        const before = prototypes();
        // It takes at most four times as long; stock transit-js takes up to 15 seconds, fifty times.
        const limit = 20 * ordinary[codecName];
        expect(await leastBelow(limit, () => decodingTime(codecName, text))).toBeLessThan(limit);
        expect(prototypes()).toBe(before);
      });
});

describe("writing", () => {
  const wrappings: [string, (value: unknown) => unknown][] = [
    ["lists", (value) => [value]],
    ["maps", (value) => ({ a: value })],
  ];
  for (const codecName of ["json", "transit"] as const)
    for (const [what, wrap] of wrappings)
      it(`${what} as ${codecName} goes as deep as reading does`, async () => {
        const codec = await loadCodec(codecName);
        let value: unknown = 1;
        for (let depth = 1; depth < deepestNesting; depth++) value = wrap(value);
        const document = { unknown: value };
        expect(codec.decode(card, codec.encode(card, document))).toEqual(document);
        expect(() => codec.encode(card, { unknown: wrap(value) })).toThrow(
          `nested more than ${deepestNesting} levels deep`,
        );
      });
});
