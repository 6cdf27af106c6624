import fc from "fast-check";
import { expect, test } from "vitest";
import { bounds } from "../../../src/cards/bounds.ts";
import { contentFacts } from "../../../src/cards/index.ts";
import { parseSide } from "../../../src/cards/parse.ts";
import { presentCard, stepAt } from "../../../src/cards/passes.ts";
import { renderBlocks, renderCard } from "../../../src/output/markdown/index.ts";
import { displayWidth } from "../../../src/output/width.ts";
import { cpuTime, leastBelow } from "../../support/cpu-time.ts";
import { count } from "../../support/soak.ts";

const options = { width: 40, colour: 1, hyperlinks: true } as const;

/** Generous, for a busy machine: what these tests are about would take minutes or never end. */
const patience = 10_000;

function renderInTime(source: string, limit = patience): string[] {
  const started = cpuTime();
  const lines = renderBlocks(parseSide(source, { placeholders: ["a"] }), options);
  expect(cpuTime() - started).toBeLessThan(limit);
  return lines;
}

test.each([
  ...[
    ">",
    "> - ",
    "- ",
    "1. ",
    "[",
    "![",
    "*",
    "_*",
    "**a ",
    "`",
    "`a ",
    "~~a ",
    "{{",
    "{{1::a ",
    "==a",
    "$",
    "$$\n",
    "[[",
    "<",
    "<a ",
  ],
  ...[
    "> a\nb\n",
    ">>>> a\n> b\n",
    "> - a\nb\n",
    "- a\n  b\n",
    "a\n\n",
    "a\n---\n",
    "|a|b|\n|-|-|\n",
    "[a]: b\n",
    "```\n",
    "<<a>>",
  ],
  ...["&#27;", "\x1b[31m", "\u202e", "👩‍👩‍👧‍👦", "e\u0301", "a", "日", "\0", "\n", " "],
])("renders 100 KB of %j in bounded time", (piece) => {
  renderInTime(piece.repeat(100_000 / piece.length), 3000);
});

test.each([
  ["joiners after a letter", "a", "\u200d"],
  ["combining marks after a letter", "e", "\u0301"],
  ["emoji joined to each other", "", "👩\u200d"],
  ["joiners with words between them", "", "a\u200d\u200d "],
])("takes time in proportion to the number of %s", async (_, first, piece) => {
  const time = (count: number) => {
    const blocks = parseSide(first + piece.repeat(count));
    const started = cpuTime();
    renderBlocks(blocks, options);
    return cpuTime() - started;
  };
  time(1000);
  // Four times the text: quadratic work takes sixteen times as long.
  const ratio = () => time(32_000) / Math.max(15, time(8000));
  expect(await leastBelow(9, ratio)).toBeLessThan(9);
});

test("renders a megabyte of prose, and of one word", () => {
  expect(renderInTime("Some *words*, and `more` of them. ".repeat(30_000)).length).toBeGreaterThan(10_000);
  expect(renderInTime("a".repeat(500_000))).toHaveLength(12_501);
});

test("cuts a side that is too long to be shown and says how much is missing", () => {
  const lines = renderInTime("a".repeat(1_500_000));
  expect(lines).toHaveLength(12_504);
  expect(lines.slice(-2).join(" ")).toContain("[The last 1000000 characters are not");
});

test("shows at most 32 marks on one character", () => {
  expect(renderBlocks(parseSide(`a${"\u200d".repeat(1000)}b`), options)).toEqual([
    `a${"\u200d".repeat(32)}b`,
  ]);
});

test("finds the markdown of a long paragraph up to its end", () => {
  const lines = renderInTime("Some *words* and more. ".repeat(4000));
  expect(lines.join(" ")).not.toContain("*");
});

test("shows all of a text that is too long to parse, its end unparsed", () => {
  const source = `${"*a* b\n".repeat(50_000)}the *end*`;
  const lines = renderInTime(source);
  expect(lines).toHaveLength(50_002);
  expect(lines.at(-1)).toContain("the *end*");
});

test("renders lists in each other to any depth", () => {
  const deep = Array.from({ length: 300 }, (_, depth) => `${"  ".repeat(depth)}- item ${depth}`).join("\n");
  const lines = renderInTime(deep);
  expect(lines.join(" ")).toContain("item 299");
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(options.width);
});

test("goes only so deep into quotes and deletions, and shows the rest as text", () => {
  const depth = (node: object | undefined): number =>
    node && "children" in node && Array.isArray(node.children)
      ? 1 + Math.max(0, ...node.children.map((child) => depth(child)))
      : 0;
  const quotes = parseSide(`${"> ".repeat(2000)}end`);
  expect(quotes.map(({ type }) => type)).toEqual(["quote"]);
  expect(depth(quotes[0])).toBe(bounds.blockDepth + 1);
  expect(renderBlocks(quotes, options).join(" ")).toContain("end");
  const clozes = parseSide(`${"{{a ".repeat(300)}end${"}}".repeat(300)}`);
  expect(depth(clozes[0])).toBe(bounds.inlineDepth + 1);
  expect(renderBlocks(clozes, options).join(" ")).toContain("end");
});

test("renders a table that would have a hundred million cells", () => {
  renderInTime(`${"|a".repeat(10_000)}|\n${"|-".repeat(10_000)}|\n${"|b|\n".repeat(10_000)}`);
});

test("shows a card of two hundred sides at every step", () => {
  const card = presentCard({
    card: { content: "**a** {{1::b}}\n---\n".repeat(200), "review-reverse?": true },
  });
  const started = cpuTime();
  for (const pass of card.passes) {
    for (const step of [0, 1, 100, pass.steps - 1]) {
      const shown = stepAt(pass, step).map(({ index, cloze }) => ({ side: card.sides[index], cloze }));
      for (const { side, cloze } of shown)
        expect(renderBlocks(side?.blocks ?? [], { ...options, cloze }).length).toBe(1);
    }
  }
  expect(renderCard(card, options)).toHaveLength(200 * 4 - 3);
  expect(cpuTime() - started).toBeLessThan(patience);
});

test("finds the facts of a long content in bounded time", async () => {
  const started = cpuTime();
  for (const piece of ["#a ", "[[a]] ", "[[", "@[a](", "# ", "---\n#a\n"]) {
    await contentFacts(piece.repeat(300_000 / piece.length));
  }
  expect(cpuTime() - started).toBeLessThan(patience);
});

test("takes time that grows with the length, for any repeated text", () => {
  const piece = fc.constantFrom(
    "*",
    "_",
    "~",
    "`",
    "[",
    "]",
    "(",
    ")",
    "!",
    "<",
    ">",
    "{",
    "}",
    "=",
    "$",
    "#",
    "@",
    "|",
    "-",
    "+",
    "1.",
    "\\",
    "&",
    "a",
    " ",
    "\n",
    "    ",
  );
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (parts) => {
      const text = parts.join("");
      const started = cpuTime();
      parseSide(text.repeat(Math.ceil(20_000 / text.length)));
      expect(cpuTime() - started).toBeLessThan(patience);
    }),
    { numRuns: count("repeated_texts", 15, 1000) },
  );
});
