import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSide } from "../../../src/cards/parse.ts";
import { type Pass, type Presentation, presentCard, stepAt } from "../../../src/cards/passes.ts";
import { type RenderOptions, renderBlocks, renderCard } from "../../../src/output/markdown/index.ts";
import { displayWidth } from "../../../src/output/width.ts";

const bare: RenderOptions = { width: 40, colour: 0, hyperlinks: false };
const render = (source: string, options: Partial<RenderOptions> = {}) =>
  renderBlocks(parseSide(source, { placeholders: ["Sound"] }), { ...bare, ...options });
const colours = { colour: 1 } as const;

function firstShown(card: Presentation, pass: Pass, step: number): string | undefined {
  const [shown] = stepAt(pass, step);
  const blocks = card.sides[shown?.index ?? -1]?.blocks ?? [];
  return renderBlocks(blocks, { ...bare, cloze: shown?.cloze })[0];
}

describe("blocks", () => {
  test("are wrapped at spaces, with a blank line between them", () => {
    expect(
      render("# A title\n\nThe quick brown fox jumps over the lazy dog.\n\nline one\nline two  \nline three"),
    ).toEqual([
      "A title",
      "",
      "The quick brown fox jumps over the lazy",
      "dog.",
      "",
      "line one",
      "line two",
      "line three",
    ]);
  });

  test("are wrapped between the characters of scripts without spaces, but never within a word and its reading", () => {
    expect(render("{日本語}(にほんご)を{勉強}(べんきょう)します。", { width: 28 })).toEqual([
      "日本語(にほんご)を",
      "勉強(べんきょう)します。",
    ]);
    expect(render("これは**とても長い文**です。(たぶん)C++と**Java**を使う。", { width: 24 })).toEqual([
      "これはとても長い文です。",
      "(たぶん)C++とJavaを使",
      "う。",
    ]);
  });

  test("draw lists, tasks and quotes set in", () => {
    expect(
      render(
        "9. nine\n10. ten\n    - sub item that is long enough to be wrapped\n      - deep\n- [x] done\n- [ ] to do",
      ),
    ).toEqual([
      " 9. nine",
      "10. ten",
      "    ◦ sub item that is long enough to be",
      "      wrapped",
      "      ▪ deep",
      "",
      "• [x] done",
      "• [ ] to do",
    ]);
    expect(render("- a\n\n- b")).toEqual(["• a", "", "• b"]);
    expect(render("> a\n>\n> > b\n> - c")).toEqual(["│ a", "│", "│ │ b", "│", "│ • c"]);
    expect(render("-\n- a")).toEqual(["•", "• a"]);
  });

  test("draw rules over the width and show what HTML means", () => {
    expect(render("----", { width: 20 })).toEqual(["╌".repeat(20)]);
    expect(render("<div>\n  <b>x</b>\n</div>")).toEqual(["x"]);
  });

  test("keep the lines of code, tabs on their stops, and cut what is too wide", () => {
    expect(render("```\na\tb\n\n  c\n```")).toEqual(["  a   b", "", "    c"]);
    expect(render(`\`\`\`\n${"x".repeat(30)}\n\`\`\``, { width: 22 })).toEqual([
      `  ${"x".repeat(20)}`,
      `  ${"x".repeat(10)}`,
    ]);
  });

  test("set the tabs of coloured code on their stops, too", () => {
    expect(render("```py\nx = 1\t# one\ny = 'ab'\t# two\n```")).toEqual([
      "  x = 1   # one",
      "  y = 'ab'    # two",
    ]);
  });

  test("show LaTeX with Unicode characters", () => {
    expect(
      render("$\\alpha^2 \\leq \\frac{1}{2} x_{10} \\in \\mathbb{R}, 90^\\circ \\text{ if } a^{bQ}$"),
    ).toEqual(["α² ≤ ½x₁₀ ∈ ℝ, 90° if a^(bQ)"]);
    expect(render("$$\n\\sum_{i=1}^n\n$$")).toEqual(["  ∑ᵢ₌₁ⁿ"]);
  });
});

describe("tables", () => {
  const table = "| Country | Capital |\n|:--|--:|\n| France | **Paris** |\n| 日本 | 東京 |";

  test("are aligned by display width", () => {
    expect(render(table)).toEqual([
      "Country │ Capital",
      "────────┼────────",
      "France  │   Paris",
      "日本    │    東京",
    ]);
  });

  test("wrap the cells of the widest columns to fit", () => {
    expect(render("|a|long text|\n|-|-|\n|1|the quick brown fox jumps|", { width: 20 })).toEqual([
      "a │ long text",
      "──┼─────────────────",
      "1 │ the quick brown",
      "  │ fox jumps",
    ]);
  });

  test("become rows with names where the columns cannot fit", () => {
    const wide = `|${"name|".repeat(4)}\n|${"-|".repeat(4)}\n|${"some value|".repeat(4)}`;
    expect(render(wide, { width: 20 })).toEqual(Array(4).fill("name: some value"));
  });
});

describe("wrapping", () => {
  test("fills a line to its last column", () => {
    expect(render("aaaaaaaaaa bbbbbbbbb", { width: 20 })).toEqual(["aaaaaaaaaa bbbbbbbbb"]);
    expect(render("aaaaaaaaaa bbbbbbbbbb", { width: 20 })).toEqual(["aaaaaaaaaa", "bbbbbbbbbb"]);
  });

  test("counts columns of wide, joined and combining characters", () => {
    expect(render("日本語の文章は、どこでも改行できます。", { width: 20 })).toEqual([
      "日本語の文章は、どこ",
      "でも改行できます。",
    ]);
    expect(render(`${"👩‍👩‍👧‍👦".repeat(12)}`, { width: 20 })).toEqual([
      "👩‍👩‍👧‍👦".repeat(10),
      "👩‍👩‍👧‍👦".repeat(2),
    ]);
    expect(render("e\u0301".repeat(25), { width: 20 })).toEqual(["e\u0301".repeat(20), "e\u0301".repeat(5)]);
  });

  test("begins no line with closing punctuation", () => {
    expect(render("一二三四五六七八九。十", { width: 20 })[1]?.startsWith("。")).toBe(false);
    expect(render("一二三四五六七八九十。十", { width: 20 })).toEqual(["一二三四五六七八九", "十。十"]);
  });

  test("keeps a word together over changes of style, and cuts one that is wider than a line", () => {
    expect(render("aaaa bbbbbbbb**cccccccc**d", { width: 20 })).toEqual(["aaaa", "bbbbbbbbccccccccd"]);
    expect(render(`x ${"a".repeat(45)}`, { width: 20 })).toEqual([
      "x",
      "a".repeat(20),
      "a".repeat(20),
      "aaaaa",
    ]);
  });
});

describe("links, images and references", () => {
  test("are hyperlinks where the terminal has them, http and https only", () => {
    expect(render("[wiki](https://x.y/a) b", { hyperlinks: true })).toEqual([
      "\x1b]8;;https://x.y/a\x1b\\wiki\x1b]8;;\x1b\\ b",
    ]);
    expect(render("[a](javascript:alert) [b](file:///etc/x)", { hyperlinks: true }).join(" ")).not.toContain(
      "\x1b",
    );
  });

  test("show their URL elsewhere, and where the text claims another one", () => {
    expect(render("[wiki](https://x.y/a) https://z.z <a@b.c>")).toEqual([
      "wiki (https://x.y/a) https://z.z a@b.c",
    ]);
    expect(
      render("[https://bank.example](https://evil.example)", { hyperlinks: true, width: 80 }).join(""),
    ).toContain("(https://evil.example)");
  });

  test("name images by their alt text or file", () => {
    expect(
      render(
        "![A map](@media/m.png) ![](@media/a%20b.png)\n![](https://x.y/p/q.png?s=1)\n![](@media/s.mp3) ![]()",
      ),
    ).toEqual(["[image: A map] [image: a b.png]", "[image: q.png]", "[audio: s.mp3] [image]"]);
  });

  test("name cards by title, known name or id", () => {
    const cardName = (id: string) => (id === "id1" ? "France" : undefined);
    expect(render("[[id1]] [[T|id1]] [[id2]] ![[id1]] ![[id2/1]]", { cardName, width: 80 })).toEqual([
      "[[France]] [[T]] [[id2]] [card: France] [card: id2, side 1]",
    ]);
  });

  test("show tags, and fields without a value by name", () => {
    expect(render("#tag << Sound >> << other >>")).toEqual(["#tag [Sound] << other >>"]);
    expect(render("<< Sound >>", colours)).toEqual(["\x1b[2m[Sound]\x1b[22m"]);
  });
});

describe("colours", () => {
  test("are escape sequences that end on their line", () => {
    expect(render("# T", colours)).toEqual(["\x1b[1m\x1b[4mT\x1b[24m\x1b[22m"]);
    expect(render("*a* **b** ~~c~~ ==d== `e`", colours)).toEqual([
      "\x1b[3ma\x1b[23m \x1b[1mb\x1b[22m \x1b[9mc\x1b[29m \x1b[43m\x1b[30md\x1b[39m\x1b[49m \x1b[36me\x1b[39m",
    ]);
    expect(render(`**${"word ".repeat(10)}end**`, { ...colours, width: 20 })).toEqual([
      "\x1b[1mword word word word\x1b[22m",
      "\x1b[1mword word word word\x1b[22m",
      "\x1b[1mword word end\x1b[22m",
    ]);
  });

  test("mark comments, strings, numbers and keywords of code", () => {
    const code = (language: string, text: string) =>
      render(`\`\`\`${language}\n${text}\n\`\`\``, { ...colours, width: 80 }).map((line) => line.slice(2));
    expect(code("ts", "const a1 = 'x\\'y'; // c 1")).toEqual([
      "\x1b[35mconst\x1b[39m a1 = \x1b[32m'x\\'y'\x1b[39m; \x1b[90m// c 1\x1b[39m",
    ]);
    expect(code("python", '"""a\nb""" if 0x1f')).toEqual([
      '\x1b[32m"""a\x1b[39m',
      '\x1b[32mb"""\x1b[39m \x1b[35mif\x1b[39m \x1b[33m0x1f\x1b[39m',
    ]);
    expect(code("sql", "Select x -- y")).toEqual(["\x1b[35mSelect\x1b[39m x \x1b[90m-- y\x1b[39m"]);
    expect(code("diff", "+a\n-b\n c")).toEqual(["\x1b[32m+a\x1b[39m", "\x1b[31m-b\x1b[39m", " c"]);
    expect(code("html", "<p class='a'>x</p>")).toEqual([
      "\x1b[35m<p\x1b[39m class=\x1b[32m'a'\x1b[39m\x1b[35m>\x1b[39mx\x1b[35m</p>\x1b[39m",
    ]);
    expect(code("unknown", "const a = 1")).toEqual(["const a = 1"]);
  });

  test("are absent at level 0, where marks say what is struck out or revealed", () => {
    expect(render("**a** ~~b~~ {{c}}", { cloze: { group: null, hidden: false } })).toEqual(["a ~~b~~ [c]"]);
  });
});

describe("cards", () => {
  const card = presentCard({ card: { content: "{{1::a}} is {{2::bb}} and {{ccc}}\n---\nback {{1::x}}" } });

  test("hide the deletions of the group that is asked, always at the same length", () => {
    const steps = card.passes.map((pass) =>
      Array.from({ length: pass.steps }, (_, step) => firstShown(card, pass, step)),
    );
    expect(steps).toEqual([
      ["a is bb and […]", "a is bb and [ccc]", "a is bb and [ccc]"],
      ["[…] is bb and ccc", "[a] is bb and ccc", "[a] is bb and ccc"],
      ["a is […] and ccc", "a is [bb] and ccc", "a is [bb] and ccc"],
    ]);
  });

  test("show their sides with a rule between them", () => {
    expect(renderCard(card, bare)).toEqual(["a is bb and ccc", "", "─".repeat(40), "", "back x"]);
  });
});

const ours = /\x1b\[[\d;]*m|\x1b\]8;;[\x21-\x7e]*\x1b\\/g;
const control = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const part = fc.oneof(
  fc.constantFrom(
    "{{",
    "}}",
    "==",
    "[[a]]",
    "![x](y)",
    "[a](https://x.y)",
    "$",
    "#t",
    "`",
    "```",
    "~~",
    "**",
    "*",
    "_",
    "> ",
    "- ",
    "1. ",
  ),
  fc.constantFrom(
    "\n",
    "\n\n",
    "| a | b |\n|-|-|\n| c | d |\n",
    "\x1b[31m",
    "\x1b]8;;http://x\x07",
    "\u202e",
    "\x9b",
    "&#27;",
    "&#x9b;",
    "\t",
    "\r",
  ),
  fc.constantFrom(
    "日本語",
    "👩‍👩‍👧‍👦",
    "🇫🇷",
    "e\u0301",
    "\u200d",
    "한국어",
    "नमस्ते",
    "שלום",
    "word ",
    "----",
    "```js\n",
    "\ud800",
  ),
  fc.string({ unit: "grapheme", maxLength: 30 }),
  fc.string({ unit: "binary", maxLength: 8 }),
);

test("prints no line wider than the width and no control character but its own, for any text", () => {
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 40 }),
      fc.integer({ min: 20, max: 100 }),
      fc.constantFrom(0, 1, 3),
      fc.boolean(),
      (parts, width, colour, hyperlinks) => {
        const blocks = parseSide(parts.join(""));
        const options = {
          width,
          colour: colour as 0 | 1 | 3,
          hyperlinks,
          cloze: { group: null, hidden: false },
        };
        for (const line of renderBlocks(blocks, options)) {
          const text = line.replace(ours, "");
          expect(displayWidth(text)).toBeLessThanOrEqual(width);
          expect(text).not.toMatch(control);
          if (colour === 0 && !hyperlinks) expect(line).toBe(text);
          if (!hyperlinks) expect(line).not.toContain("\x1b]");
        }
      },
    ),
    { numRuns: 500 },
  );
});
