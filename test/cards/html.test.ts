import { describe, expect, test } from "vitest";
import { contentFacts } from "../../src/cards/index.ts";
import { cardLinks } from "../../src/cards/links.ts";
import { parseSide } from "../../src/cards/parse.ts";
import { presentCard, sideAt } from "../../src/cards/passes.ts";
import { renderBlocks } from "../../src/output/markdown/index.ts";

const shown = (source: string, width = 60) =>
  renderBlocks(parseSide(source), { width, colour: 0, hyperlinks: false }).join("\n");
const coloured = (source: string) =>
  renderBlocks(parseSide(source), { width: 60, colour: 1, hyperlinks: false }).join("\n");

describe("<details> on the question of a review", () => {
  const closed = (source: string) =>
    renderBlocks(parseSide(source, { details: "closed" }), { width: 60, colour: 0, hyperlinks: false }).join(
      "\n",
    );

  test.each([
    ["a\n<details><summary>Tip</summary>b</details>\nc", "a\n\n▸ Tip\nc"],
    ["<details>\n<summary>Tip</summary>\n\n- b\n\n```\nb\n```\n\nb\n\n</details>\n\nc", "▸ Tip\n\nc"],
    ["<details><summary>**Tip**</summary>b <i>b</i> {{b}} ![](@media/b.png)", "▸ Tip"],
    ["<details><summary>1</summary>b<details><summary>b</summary>b</details>b</details>c", "▸ 1\nc"],
    ["`<details>` a", "<details> a"],
  ])("are closed: %j", (source, text) => {
    expect(closed(source)).toBe(text);
  });

  test("are closed until all is revealed", () => {
    const content = "a <details><summary>Tip</summary>[b](https://b.example)</details>\n---\nc";
    const { sides, passes } = presentCard({ card: { content } });
    const [pass] = passes;
    const [side] = sides;
    if (pass === undefined || side === undefined) throw new Error("a card has a side and a pass");
    const links = [0, 1].map((step) => cardLinks([sideAt(side, pass, { step })]).length);
    expect(links).toEqual([0, 1]);
  });
});

describe("HTML in a card", () => {
  test.each([
    ["a<br>b<br/>c<BR />d", "a\nb\nc\nd"],
    [
      "H<sub>2</sub>O, x<sup>n+1</sup>, 1<sup>st</sup>, a<sup>Q</sup>, b<sub>yz</sub>",
      "H₂O, xⁿ⁺¹, 1ˢᵗ, a^Q, b_(yz)",
    ],
    ["<s>old</s> <del>gone</del> <mark>new</mark>", "~~old~~ ~~gone~~ ==new=="],
    ["press <kbd>Ctrl</kbd>+<kbd>C</kbd>", "press [Ctrl]+[C]"],
    ["<ruby>漢字<rt>かんじ</rt></ruby>を", "漢字(かんじ)を"],
    ["<ruby>１<rt>ひと</rt></ruby>つ", "１(ひと)つ"],
    ["<ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp>京<rt>きょう</rt></ruby>", "東(とう)京(きょう)"],
    ["<ruby>東<rt>とう京<rt>きょう</ruby>", "東(とう京)(きょう)"],
    ["<font color=red>red</font> <span class='x'>plain</span>", "red plain"],
    ["a<!-- hidden -->b <script>x()</script><style>p{}</style>c", "ab c"],
    ["caf&eacute; &lt;b&gt; &#x1F600; &hearts; &unknown; &amp", "café <b> 😀 ♥ &unknown; &amp"],
    ["<div>one</div><div>two</div>", "one\ntwo"],
    ["<ul>\n  <li>one</li>\n  <li>two</li>\n</ul>", "• one\n• two"],
    ["<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "a │ b\n1 │ 2"],
    ["<details>\n<summary>Hint</summary>\nIt is *big*.\n</details>", "▾ Hint\nIt is big."],
    ["a<hr>b", "a\n———\nb"],
    ["<pre>  x &lt; 1\n<b>y</b></pre>", "    x < 1\n  y"],
    ["<p>first</p>\n\n<p>second</p>", "first\n\nsecond"],
    ["</b>a <b>b", "a b"],
    ["x < y and y > z", "x < y and y > z"],
  ])("shows %j as %j", (source, text) => {
    expect(shown(source)).toBe(text);
  });

  test("nests as in a browser and keeps markdown within it", () => {
    expect(coloured("<b>a <i>b</b> c</i>")).toBe("\x1b[1ma \x1b[22m\x1b[1m\x1b[3mb\x1b[23m\x1b[22m c");
    expect(coloured("<u>a **b**</u>")).toBe("\x1b[4ma \x1b[24m\x1b[1m\x1b[4mb\x1b[24m\x1b[22m");
    expect(coloured("<div>\n\n**a**\n\n</div>")).toBe("\x1b[1ma\x1b[22m");
  });

  test("has the attachment of a relative image, and no other", () => {
    const links = (content: string) => cardLinks(presentCard({ card: { content } }).sides);
    expect(shown('<img src="flag of x.svg" alt="The &amp; flag" />')).toBe("[image: The & flag]");
    expect(links("<img src='flag.svg'><img src=map.png alt=Map>")).toEqual([
      { kind: "attachment", target: "flag.svg", label: "flag.svg" },
      { kind: "attachment", target: "map.png", label: "Map" },
    ]);
    expect(
      links('<img src="https://x.y/z.png"><img src="/etc/x.png"><img src="../x.png"><img src="data:x">'),
    ).toEqual([{ kind: "link", target: "https://x.y/z.png", label: "https://x.y/z.png" }]);
  });

  test("has cloze deletions, tags and references that count", async () => {
    const content = "<div>\n<b>{{Oslo}}</b> [[abcdefgh]] #capital\n</div>";
    expect(presentCard({ card: { content } }).passes.map(({ kind }) => kind)).toEqual(["cloze"]);
    expect(await contentFacts(content)).toEqual({
      tags: ["capital"],
      references: ["abcdefgh"],
      name: "Oslo abcdefgh #capital",
    });
    expect((await contentFacts("<img src='x.png'>\n\n<b>Name</b>")).name).toBe("Name");
  });

  test("is left open without end to no effect", () => {
    expect(shown(`${"<b>".repeat(1000)}x`)).toBe("x");
    expect(shown("<ruby>a<rt>b")).toBe("a(b)");
  });
});

describe("furigana", () => {
  test("are text with its reading", () => {
    expect(shown("{漢字}(かんじ)を{読}(よ)む")).toBe("漢字(かんじ)を読(よ)む");
    expect(shown("**{漢字}(かんじ)** {{{日本}(にほん)}}")).toBe("漢字(かんじ) 日本(にほん)");
  });

  test("are only read for scripts that have them", () => {
    expect(shown("f{x}(y) and {1, 2}(3)")).toBe("f{x}(y) and {1, 2}(3)");
    expect(shown("{漢字} (かんじ) `{漢字}(かんじ)`")).toBe("{漢字} (かんじ) {漢字}(かんじ)");
  });
});

describe("footnotes", () => {
  test("are numbered by their first reference and come at the end", () => {
    expect(
      shown(
        "Second[^b], first[^a], again[^b].\n\n[^a]: The **first**.\n[^b]: The second\n  goes on.\n\nEnd.",
      ),
    ).toBe("Second¹, first², again¹.\n\nEnd.\n\n¹ The second\n  goes on.\n² The first.");
  });

  test("without a definition stay text", () => {
    expect(shown("a[^x] `[^y]`")).toBe("a[^x] [^y]");
  });
});
