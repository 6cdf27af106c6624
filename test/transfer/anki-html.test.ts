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
    ["<ruby>１<rt>ひと</rt></ruby>つ"],
    ["{漢字}(かんじ) H<sub>2n</sub> <u>under</u> <kbd>k</kbd>"],
  ])("%j is the same when it is read back", (markdown) => {
    expect(back(markdown)).toBe(markdown);
  });

  test.each([
    ["Rhine\n**Elbe**\nOder", "Rhine<br><b>Elbe</b><br>Oder", "Rhine  \n**Elbe**  \nOder"],
    ["one\ntwo\n\nthree", "<p>one<br>two</p>\n<p>three</p>", "one  \ntwo\n\nthree"],
    ["- a\n  b\n- c", "<ul><li>a<br>b</li><li>c</li></ul>", "-   a  \n    b\n-   c"],
  ])("has the lines that a review shows of %j, also when it is read back", (markdown, html, again) => {
    expect(toHtml(markdown, { media })).toBe(html);
    expect(back(markdown)).toBe(again);
    expect(back(again)).toBe(again);
  });

  test.each([
    [
      "River?\n<details><summary>hint</summary>starts with V</details>",
      "<p>River?</p>\n<details><summary>hint</summary>starts with V</details>",
      "River?\n\n<details><summary>hint</summary>starts with V</details>",
    ],
    [
      "one\n\n<details>\n<summary>a *b*</summary>\n\ntwo\n\n- c\n\n</details>\nend",
      "<p>one</p>\n<details><summary>a <i>b</i></summary>\n<p>two</p>\n<ul><li>c</li></ul>\n</details>end",
      "one\n\n<details><summary>a *b*</summary>\n\ntwo\n\n-   c\n\n</details>\n\nend",
    ],
    [
      "<details>\n\n```\na\n```\n\n</details>\n\nend",
      "<details>\n<pre><code>a</code></pre>\n</details>\n<p>end</p>",
      "<details>\n\n```\na\n```\n\n</details>\n\nend",
    ],
  ])("has a hint closed, as a review has, in %j, also when it is read back", (markdown, html, again) => {
    expect(toHtml(markdown, { media })).toBe(html);
    expect(back(markdown)).toBe(again);
    expect(back(again)).toBe(again);
  });

  test.each([
    ["<details><summary>a</details> b", "<details><summary>a</summary></details> b"],
    ["x <details><summary>a</summary> b", "x<details><summary>a</summary> b</details>"],
    ["a</details>b", "ab"],
  ])("has an end for each hint, and no other: %j", (markdown, html) => {
    expect(toHtml(markdown, { media }).replaceAll(/<br>|<\/?p>|\n/g, "")).toBe(html);
  });

  test("has no line for the tag of a condition that is alone on its line", () => {
    const placeholders = ["#Tip", "Tip", "/Tip"];
    const options = { media, placeholders, placeholder: (name: string) => `{{${name}}}` };
    expect(toHtml("Word\n<< #Tip >>\n<< Tip >>\n<< /Tip >>\nend", options)).toBe(
      "Word<br>{{#Tip}}{{Tip}}<br>{{/Tip}}end",
    );
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

describe("HTML as Anki's editor writes it", () => {
  const convert = (html: string) => new HtmlConverter().convert(html).markdown;

  test.each([
    ["nested emphasis", "<b><div><b>AV-Block (x)</b>:</div></b>", "**AV-Block (x):**"],
    ["highlights after each other", '<mark class="a">向</mark><mark class="b">量</mark>', "==向量=="],
    ["a line break at the end of an item", "<ul><li>a<br></li><li>b</li></ul>", "-   a\n-   b"],
    ["lists after each other", "<ul><li>a</li></ul><ul><li>b</li></ul>", "-   a\n-   b"],
    [
      "lists after each other in elements",
      "<ul><li>a</li></ul><div><ul><li>b</li></ul></div>",
      "-   a\n-   b",
    ],
    ["a heading of two lines", "<h3>a <br>1.b</h3>", "### a<br>1.b"],
    ["an indented line", "a<br>&nbsp; &nbsp;--&gt; b", "a  \n\u00a0\u00a0\u00a0--> b"],
    ["blanks before a line break", "a &nbsp;&nbsp;<br>b", "a  \nb"],
    ["a blank at the start of a paragraph", "<p>a</p><p>&nbsp;b</p>", "a\n\nb"],
    [
      "a paragraph in an item",
      "<ul><li><p>a</p></li><li><p>b</p><p>c</p></li></ul>",
      "-   a\n-   b\n    \n    c",
    ],
  ])("with %s is the same when it is exported and read back", (_what, html, markdown) => {
    expect(convert(html)).toBe(markdown);
    expect(back(markdown)).toBe(markdown);
  });

  test("is the same when it is exported and read back, whatever elements are in it", () => {
    const text = fc.constantFrom("a", "word", "end.", " ", "&nbsp;", "&lt;z", "*", "日本", "(b)", ",");
    const words = fc.constantFrom("a", "two words", "end.", "日本", "(b)");
    const inline = fc.oneof(
      text,
      fc.constantFrom("<br>", "<br><br>", '<img src="x.png">', "<span>s</span>", "<b>b <b>c</b></b>"),
      fc
        .tuple(fc.constantFrom("b", "i", "u", "mark", "sub", "span"), words)
        .map(([tag, one]) => `<${tag}>${one}</${tag}>`),
    );
    const inlines = fc.array(inline, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));
    const block = fc.oneof(
      inlines,
      fc.tuple(fc.constantFrom("div", "p", "h3"), inlines).map(([tag, inner]) => `<${tag}>${inner}</${tag}>`),
      fc
        .tuple(fc.constantFrom("ul", "ol"), fc.array(inlines, { minLength: 1, maxLength: 3 }))
        .map(([tag, items]) => `<${tag}>${items.map((each) => `<li>${each}</li>`).join("")}</${tag}>`),
    );
    const html = fc.array(block, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(html, (any) => {
        const markdown = convert(any);
        expect(back(markdown)).toBe(markdown);
      }),
      { seed: 20_262, numRuns: Number(process.env["HTML_RUNS"] ?? 300) },
    );
  });
});
