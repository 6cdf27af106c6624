import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Inline } from "../../src/cards/nodes.ts";
import { inlines } from "../../src/cards/nodes.ts";
import { parseSide } from "../../src/cards/parse.ts";

const text = (value: string): Inline => ({ type: "text", text: value });
/** The inline nodes of a source that is one paragraph. */
function paragraph(source: string, placeholders: string[] = []): readonly Inline[] {
  const [block, ...rest] = parseSide(source, { placeholders });
  expect(rest).toEqual([]);
  expect(block?.type).toBe("paragraph");
  return block?.type === "paragraph" ? block.children : [];
}

describe("cloze deletions", () => {
  test("are bare or numbered", () => {
    expect(paragraph("a {{b}} {{12::c}}")).toEqual([
      text("a "),
      { type: "cloze", group: null, children: [text("b")] },
      text(" "),
      { type: "cloze", group: 12, children: [text("c")] },
    ]);
  });

  test("hold markdown, braces, code, LaTeX and each other", () => {
    const inner = (source: string) => {
      const [node] = paragraph(source);
      return node?.type === "cloze" ? node.children : node;
    };
    expect(inner("{{**a** b}}")).toEqual([{ type: "strong", children: [text("a")] }, text(" b")]);
    expect(inner("{{f{x}}}")).toEqual([text("f{x}")]);
    expect(inner("{{$\\frac{1}{2}$}}")).toEqual([{ type: "math", source: "\\frac{1}{2}", display: false }]);
    expect(inner("{{`}}`}}")).toEqual([{ type: "code", text: "}}" }]);
    expect(inner("{{1::a {{2::b}} c}}")).toEqual([
      text("a "),
      { type: "cloze", group: 2, children: [text("b")] },
      text(" c"),
    ]);
    expect(inner("{{a { b}}")).toEqual([text("a { b")]);
    expect(inner("{{a } b}}")).toEqual([text("a } b")]);
    expect(inner("{{a::b}}")).toEqual([text("a::b")]);
    expect(inner("{{two\nlines}}")).toEqual([text("two\nlines")]);
  });

  test("stand within other markdown", () => {
    expect(paragraph("**{{a}}** [{{b}}](http://x.y)")).toEqual([
      { type: "strong", children: [{ type: "cloze", group: null, children: [text("a")] }] },
      text(" "),
      { type: "link", href: "http://x.y", children: [{ type: "cloze", group: null, children: [text("b")] }] },
    ]);
    expect(
      [...inlines(parseSide("# {{a}}\n- {{b}}\n\n> {{c}}\n\n|{{d}}|\n|-|\n|{{e}}|"))].filter(
        ({ type }) => type === "cloze",
      ),
    ).toHaveLength(5);
  });

  test("are text in code, escaped, empty or never closed", () => {
    expect(paragraph("`{{a}}` \\{{b}} {{ }} {{c")).toEqual([
      { type: "code", text: "{{a}}" },
      text(" {{b}} {{ }} {{c"),
    ]);
  });
});

describe("highlights, references, embeds and attachments", () => {
  test("highlight with == on both sides", () => {
    expect(paragraph("==a *b*== c")).toEqual([
      { type: "highlight", children: [text("a "), { type: "emphasis", children: [text("b")] }] },
      text(" c"),
    ]);
    for (const source of ["== a ==", "a == b", "====", "===a===", "==a", "`==a==`"]) {
      expect([...inlines(parseSide(source))].some(({ type }) => type === "highlight")).toBe(false);
    }
  });

  test("refer to cards by id, title and id, or name", () => {
    expect(paragraph("[[id1]] [[A title|id2]] [[Some name]] @[old](https://x.y/z)")).toEqual([
      { type: "reference", target: "id1", title: null },
      text(" "),
      { type: "reference", target: "id2", title: "A title" },
      text(" "),
      { type: "reference", target: "Some name", title: null },
      text(" "),
      { type: "reference", target: "https://x.y/z", title: "old" },
    ]);
  });

  test("embed cards and their sides", () => {
    expect(paragraph("![[id]]![[id/2]]")).toEqual([
      { type: "embed", target: "id", side: null },
      { type: "embed", target: "id", side: 2 },
    ]);
  });

  test("keep attachments as images", () => {
    expect(paragraph("![*alt* text](@media/a.png)")).toEqual([
      { type: "image", src: "@media/a.png", alt: "alt text" },
    ]);
  });
});

describe("LaTeX", () => {
  test("is between dollars, in a line or as a block", () => {
    expect(paragraph("a $x^2$ and $$y$$")).toEqual([
      text("a "),
      { type: "math", source: "x^2", display: false },
      text(" and "),
      { type: "math", source: "y", display: true },
    ]);
    expect(parseSide("$$\na\n\n- b\n$$\nafter")).toEqual([
      { type: "math", source: "a\n\n- b" },
      { type: "paragraph", children: [text("after")] },
    ]);
    expect(parseSide("before\n$$\n- b\n$$").map(({ type }) => type)).toEqual(["paragraph", "math"]);
  });

  test("is not money, nor escaped", () => {
    expect(paragraph("costs $5 or $6, \\$a\\$")).toEqual([text("costs $5 or $6, $a$")]);
  });

  test("hides its stars from emphasis", () => {
    expect(paragraph("*a $x*y$ b*")).toEqual([
      {
        type: "emphasis",
        children: [text("a "), { type: "math", source: "x*y", display: false }, text(" b")],
      },
    ]);
  });
});

describe("placeholders", () => {
  test("are those of the names given", () => {
    expect(paragraph("<< Field >> << other >> <<Field>>", ["Field"])).toEqual([
      { type: "placeholder", name: "Field" },
      text(" << other >> "),
      { type: "placeholder", name: "Field" },
    ]);
    expect(paragraph("cout << x >> y")).toEqual([text("cout << x >> y")]);
  });
});

describe("markdown", () => {
  test("knows no headings made with dashes, but with equals signs", () => {
    expect(parseSide("text\n----\nmore")).toEqual([
      { type: "paragraph", children: [text("text")] },
      { type: "rule" },
      { type: "paragraph", children: [text("more")] },
    ]);
    expect(parseSide("text\n===")).toEqual([{ type: "heading", depth: 1, children: [text("text")] }]);
  });

  test("reads tables, task lists and strikethrough", () => {
    expect(parseSide("|a|b|\n|-|:-:|\n|1|")).toEqual([
      {
        type: "table",
        align: ["left", "center"],
        header: [[text("a")], [text("b")]],
        rows: [[[text("1")], []]],
      },
    ]);
    expect(parseSide("3. [x] a\n4. [ ] b\n5. c")).toEqual([
      {
        type: "list",
        start: 3,
        loose: false,
        items: [
          { checked: true, children: [{ type: "paragraph", children: [text("a")] }] },
          { checked: false, children: [{ type: "paragraph", children: [text("b")] }] },
          { checked: null, children: [{ type: "paragraph", children: [text("c")] }] },
        ],
      },
    ]);
    expect(paragraph("~~a~~")).toEqual([{ type: "strikethrough", children: [text("a")] }]);
  });

  test("decodes character references once, but not in code", () => {
    expect(paragraph("&amp;lt; &eacute; &#x1F600; &nope; `&amp;`")).toEqual([
      text("&lt; é 😀 &nope; "),
      { type: "code", text: "&amp;" },
    ]);
  });

  test("names the language of code, without what else follows the fence", () => {
    expect(parseSide("```TS title=x\na\n\n```")).toEqual([{ type: "code", language: "ts", text: "a\n" }]);
  });
});

test("never throws and is the same every time, for any text", () => {
  const part = fc.oneof(
    fc.constantFrom(
      "{{",
      "}}",
      "1::",
      "==",
      "[[",
      "]]",
      "![[",
      "@[",
      "](",
      ")",
      "$",
      "$$",
      "<<",
      ">>",
      "#",
      "`",
      "```",
      "~~",
    ),
    fc.constantFrom(
      "*",
      "**",
      "_",
      ">",
      "- ",
      "1. ",
      "\n",
      "\n\n",
      "    ",
      "|",
      "|-|",
      "[",
      "]",
      "![",
      "\\",
      "&",
      "<",
      "\t",
      "[x]: y",
    ),
    fc.string({ unit: "binary", maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      const source = parts.join("");
      const blocks = parseSide(source, { placeholders: ["a"] });
      expect(parseSide(source, { placeholders: ["a"] })).toEqual(blocks);
    }),
    { numRuns: 1000 },
  );
});
