import fc from "fast-check";
import { expect, test } from "vitest";
import { fillSides, unknownPlaceholders } from "../../src/cards/template.ts";

const fields = {
  name: { id: "name", name: "Country", type: "text" },
  cap: { id: "cap", name: "Capital city" },
  big: { id: "big", name: "Big?", type: "boolean" },
  say: { id: "say", name: "Sound", type: "speech" },
};
const values = (entries: Record<string, string>) =>
  Object.fromEntries(Object.entries(entries).map(([id, value]) => [id, { id, value }]));
const filled = (content: string, entries: Record<string, string>) =>
  fillSides(content, fields, values(entries)).sides.join("|");

test("fills placeholders by name, by id and in another case, with or without spaces", () => {
  expect(
    filled("<< Country >>: <<Capital city>>, <<cap>>, << COUNTRY >>", { name: "France", cap: "Paris" }),
  ).toBe("France: Paris, Paris, France");
});

test("fills an empty field with nothing and leaves what names no field", () => {
  expect(filled("[<<Country>>] << Nope >> << <b> >> a << b", {})).toBe("[] << Nope >> << <b> >> a << b");
});

test("shows conditionals by whether the field has a value", () => {
  const template = "a<<#Country>>[<<Country>>]<</Country>><< ^Country >>none<< / Country >>z";
  expect(filled(template, { name: "France" })).toBe("a[France]z");
  expect(filled(template, { name: "  " })).toBe("anonez");
  expect(filled("<<#Nope>>x<</Nope>><<^Nope>>y<</Nope>>", {})).toBe("y");
});

test("takes a boolean for true or false", () => {
  expect(filled("<<#Big?>>yes<</Big?>><<^Big?>>no<</Big?>>", { big: "true" })).toBe("yes");
  expect(filled("<<#Big?>>yes<</Big?>><<^Big?>>no<</Big?>>", { big: "false" })).toBe("no");
  expect(filled("<<#Big?>>yes<</Big?>><<^Big?>>no<</Big?>>", {})).toBe("no");
});

test("nests conditionals and leaves one without its end as text", () => {
  const nested = "<<#Country>>a<<#cap>>b<</cap>>c<</Country>>d";
  expect(filled(nested, { name: "x", cap: "y" })).toBe("abcd");
  expect(filled(nested, { name: "x" })).toBe("acd");
  expect(filled(nested, { cap: "y" })).toBe("d");
  expect(filled("a<<#Country>>b<</cap>>c", {})).toBe("a<<#Country>>b<</cap>>c");
  expect(filled("a<<#Country>>b<<#cap>>c<</Country>>d", {})).toBe("ad");
});

test("keeps the line break after an empty conditional that begins in a line with text", () => {
  const template = "<<Country>> <<#cap>>\n(<<cap>>)\n<</cap>>\n---\nback";
  expect(filled(template, { name: "q" })).toBe("q |back");
  expect(filled(template, { name: "q", cap: "c" })).toBe("q \n(c)|back");
  expect(filled(template.replaceAll("\n", "\r\n"), { name: "q" })).toBe("q |back");
  expect(
    filled("<<#Country>>x<</Country>> <<#cap>>\n<<#Big?>>\ny\n<</Big?>>\n<</cap>>\n---\nback", { name: "q" }),
  ).toBe("x |back");
});

test("leaves no blank line where an empty conditional has the whole line", () => {
  expect(filled("a\n<<#cap>>\nb\n<</cap>>\nc", {})).toBe("a\nc");
  expect(filled("<<#cap>>\nb\n<</cap>>\nc", {})).toBe("c");
  expect(filled("<<#Country>>a\n<</Country>><<#cap>>\nb\n<</cap>>\nc", { name: "q" })).toBe("a\nc");
});

test("removes the whole line of a conditional's tag that stands alone", () => {
  expect(filled("- a\n<<#Country>>\n- <<Country>>\n<</Country>>\n- z", { name: "b" })).toBe("- a\n- b\n- z");
  expect(filled("- a\r\n  <<#Country>>  \r\n- <<Country>>\r\n<</Country>>", {})).toBe("- a\r\n");
});

test("never fills placeholders that come from a value", () => {
  expect(filled("<<Country>><<cap>>", { name: "<<cap>>", cap: "<< Country >>" })).toBe(
    "<<cap>><< Country >>",
  );
  expect(filled("<<Country>>cap>>", { name: "<<", cap: "x" })).toBe("<<cap>>");
});

test("leaves a field that the app makes to be shown by its name", () => {
  expect(fillSides("<<say>>\n---\n<< Sound >>", fields, {})).toEqual({
    sides: ["<< Sound >>", "<< Sound >>"],
    placeholders: ["Sound"],
  });
  expect(fillSides("<<say>>", fields, values({ say: "![](@media/a.mp3)" }))).toEqual({
    sides: ["![](@media/a.mp3)"],
    placeholders: [],
  });
});

test("splits sides where the template says, not where a value does", () => {
  const sides = (content: string, entries: Record<string, string>) =>
    fillSides(content, fields, values(entries)).sides;
  expect(sides("<<Country>>\n---\n<<cap>>", { name: "a\n---\nb", cap: "---" })).toEqual(["a\n---\nb", "---"]);
  expect(sides("<<Country>>\n---\n<<cap>>", { name: "```\nopen", cap: "x" })).toEqual(["```\nopen", "x"]);
  expect(sides("-<<Country>>\n<<Country>>---\nx", { name: "--" })).toHaveLength(1);
  expect(sides("<<Country>>\n<<#cap>>\n---\n<<cap>>\n<</cap>>", { name: "q" })).toEqual(["q\n"]);
  expect(sides("<<Country>>\n<<#cap>>\n---\n<<cap>>\n<</cap>>", { name: "q", cap: "a" })).toEqual([
    "q",
    "a\n",
  ]);
  expect(sides("```\n<<Country>>\n---\n```\n---\nx", { name: "```" })).toHaveLength(2);
});

test("names the placeholders that no field has", () => {
  expect(unknownPlaceholders("<<Country>> << Nope >> <<#Other>>x<</Other>> <<cap>>", fields)).toEqual([
    "Nope",
    "Other",
  ]);
});

test("is the template's own text around the values, whatever they hold", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), (first, second) => {
      expect(filled("a<<Country>>b<<cap>>c", { name: first, cap: second })).toBe(`a${first}b${second}c`);
      const { sides } = fillSides("<<Country>>\n---\n<<cap>>", fields, values({ name: first, cap: second }));
      expect(sides).toEqual([first, second]);
    }),
  );
});

test("fills a hostile template in time that grows with its length", () => {
  const started = performance.now();
  for (const part of [
    "<<#a>>",
    "<< ",
    "<<#a>><</b>>",
    "<</name>>",
    "<<#name>>x<</name>>",
    "<<   \t ",
    "<<#name>>\n",
  ]) {
    const content = part.repeat(Math.ceil(500_000 / part.length));
    fillSides(content, fields, values({ name: "x" }));
  }
  expect(performance.now() - started).toBeLessThan(5000);
});

test("a long value that a template shows over and over again does not fill the memory", () => {
  const long = "x".repeat(1_000_000);
  const { sides } = fillSides(`${"<< name >>\n".repeat(20_000)}end`, fields, values({ name: long }));
  const text = sides.join("");
  expect(text.length).toBeLessThan(21_000_000);
  expect(text.startsWith(`${long}\n`)).toBe(true);
  expect(text.endsWith("…\n…\nend")).toBe(true);
  const loud = { say: { id: "say", name: long, type: "speech" } };
  expect(fillSides("<< say >>".repeat(20_000), loud, {}).sides.join("").length).toBeLessThan(21_000_000);
});
