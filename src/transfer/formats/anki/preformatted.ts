import { addressOf, type Element } from "./element.ts";

/** The code block for a `<pre>`, whose lines may also be separated by elements. */
export function codeBlock(pre: Element): string {
  const text = textOf(pre)
    .replace(/\u00a0/g, " ")
    .replace(/^\n|\n$/g, "");
  let fence = "```";
  for (const [, ticks = ""] of text.matchAll(/^ *(`{3,})/gm))
    if (ticks.length >= fence.length) fence = `${ticks}\``;
  const language = /\blanguage-([\w+#-]+)/.exec(pre.firstChild?.getAttribute?.("class") ?? "")?.[1] ?? "";
  return `\n\n${fence}${language}\n${text}\n${fence}\n\n`;
}

/** Whether a `<pre>` can be a code block: it has no placeholders and nothing that `saysMore`. */
export function isCode(pre: Element): boolean {
  if (pre.firstChild?.nodeName === "CODE") return true;
  return !/[\ue0f0\ue0f1]/.test(pre.textContent ?? "") && !saysMore(pre);
}

/** Keeps the lines of text that cannot be a code block, with non-breaking spaces as indentation. */
export function withLines(content: string): string {
  // Lists have their own indentation.
  if (/^(?:(?:-|\d{1,9}\.) |`{3})/m.test(content)) return content;
  return content
    .replace(/^([^|\n].*)(?<! {2})\n(?=.)/gm, "$1  \n")
    .replace(/^[ \t]+(?=\S)/gm, (blanks) => blanks.replaceAll("\t", "    ").replaceAll(" ", "\u00a0"));
}

/** Whether an element means more than its text: pictures, sounds, links, raised text, readings, tables, lists, headings. */
const saysMore = (node: Element): boolean =>
  /^(?:IMG|AUDIO|VIDEO|SU[BP]|RT|TABLE|[OU]L|H[1-6R])$/.test(node.nodeName) ||
  addressOf(node) !== undefined ||
  [...node.childNodes].some(saysMore);

function textOf(node: Element): string {
  if (node.nodeName === "#text") return node.nodeValue ?? "";
  if (node.nodeName === "BR") return "\n";
  if (/^(?:SCRIPT|STYLE|IFRAME)$/.test(node.nodeName)) return "";
  let text = "";
  for (const child of node.childNodes) {
    if (child.isBlock && text !== "" && !text.endsWith("\n")) text += "\n";
    text += textOf(child);
    if (child.isBlock && !text.endsWith("\n")) text += "\n";
  }
  return text;
}
