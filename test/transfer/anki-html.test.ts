import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapeText } from "../../src/transfer/formats/anki/escape.ts";
import { HtmlConverter } from "../../src/transfer/formats/anki/html.ts";
import { toHtml } from "../../src/transfer/formats/anki/to-html.ts";

const media = (name: string) => name;
const back = (markdown: string) => new HtmlConverter().convert(toHtml(markdown, { media })).markdown;

describe("markdown that becomes HTML for Anki", () => {
  test.each([
    ["**a** *b* ~~c~~ ==d== `e < f`"],
    ["$a_b < c$ and $$\\frac{1}{2}$$"],
    ["several   blanks"],
    ["# Heading\n\ntext  \nbroken"],
    ["> quoted\n\n1.  one\n2.  two"],
    ["```js\nif (a < b) {{\n}}\n```"],
    ["| a | b |\n| --- | --- |\n| 1 | 2\\|3 |"],
    ["[link](<https://a.b/c?d=1&e=2>) ![alt](@media/a%20b.png)"],
    ["{漢字}(かんじ) H<sub>2n</sub> <u>under</u> <kbd>k</kbd>"],
  ])("%j is the same when it is read back", (markdown) => {
    expect(back(markdown)).toBe(markdown);
  });

  test("keeps any text, whatever characters it has", () => {
    const text = fc
      .string({ unit: fc.constantFrom(..."ab 1{}[]()<>&;:#$*_~=`\\|\"'!@/.-+^", "é", "日", "👩") })
      .map((any) => any.trim())
      .filter((any) => any !== "");
    fc.assert(
      fc.property(text, (any) => {
        expect(back(escapeText(any))).toBe(escapeText(any));
      }),
      { seed: 20_260, numRuns: 500 },
    );
  });

  test("has no part that Anki would read as a field or a deletion", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("{", "}", "c1::", "a", "#", "^", "/", "\\", "`") }),
        (any) => {
          expect(toHtml(any, { media })).not.toMatch(/\{\{|\}\}/);
        },
      ),
      { seed: 20_261, numRuns: 500 },
    );
  });
});
