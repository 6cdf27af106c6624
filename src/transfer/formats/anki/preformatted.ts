import { addressOf, type Element } from "./element.ts";

/** A block of code for `<pre>`, whose lines may be divided by elements as well. */
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

/** Whether all of it can be code: text that Anki marks up can't, nor what `saysMore`. */
export function isCode(pre: Element): boolean {
  if (pre.firstChild?.nodeName === "CODE") return true;
  return !/[\ue0f0\ue0f1]/.test(pre.textContent ?? "") && !saysMore(pre);
}

/** Text that can't be code keeps its lines, and their indentation where that would make code of them. */
export function withLines(content: string): string {
  // Lists bring their own indentation.
  if (/^(?:(?:-|\d{1,9}\.) |`{3})/m.test(content)) return content;
  return content
    .replace(/^([^|\n].*)(?<! {2})\n(?=.)/gm, "$1  \n")
    .replace(/^[ \t]+(?=\S)/gm, (blanks) => blanks.replaceAll("\t", "    ").replaceAll(" ", "\u00a0"));
}

/** What says more than its text: pictures and sounds, links, raised text, readings, tables, lists, headings and rules. */
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
