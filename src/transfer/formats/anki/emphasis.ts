import { FenceScan } from "../../../cards/sides.ts";
import type { Element } from "./element.ts";

/** Punctuation that ends words; none that markdown means something by. */
const closing = new Set(".,:;!?…。、，：；！？");

/** What begins so is no paragraph, and marks in front of it would make it one; text that looks like it is escaped. */
const otherBlock = /^(?:(?:[->|]|#{1,6}|\d{1,9}\.)(?: |$)|-{4}|`{3})/;

/**
 * Puts marks around what is emphasised, in each of its paragraphs. Behind punctuation a mark that a letter follows closes
 * nothing in markdown: the punctuation then comes behind the mark.
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

/** Marks stand close to the text: blanks and line breaks at its ends stay outside. */
function marked(text: string, mark: string): string {
  const inner = text.trim();
  return inner === "" ? text : text.replace(inner, () => `${mark}${inner}${mark}`);
}

/** Paragraphs, lists, code and so on, divided by blank lines; code may hold such, and lists where an indented line follows. */
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

/** The character behind an element in its line; "" where there is none. */
function following(node: Element): string {
  let each = node;
  while (each.nextSibling === null) {
    if (each.parentNode === null || each.parentNode.isBlock) return "";
    each = each.parentNode;
  }
  const code = each.nextSibling.textContent?.codePointAt(0);
  return code === undefined || block.test(each.nextSibling.nodeName) ? "" : String.fromCodePoint(code);
}
