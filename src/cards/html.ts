import { decodeHTMLStrict } from "entities/decode";
import { bounds } from "./bounds.ts";
import { type Inline, type InlineGroup, plainText } from "./nodes.ts";

/** The tags that stand for a kind of node (docs/design/cards.md, the HTML subset). */
const groups: Readonly<Record<string, InlineGroup>> = {
  b: "strong",
  strong: "strong",
  i: "emphasis",
  em: "emphasis",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  del: "strikethrough",
  strike: "strikethrough",
  mark: "highlight",
  sub: "subscript",
  sup: "superscript",
  kbd: "keyboard",
};

/** Tags whose content begins and ends on lines of its own. */
const blockTags = new Set(
  "address article aside blockquote center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header li main nav ol p section summary table tbody tfoot thead tr ul".split(
    " ",
  ),
);

/** Tags whose content a browser does not show. */
const hiddenTags = new Set(["script", "style", "template", "rp"]);

const tagPattern = /^<(\/?)([A-Za-z][A-Za-z\d-]*)([\s\S]*?)\/?>$/;

/** An element whose end tag was not read yet. */
interface Open {
  readonly name: string;
  readonly nodes: Inline[];
}

/** How the `<details>` of a side are shown, over all its blocks. */
export class Details {
  readonly #closed: boolean;
  /** Whether their tags are nodes, for an export as HTML. */
  readonly asTags: boolean;
  #depth = 0;
  #inSummary = false;

  /** @param shown "closed" for their summaries only, "tags" for all of them with nodes for their tags */
  constructor(shown: "open" | "closed" | "tags") {
    this.#closed = shown === "closed";
    this.asTags = shown === "tags";
  }

  get sign(): { readonly text: string; readonly spoken: string } {
    return this.#closed ? { text: "▸ ", spoken: "Details, closed: " } : { text: "▾ ", spoken: "Details: " };
  }

  /** Whether what comes next is hidden. */
  get hides(): boolean {
    return this.#closed && (this.#depth > 1 || (this.#depth === 1 && !this.#inSummary));
  }

  tag(name: string, ends: boolean): void {
    if (name === "details") this.#depth = Math.max(0, this.#depth + (ends ? -1 : 1));
    if (name === "summary" && this.#depth === 1) this.#inSummary = !ends;
  }
}

/**
 * Builds inline nodes from nodes and HTML tags in the order of the text, as a browser would: an end tag closes the
 * nearest element of its name and all within it, and what is not closed ends with the text. Tags outside the subset are
 * left out and their content is kept.
 */
export class InlineBuilder {
  readonly #open: Open[] = [{ name: "", nodes: [] }];
  readonly #details: Details;

  constructor(details: Details) {
    this.#details = details;
  }

  add(node: Inline): void {
    if (this.#details.hides) return;
    const nodes = this.#nodes();
    const last = nodes.at(-1);
    if (node.type !== "text") nodes.push(node);
    else if (last?.type === "text") nodes[nodes.length - 1] = { type: "text", text: last.text + node.text };
    // The line break after `<br>` or `<div>` in the source is not another one.
    else if (last === undefined || last.type === "break")
      this.#push(nodes, node.text.replace(/^[ \t]*\n/, ""));
    else this.#push(nodes, node.text);
  }

  /** A tag, or a comment, which is left out. */
  tag(raw: string): void {
    const [, slash, written = "", attributes = ""] = tagPattern.exec(raw) ?? [];
    const name = written.toLowerCase();
    if (slash === "/") this.#end(name);
    const before = this.#details.hides;
    if (slash !== undefined) this.#details.tag(name, slash === "/");
    if (slash === "" && !(before && this.#details.hides)) this.#start(name, attributes);
  }

  finish(): Inline[] {
    while (this.#open.length > 1) this.#close();
    const nodes = this.#nodes();
    while (nodes.at(-1)?.type === "break") nodes.pop();
    return nodes;
  }

  #nodes(): Inline[] {
    return this.#open.at(-1)?.nodes ?? [];
  }

  #push(nodes: Inline[], text: string): void {
    if (text !== "") nodes.push({ type: "text", text });
  }

  #start(name: string, attributes: string): void {
    if (name === "br") this.#nodes().push({ type: "break" });
    else if (name === "img") this.add(image(attributes));
    else if (name === "hr") this.#rule();
    else if (blockTags.has(name)) this.#startBlock(name);
    else if ((name === "td" || name === "th") && this.#inLine())
      this.add({ type: "drawn", text: " │ ", spoken: ", " });
    else if (Object.hasOwn(groups, name) || hiddenTags.has(name) || ["ruby", "rt"].includes(name)) {
      if (name === "rt" && this.#open.at(-1)?.name === "rt") this.#close();
      if (this.#open.length <= bounds.inlineDepth) this.#open.push({ name, nodes: [] });
    }
  }

  #startBlock(name: string): void {
    this.#newLine();
    if (name === "li") this.add({ type: "drawn", text: "• ", spoken: "- " });
    if (name === "details" && this.#details.asTags) this.add({ type: "tag of details", name, ends: false });
    if (name !== "summary") return;
    if (!this.#details.asTags) this.add({ type: "drawn", ...this.#details.sign });
    this.#open.push({ name, nodes: [] });
  }

  #end(name: string): void {
    const at = this.#open.findLastIndex((open) => open.name === name);
    if (at > 0) while (this.#open.length > at) this.#close();
    if (name === "details" && this.#details.asTags) {
      this.#end("summary");
      this.add({ type: "tag of details", name, ends: true });
    }
    if (blockTags.has(name)) this.#newLine();
  }

  #rule(): void {
    this.#newLine();
    this.add({ type: "drawn", text: "———", spoken: "---" });
    this.#newLine();
  }

  #inLine(): boolean {
    const last = this.#nodes().at(-1);
    return last !== undefined && last.type !== "break";
  }

  /** What follows begins a line, if it does not already. */
  #newLine(): void {
    const nodes = this.#nodes();
    const last = nodes.at(-1);
    if (last?.type === "text") {
      nodes.pop();
      this.#push(nodes, last.text.trimEnd());
    }
    if (this.#inLine()) nodes.push({ type: "break" });
  }

  /** Ends the innermost element: its nodes become a node of the one around it. */
  #close(): void {
    const { name, nodes: children } = this.#open.pop() ?? { name: "", nodes: [] };
    const around = this.#nodes();
    if (name === "rt") {
      const from = around.findLastIndex(({ type }) => type === "ruby") + 1;
      around.push({ type: "ruby", children: around.splice(from), reading: children });
    } else if (name === "ruby") around.push(...children);
    else if (name === "summary" && this.#details.asTags) {
      const tag = { type: "tag of details", name } as const;
      around.push({ ...tag, ends: false }, ...children, { ...tag, ends: true });
    } else if (name === "summary") around.push({ type: "strong", children });
    else if (!hiddenTags.has(name) && children.length > 0)
      around.push({ type: groups[name] ?? "strong", children });
  }
}

const attribute = /([A-Za-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/g;

function image(attributes: string): Inline {
  const values = new Map<string, string>();
  for (const [, name = "", double, single, bare] of attributes.matchAll(attribute))
    values.set(name.toLowerCase(), decodeHTMLStrict(double ?? single ?? bare ?? ""));
  return { type: "image", src: values.get("src") ?? "", alt: values.get("alt") ?? "" };
}

/** The text of a `<pre>` without its tags. */
export function preText(raw: string): string {
  return decodeHTMLStrict(raw.replace(/<br\s*\/?>/gi, "\n").replace(/<\/?[A-Za-z][^<>]*>/g, "")).replace(
    /^\n|\n+$/g,
    "",
  );
}

/** Whether nodes show anything. */
export const isBlank = (nodes: readonly Inline[]): boolean =>
  nodes.every((node) => node.type === "break" || (node.type === "text" && plainText([node]).trim() === ""));
