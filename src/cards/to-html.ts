import type { Block, Inline } from "./nodes.ts";

type Of<Type extends Inline["type"]> = Extract<Inline, { readonly type: Type }>;

/** The elements of nodes that are nothing but an element around others. */
const elements = {
  strong: "b",
  emphasis: "i",
  strikethrough: "s",
  highlight: "mark",
  underline: "u",
  subscript: "sub",
  superscript: "sup",
  keyboard: "kbd",
} as const;

/**
 * Renders a side (parsed with `details: "tags"`) as HTML. What differs between an Anki package and a page is left to its
 * subclasses: files, formulas, cloze deletions and other cards.
 */
export abstract class HtmlWriter {
  /** How many `<details>` have no end yet. */
  #details = 0;

  /** What is open at the end of a side would close over all that comes below it. */
  side(blocks: readonly Block[]): string {
    const html = this.blocks(blocks);
    return `${html}${"</details>".repeat(this.#details)}`;
  }

  /** Text as HTML, its line breaks not yet elements. */
  protected abstract text(text: string): string;
  protected abstract math(source: string, display: boolean): string;
  /** What the parser left unparsed for its length. */
  protected abstract raw(text: string): string;
  protected abstract cut(characters: number): string;
  /** The attributes of the element of a link; undefined where only its text is shown. */
  protected abstract link(href: string): string | undefined;
  protected abstract image(src: string, alt: string): string;
  protected abstract cloze(node: Of<"cloze">): string;
  protected abstract reference(node: Of<"reference">): string;
  protected abstract embed(node: Of<"embed">): string;
  protected abstract tag(name: string): string;
  protected abstract placeholder(name: string): string;
  protected abstract pre(language: string, text: string): string;

  protected blocks(blocks: readonly Block[]): string {
    const [only] = blocks;
    if (blocks.length === 1 && only?.type === "paragraph") return this.line(only.children);
    return blocks.map((block) => this.#block(block)).join("\n");
  }

  /** The text of a paragraph; `<details>` begin a line themselves. */
  protected line(nodes: readonly Inline[]): string {
    return this.inlines(nodes).replace(/(?:<br>)*(<\/?(?:details|summary)>)(?:<br>)*/g, "$1");
  }

  protected paragraph(text: string): string {
    return /<\/?(?:details|summary)>/.test(text) ? text : `<p>${text}</p>`;
  }

  protected inlines(nodes: readonly Inline[]): string {
    return nodes.map((node) => this.#inline(node)).join("");
  }

  #block(block: Block): string {
    switch (block.type) {
      case "paragraph":
        return this.paragraph(this.line(block.children));
      case "heading":
        return `<h${block.depth}>${this.inlines(block.children)}</h${block.depth}>`;
      case "code":
        return this.pre(block.language, block.text);
      case "quote":
        return `<blockquote>${this.blocks(block.children)}</blockquote>`;
      case "list": {
        const tag = block.start === null ? "ul" : "ol";
        const start = block.start === null || block.start === 1 ? "" : ` start="${block.start}"`;
        const items = block.items.map(({ checked, children }) => {
          const box = checked === null ? "" : checked ? "☑ " : "☐ ";
          // Without anything in it an item would be lost on the way back.
          return `<li>${`${box}${this.blocks(children)}` || "<br>"}</li>`;
        });
        return `<${tag}${start}>${items.join("")}</${tag}>`;
      }
      case "table":
        return this.#table(block);
      case "rule":
        return "<hr>";
      case "math":
        return this.math(block.source, true);
      case "raw":
        return this.raw(block.text);
      case "footnotes":
        return block.notes
          .map(({ number, children }) => `<p><sup>${number}</sup> ${this.inlines(children)}</p>`)
          .join("");
      case "cut":
        return this.cut(block.characters);
    }
  }

  #table({ header, rows }: Extract<Block, { readonly type: "table" }>): string {
    const row = (cells: readonly (readonly Inline[])[], tag: string) =>
      `<tr>${cells.map((cell) => `<${tag}>${this.inlines(cell)}</${tag}>`).join("")}</tr>`;
    const body = rows.map((cells) => row(cells, "td")).join("");
    return `<table><thead>${row(header, "th")}</thead><tbody>${body}</tbody></table>`;
  }

  #inline(node: Inline): string {
    switch (node.type) {
      case "text":
      case "drawn":
        // A line of a paragraph is one in a review, too; HTML would join them.
        return this.text(node.text).replace(/\n/g, "<br>");
      case "tag of details":
        return this.#tagOfDetails(node.name, node.ends);
      case "code":
        return `<code>${this.text(node.text)}</code>`;
      case "break":
        return "<br>";
      case "ruby":
        return `<ruby>${this.inlines(node.children)}<rt>${this.inlines(node.reading)}</rt></ruby>`;
      case "footnote":
        return `<sup>${node.number}</sup>`;
      case "link": {
        const [attributes, text] = [this.link(node.href), this.inlines(node.children)];
        return attributes === undefined ? text : `<a ${attributes}>${text}</a>`;
      }
      case "image":
        return this.image(node.src, node.alt);
      case "cloze":
        return this.cloze(node);
      case "reference":
        return this.reference(node);
      case "embed":
        return this.embed(node);
      case "tag":
        return this.tag(node.name);
      case "math":
        return this.math(node.source, node.display);
      case "placeholder":
        return this.placeholder(node.name);
      default: {
        const element = elements[node.type];
        return `<${element}>${this.inlines(node.children)}</${element}>`;
      }
    }
  }

  #tagOfDetails(name: "details" | "summary", ends: boolean): string {
    if (name === "details") {
      if (ends && this.#details === 0) return "";
      this.#details += ends ? -1 : 1;
    }
    return `<${ends ? "/" : ""}${name}>`;
  }
}
