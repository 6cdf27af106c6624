import { imageFile } from "../../cards/links.ts";
import type { Block, Inline, ListItem } from "../../cards/nodes.ts";
import { codeRuns } from "./code.ts";
import { embedLabel, type InlineOptions, inlineRuns } from "./inline.ts";
import { latexRows, latexText } from "./latex/index.ts";
import { script } from "./latex/script.ts";
import { type Line, plain, prefixed, type Run, run } from "./runs.ts";
import { tableLines } from "./table.ts";
import { cutRuns, wrapRuns } from "./wrap.ts";

/** A quote or list is not indented below this width. */
const narrowest = 12;

const bullets = ["•", "◦", "▪"];

interface Place {
  readonly width: number;
  /** Tables may be wider than text. */
  readonly tableWidth: number;
  /** How many lists there are around. */
  readonly depth: number;
}

/** The lines of blocks, with a blank line between them unless they are tight. */
export function blockLines(
  blocks: readonly Block[],
  options: InlineOptions,
  place: Place,
  tight = false,
): Line[] {
  const lines: Line[] = [];
  for (const [index, block] of blocks.entries()) {
    if (index > 0 && !tight) lines.push([]);
    for (const line of oneBlock(block, options, place)) lines.push(line);
  }
  return lines;
}

function oneBlock(block: Block, options: InlineOptions, place: Place): readonly Line[] {
  const { width } = place;
  switch (block.type) {
    case "paragraph":
      return embeddedLines(block.children, options, place) ?? paragraphLines(block.children, options, width);
    case "heading": {
      const style = block.depth === 1 ? { bold: true, underline: true } : { bold: true };
      return wrapRuns(inlineRuns(block.children, options, style), width);
    }
    case "code":
      return setIn(run("  "), width, (inner) =>
        cutRuns(codeRuns(block.text, block.language), options.wholeCode ? Number.POSITIVE_INFINITY : inner),
      );
    case "math":
      return mathLines(block.source, options, width);
    case "raw":
      return cutRuns([run(block.text, { dim: true })], width);
    case "cut":
      return wrapRuns(
        [run(`[The last ${block.characters} characters are not shown.]`, { bold: true })],
        width,
      );
    case "rule":
      return [[run(options.plain ? "---" : "╌".repeat(width), { dim: true })]];
    case "quote":
      return setIn(run(options.plain ? "> " : "│ ", { dim: true }), width, (inner) =>
        blockLines(block.children, options, narrower(place, place.width - inner)),
      );
    case "list":
      return listLines(block, options, place);
    case "table":
      return tableLines(block, options, place.tableWidth);
    case "footnotes":
      return block.notes.flatMap(({ number, children }) => {
        const sign = options.plain ? `Note ${number}: ` : `${script(String(number), "^")} `;
        const lines = wrapRuns(inlineRuns(children, options), width - sign.length);
        return prefixed(lines, run(sign), run(" ".repeat(sign.length)));
      });
  }
}

/** A paragraph whose pictures and displayed formulas are rows of their own between its lines of text. */
function paragraphLines(nodes: readonly Inline[], options: InlineOptions, width: number): Line[] {
  const lines: Line[] = [];
  let text: Inline[] = [];
  const endText = () => {
    const wrapped = wrapRuns(inlineRuns(text, options), width);
    if (text.some((node) => node.type !== "text" || node.text.trim() !== "")) lines.push(...trimmed(wrapped));
    text = [];
  };
  for (const node of nodes) {
    const drawn = drawnLines(node, options, width);
    if (drawn === undefined) text.push(node);
    else {
      endText();
      lines.push(...drawn);
    }
  }
  if (lines.length === 0) return wrapRuns(inlineRuns(text, options), width);
  endText();
  return lines;
}

/** What takes lines of its own within a paragraph: a picture that can be drawn, and a formula that is displayed. */
function drawnLines(node: Inline, options: InlineOptions, width: number): readonly Line[] | undefined {
  if (node.type === "math" && node.display) return mathLines(node.source, options, width);
  if (node.type !== "image") return undefined;
  const file = imageFile(node.src);
  if (file === undefined || options.isMissing?.(file)) return undefined;
  const picture = options.picture?.({ file, card: undefined }, width);
  return picture?.rows.map((drawn) => [{ text: " ".repeat(picture.columns), style: { drawn } }]);
}

/** A formula of its own: as it is laid out if it has rows, else wrapped, and so for a screen reader. */
function mathLines(source: string, { plain }: InlineOptions, width: number): readonly Line[] {
  return setIn(run("  "), width, (inner) => {
    if (plain) return wrapRuns([run(latexText(source))], inner);
    const rows = latexRows(source, inner).map((row) => run(row, { italic: true }));
    return rows.length === 1 ? wrapRuns(rows, inner) : rows.map((row) => [row]);
  });
}

const narrower = (place: Place, by: number): Place => ({
  ...place,
  width: place.width - by,
  tableWidth: place.tableWidth - by,
});

/** The lines without the empty ones at both ends. */
function trimmed(lines: readonly Line[]): readonly Line[] {
  const filled = (line: Line) => line.some(({ text }) => text.trim() !== "");
  return lines.slice(lines.findIndex(filled), lines.findLastIndex(filled) + 1);
}

/** A card that a paragraph of its own shows, under its name; those that it shows itself are named only. */
function embeddedLines(
  nodes: readonly Inline[],
  options: InlineOptions,
  place: Place,
): readonly Line[] | undefined {
  const [node, ...others] = nodes.filter((each) => each.type !== "text" || each.text.trim() !== "");
  if (node?.type !== "embed" || others.length > 0) return undefined;
  const sides = options.embedded?.(node.target)?.presentation.sides;
  const shown = node.side === null ? sides : sides?.slice(node.side - 1, node.side);
  const blocks = shown?.flatMap((side, index): readonly Block[] =>
    index === 0 ? side.blocks : [{ type: "rule" }, ...side.blocks],
  );
  if (blocks === undefined || blocks.length === 0) return undefined;
  const label = wrapRuns([run(embedLabel(node, options), { colour: "cyan" })], place.width);
  const { picture } = options;
  const inner: InlineOptions = {
    ...options,
    embedded: undefined,
    cloze: undefined,
    isMissing: undefined,
    picture: picture && (({ file }, columns) => picture({ file, card: node.target }, columns)),
  };
  return [...label, ...oneBlock({ type: "quote", children: blocks }, inner, place)];
}

function setIn(prefix: Run, width: number, lines: (inner: number) => readonly Line[]): readonly Line[] {
  const inner = width - prefix.text.length;
  return inner < narrowest ? lines(width) : prefixed(lines(inner), prefix);
}

function listLines(list: Block & { type: "list" }, options: InlineOptions, place: Place): Line[] {
  const last = (list.start ?? 0) + list.items.length - 1;
  const numberWidth = String(last).length;
  const lines: Line[] = [];
  for (const [index, item] of list.items.entries()) {
    if (index > 0 && list.loose) lines.push([]);
    const bullet = options.plain ? "-" : (bullets[place.depth % bullets.length] ?? "•");
    const sign = list.start === null ? bullet : `${String(list.start + index).padStart(numberWidth)}.`;
    for (const line of itemLines(item, sign, !list.loose, options, place)) lines.push(line);
  }
  return lines;
}

function itemLines(
  item: ListItem,
  sign: string,
  tight: boolean,
  options: InlineOptions,
  place: Place,
): readonly Line[] {
  const task = item.checked === null ? "" : item.checked ? "[x] " : "[ ] ";
  const marker = `${sign} ${task}`;
  const inner = place.width - marker.length;
  const squeezed = inner < narrowest;
  const width = squeezed ? place.width : inner;
  const inside = { ...narrower(place, place.width - width), depth: place.depth + 1 };
  const lines = blockLines(item.children, options, inside, tight);
  const first = run(marker, plain);
  if (lines.length === 0) return [[first]];
  return squeezed ? [[first], ...lines] : prefixed(lines, first, run(" ".repeat(marker.length)));
}
