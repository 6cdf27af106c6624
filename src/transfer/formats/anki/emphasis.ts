import { FenceScan } from "../../../cards/sides.ts";
import type { Element } from "./element.ts";

/** Punctuation after words that has no meaning in markdown. */
const closing = new Set(".,:;!?…。、，：；！？");

/** The start of a block other than a paragraph, which delimiters before it would turn into one. Text is escaped. */
const otherBlock = /^(?:(?:[->|]|#{1,6}|\d{1,9}\.)(?: |$)|-{4}|`{3})/;

/**
 * Puts delimiters around every paragraph of emphasised text. In markdown a delimiter between punctuation and a letter does
 * not close emphasis: the punctuation is then moved behind it.
 */
export function emphasised(content: string, node: Element, mark: string): string {
  const blocks = blocksOf(content);
  if (blocks.length > 1 || content.startsWith("\n"))
    return `\n\n${blocks.map((each) => (otherBlock.test(each) ? each : marked(each, mark))).join("\n\n")}\n\n`;
  let end = content.length;
  if (node.flankingWhitespace?.trailing === "" && /[^\s\p{P}\p{S}]/u.test(following(node)))
    while (closing.has(content[end - 1] ?? "")) end--;
  if (content[end - 1] === "\\") end = content.length;
  return marked(content.slice(0, end), mark) + content.slice(end);
}

/** Delimiters must touch the text: blanks and line breaks at its ends stay outside. */
function marked(text: string, mark: string): string {
  const inner = text.trim();
  return inner === "" ? text : text.replace(inner, () => `${mark}${inner}${mark}`);
}

/** Splits at blank lines, except inside code and inside lists where an indented line follows. */
function blocksOf(content: string): string[] {
  const fences = new FenceScan();
  const blocks: string[][] = [];
  let divided = true;
  for (const line of content.split("\n")) {
    const blank = !fences.inside(line) && line.trim() === "";
    const last = blocks.at(-1);
    const indented = line.startsWith(" ") && otherBlock.test(last?.[0] ?? "");
    if (divided && !blank && !indented) blocks.push([line]);
    else last?.push(line);
    divided = blank;
  }
  return blocks.map((lines) => lines.join("\n").trimEnd());
}

const block = /^(?:BR|HR|DIV|P|PRE|[OU]L|TABLE|BLOCKQUOTE|H\d)$/;

/** The character after an element in its line; "" if there is none. */
function following(node: Element): string {
  let each = node;
  while (each.nextSibling === null) {
    if (each.parentNode === null || each.parentNode.isBlock) return "";
    each = each.parentNode;
  }
  const code = each.nextSibling.textContent?.codePointAt(0);
  return code === undefined || block.test(each.nextSibling.nodeName) ? "" : String.fromCodePoint(code);
}
