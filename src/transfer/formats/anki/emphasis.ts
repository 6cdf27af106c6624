import { FenceScan } from "../../../cards/sides.ts";
import type { Element } from "./element.ts";

/** Punctuation after words that has no meaning in markdown. */
const closing = new Set(".,:;!?…。、，：；！？");

/** The start of a block other than a paragraph, which delimiters before it would turn into one. Text is escaped. */
const otherBlock = /^(?:(?:[->|]|#{1,6}|\d{1,9}\.)(?: |$)|-{4}|`{3})/;

/**
 * Puts delimiters around every paragraph of emphasised text. In markdown a delimiter between punctuation and a letter does
 * neither open nor close emphasis: punctuation after the text is then moved behind it, and elsewhere the element stays. It
 * also stays inside other emphasis between two marks of punctuation, as in `**<u>*(a)*</u>**`: CommonMark reads that, but
 * marked takes the inner delimiter for one of the outer emphasis.
 */
export function emphasised(content: string, node: Element, mark: string): string {
  const blocks = blocksOf(content);
  if (blocks.length > 1 || content.startsWith("\n"))
    return `\n\n${blocks.map((each) => (otherBlock.test(each) ? each : marked(each, mark))).join("\n\n")}\n\n`;
  const [before, after] = [preceding(node), following(node)];
  const { leading, trailing } = node.flankingWhitespace ?? { leading: "", trailing: "" };
  let end = content.length;
  if (isLetter(after) && trailing === "") while (closing.has(content[end - 1] ?? "")) end--;
  if (content[end - 1] === "\\") end = content.length;
  const text = content.slice(0, end);
  const inner = text.trim();
  const last = [...inner].at(-1) ?? "";
  const opens = leading !== "" || isDelimiter(before, inner, () => isCrowded(node));
  const closes = trailing !== "" || end < content.length || isDelimiter(after, last, () => isCrowded(node));
  if (opens && closes) return marked(text, mark) + content.slice(end);
  const tag = tags[mark] ?? "b";
  return inner === "" ? content : `<${tag}>${text}</${tag}>${content.slice(end)}`;
}

const tags: Readonly<Record<string, string>> = { "**": "b", "*": "i", "~~": "s", "==": "mark" };

/** Whether a text begins with what is neither a blank nor punctuation. */
const isLetter = (text: string) => /^[^\s\p{P}\p{S}]/u.test(text);

/** Whether a text begins with a placeholder: a field, whose value is unknown, or a brace or formula, which is punctuation. */
const isKept = (text: string) => /^[\ue0f0\ue0f1]/.test(text);

/**
 * Whether a delimiter is one between these texts.
 *
 * @param outside the character outside the emphasis, "" for none
 * @param inside begins with the character inside it
 * @param isCrowded whether other emphasis is around it and no blank outside; asked where it matters
 */
function isDelimiter(outside: string, inside: string, isCrowded: () => boolean): boolean {
  if (isLetter(inside) && !isKept(inside)) return true;
  if (isLetter(outside) && !(isKept(outside) && isKept(inside))) return false;
  return !isCrowded();
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

/** Whether an element is a part of other emphasis. */
function isCrowded(node: Element): boolean {
  for (let each = node.parentNode; each !== null && !each.isBlock; each = each.parentNode)
    if (/^(?:B|STRONG|I|EM)$/.test(each.nodeName))
      return each !== node.parentNode || each.textContent !== node.textContent;
  return false;
}

const block = /^(?:BR|HR|DIV|P|PRE|[OU]L|TABLE|BLOCKQUOTE|H\d)$/;

/** The character after an element in its line; "" if there is none. */
const following = (node: Element): string => [...textBeside(node, "nextSibling")][0] ?? "";

/** The character before an element in its line; "" if there is none. */
const preceding = (node: Element): string => [...textBeside(node, "previousSibling").slice(-2)].at(-1) ?? "";

function textBeside(node: Element, side: "nextSibling" | "previousSibling"): string {
  let each = node;
  for (let sibling = each[side]; sibling === null; sibling = each[side]) {
    if (each.parentNode === null || each.parentNode.isBlock) return "";
    each = each.parentNode;
  }
  const beside = each[side];
  return beside === null || block.test(beside.nodeName) ? "" : (beside.textContent ?? "");
}
