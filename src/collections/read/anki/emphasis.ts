import type { Element } from "./element.ts";

/** Punctuation that ends words; none that markdown means something by. */
const closing = new Set(".,:;!?…。、，：；！？");

/** What begins so is no paragraph: marks in front of it would make it one. */
const otherBlock = /^(?:[-+>|#`~]|\d{1,9}[.)])/;

/**
 * Puts marks around what is emphasised, in each of its paragraphs. Behind punctuation a mark that a letter follows closes
 * nothing in markdown: the punctuation then comes behind the mark.
 */
export function emphasised(content: string, node: Element, mark: string): string {
  const paragraphs = content.split(/\n\s*\n/).filter((each) => each.trim() !== "");
  if (paragraphs.length > 1 || /^\n|\n$/.test(content))
    return `\n\n${paragraphs.map((each) => (otherBlock.test(each) ? each : marked(each.trim(), mark))).join("\n\n")}\n\n`;
  const [text = ""] = paragraphs;
  if (text === "") return "";
  let end = text.length;
  if (node.flankingWhitespace?.trailing === "" && /[^\s\p{P}\p{S}]/u.test(following(node)))
    while (closing.has(text[end - 1] ?? "")) end--;
  return text[end - 1] === "\\" ? marked(text, mark) : marked(text.slice(0, end), mark) + text.slice(end);
}

const marked = (text: string, mark: string) => (text === "" ? "" : `${mark}${text}${mark}`);

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
