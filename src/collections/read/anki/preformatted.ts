import type { Element } from "./element.ts";

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

/** Whether all of it can be code: text that Anki marks up, pictures and sounds can't. */
export function isCode(pre: Element): boolean {
  if (pre.firstChild?.nodeName === "CODE") return true;
  return !/[\ue0f0\ue0f1]/.test(pre.textContent ?? "") && !hasMedia(pre);
}

const hasMedia = (node: Element): boolean =>
  /^(?:IMG|AUDIO|VIDEO)$/.test(node.nodeName) || [...node.childNodes].some(hasMedia);

function textOf(node: Element): string {
  if (node.nodeName === "#text") return node.nodeValue ?? "";
  if (node.nodeName === "BR") return "\n";
  let text = "";
  for (const child of node.childNodes) {
    const line = /^(?:DIV|P|LI)$/.test(child.nodeName);
    if (line && text !== "" && !text.endsWith("\n")) text += "\n";
    text += textOf(child);
    if (line && !text.endsWith("\n")) text += "\n";
  }
  return text;
}
