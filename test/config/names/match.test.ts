import fc from "fast-check";
import { expect, test } from "vitest";
import { distance, foldedForm, joinPath, nearest, splitPath } from "../../../src/config/names/match.ts";

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

test("folding a name again changes nothing", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(foldedForm(foldedForm(text))).toBe(foldedForm(text));
      expect(foldedForm(text.normalize("NFD"))).toBe(foldedForm(text));
    }),
  );
});

test.each([
  ["spanish", "spansih", 1],
  ["kitten", "sitting", 3],
  ["", "abc", 3],
  ["abc", "abc", 0],
])("%s and %s differ in %d letters", (a, b, letters) => {
  expect(distance(a, b, 5)).toBe(letters);
  expect(distance(b, a, 5)).toBe(letters);
});

test("the nearest names are the most alike, three at most", () => {
  const items = ["Spanish", "Spanish verbs", "Danish", "Polish", "German", "Spain"].map((name) => ({ name }));
  const names = (text: string) => nearest(text, items).map(({ name }) => name);
  expect(names("Spansh")).toEqual(
    ["Spanish", "Danish", "Spain"].filter((name) => names("Spansh").includes(name)),
  );
  expect(names("Spansh")[0]).toBe("Spanish");
  expect(names("verbs")).toEqual(["Spanish verbs"]);
  expect(names("xyzzy")).toEqual([]);
});
