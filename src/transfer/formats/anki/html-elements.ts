import type { DefaultTreeAdapterTypes } from "parse5";

export type Node = DefaultTreeAdapterTypes.ChildNode;
export type Element = DefaultTreeAdapterTypes.Element;

/** Elements that are left out with their content, and how they are reported; null for those that have nothing to show. */
export const removed = new Map<string, string | null>([
  ...["script", "iframe", "object", "embed"].map((name) => [name, "scripts"] as const),
  ...["button", "select", "textarea"].map((name) => [name, "form elements"] as const),
  ["svg", "embedded pictures"],
  ["math", "formulas in MathML"],
  ...["style", "noscript", "title", "template", "rp"].map((name) => [name, null] as const),
]);

export const paragraph =
  /^(?:address|article|aside|center|d[dlt]|dir|div|fieldset|figcaption|figure|footer|form|header|main|nav|p|section)$/;

export const attributeOf = ({ attrs }: Element, name: string): string =>
  attrs.find((each) => each.name === name)?.value ?? "";

/** The address of a link to the web or to mail; a marker there is a field of the template with the address. */
export function addressOf(element: Element): string | undefined {
  const address = element.tagName === "a" ? attributeOf(element, "href").trim() : "";
  return /^(?:(?:https?|mailto):|\ue0f4)/i.test(address) ? address : undefined;
}

export const childrenOf = (node: Node): readonly Node[] => ("childNodes" in node ? node.childNodes : []);

/** The deepest nesting of elements: a tree is walked by functions that call themselves. */
const deepest = 200;

export const isDeep = (nodes: readonly Node[], depth = 0): boolean =>
  depth > deepest || nodes.some((node) => isDeep(childrenOf(node), depth + 1));

/** @param without an element that is left out */
export const textOf = (node: Node, without?: string): string => {
  if (node.nodeName === without) return "";
  return "value" in node
    ? node.value
    : childrenOf(node)
        .map((each) => textOf(each, without))
        .join("");
};

/** Whether a node is such an element, or has one in it. */
export const has = (node: Node, name: string): boolean =>
  node.nodeName === name || childrenOf(node).some((each) => has(each, name));

/** Whether an element means more than its text: pictures, sounds, links, raised text, readings, tables, lists, headings. */
export const saysMore = (node: Node): boolean =>
  /^(?:img|audio|video|su[bp]|rt|table|[ou]l|h[1-6r])$/.test(node.nodeName) ||
  ("tagName" in node && addressOf(node) !== undefined) ||
  childrenOf(node).some(saysMore);

/** The text of preformatted code, whose lines may also be separated by elements. */
export function codeOf(node: Node): string {
  if ("value" in node) return node.value;
  if (node.nodeName === "br") return "\n";
  if (removed.has(node.nodeName)) return "";
  let text = "";
  for (const child of childrenOf(node)) {
    const isBlock = paragraph.test(child.nodeName) || /^(?:[ou]l|li|pre|blockquote)$/.test(child.nodeName);
    if (isBlock && text !== "" && !text.endsWith("\n")) text += "\n";
    text += codeOf(child);
    if (isBlock && !text.endsWith("\n")) text += "\n";
  }
  return text;
}

/** The cells of a table's rows. */
export const rowsOf = (table: Element): Element[][] =>
  table.childNodes.flatMap((node) => {
    if (!("tagName" in node)) return [];
    if (node.tagName !== "tr") return rowsOf(node);
    return [node.childNodes.filter((cell): cell is Element => /^t[dh]$/.test(cell.nodeName))];
  });
