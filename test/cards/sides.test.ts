import fc from "fast-check";
import { expect, test } from "vitest";
import { joinSides, splitSides } from "../../src/cards/sides.ts";

test("ends a side at a line of exactly three dashes", () => {
  expect(splitSides("Q\n---\nA\n---\nmore")).toEqual(["Q", "A", "more"]);
  expect(splitSides("Q\r\n---\r\nA")).toEqual(["Q", "A"]);
  expect(splitSides("Q\n\n---\n\nA\n")).toEqual(["Q\n", "\nA\n"]);
  expect(splitSides("---\nA")).toEqual(["", "A"]);
  expect(splitSides("Q\n---")).toEqual(["Q", ""]);
  expect(splitSides("")).toEqual([""]);
});

test("takes other lines of dashes for text", () => {
  for (const line of ["----", "--", " ---", "--- ", "- - -", "---a", "***"]) {
    expect(splitSides(`Q\n${line}\nA`)).toHaveLength(1);
  }
});

test("takes three dashes in a code fence for text", () => {
  expect(splitSides("```\n---\n```\n---\nA")).toEqual(["```\n---\n```", "A"]);
  expect(splitSides("~~~yaml\n---\n```\n---\n~~~~\n---\nA")).toHaveLength(2);
  expect(splitSides("````\n```\n---\n````\n---\nA")).toEqual(["````\n```\n---\n````", "A"]);
  expect(splitSides("```\n---\nnever closed")).toHaveLength(1);
});

test("takes no inline code for a fence", () => {
  expect(splitSides("```code``` is inline\n---\nA")).toHaveLength(2);
  expect(splitSides("    ```\n---\nA")).toHaveLength(2);
});

const line = fc.oneof(
  fc.constantFrom("---", "----", "```", "~~~", "````", "```js", "a", "", " ---"),
  fc.string(),
);
const content = fc
  .array(fc.tuple(line, fc.constantFrom("\n", "\r\n")), { maxLength: 12 })
  .map((parts) => parts.flat().join(""));

test("loses nothing but the separating lines", () => {
  fc.assert(
    fc.property(content, (text) => {
      const [first = "", ...others] = splitSides(text);
      expect(text.startsWith(first)).toBe(true);
      let rest = text.slice(first.length);
      for (const side of others) {
        const separated = rest.replace(/^(\r?\n)?---(\r?\n)?/, "");
        expect(separated).not.toBe(rest);
        expect(separated.startsWith(side)).toBe(true);
        rest = separated.slice(side.length);
      }
      expect(rest).toBe("");
    }),
  );
});

test("joined with separators, sides split again into the same sides", () => {
  fc.assert(
    fc.property(content, (text) => {
      const sides = splitSides(text);
      expect(splitSides(sides.join("\n---\n"))).toEqual(sides);
    }),
  );
});

test.each([
  ["```js\ncode", "```js\ncode\n```"],
  ["~~~~\n~~~", "~~~~\n~~~\n~~~~"],
  ["```\nclosed\n```", "```\nclosed\n```"],
  ["no code", "no code"],
  ["```\r\ncode\r\n", "```\r\ncode\r\n\n```"],
])("joins a side to the next one that it would take in with an open code block: %j", (side, closed) => {
  expect(joinSides([side, "back"])).toBe(`${closed}\n---\nback`);
  expect(splitSides(joinSides([side, "middle", "back"]))).toEqual([closed, "middle", "back"]);
  // The last side takes in nothing.
  expect(joinSides(["front", side])).toBe(`front\n---\n${side}`);
});
