import fc from "fast-check";
import { expect, test } from "vitest";
import { foldedForm, joinPath, splitPath } from "../../src/decks/match.ts";

test("a path of any names is read back as those names", () => {
  const name = fc.string({ unit: fc.constantFrom("/", "\\", "a", "b", "é") });
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), (names) => {
      // A backslash at the end of a name would escape the slash behind it.
      fc.pre(names.every((each) => !/\\(\/|$)/.test(each)));
      expect(splitPath(joinPath(names))).toEqual(names);
    }),
  );
});

test.each([
  ["a/b", ["a", "b"]],
  ["a\\/b", ["a/b"]],
  ["a\\b", ["a\\b"]],
  ["a/", ["a", ""]],
  ["", [""]],
] as [string, string[]][])("%j is %j", (path, names) => {
  expect(splitPath(path)).toEqual(names);
});

test("every letter is folded as its upper and its lower case are", () => {
  for (let code = 0; code < 0x20000; code++) {
    const letter = code >= 0xd800 && code < 0xe000 ? "" : String.fromCodePoint(code);
    const folded = foldedForm(letter);
    const others = [folded, letter.toUpperCase(), letter.toLowerCase(), letter.normalize("NFD")];
    if (others.some((other) => foldedForm(other) !== folded)) expect.fail(`${letter} (${code.toString(16)})`);
  }
});

test("folding a name again changes nothing", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(foldedForm(foldedForm(text))).toBe(foldedForm(text));
      expect(foldedForm(text.normalize("NFD"))).toBe(foldedForm(text));
    }),
  );
});
