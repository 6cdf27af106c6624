import { bounds } from "../../../cards/bounds.ts";
import type { Block, ClozeGroup, Inline } from "../../../cards/nodes.ts";
import { parseSide } from "../../../cards/parse.ts";
import { decodedName, typeOf } from "../../media.ts";

export interface HtmlOptions {
  /** The names that may be in `<< >>`. */
  readonly placeholders?: Iterable<string>;
  /** What a placeholder becomes. */
  placeholder?(name: string): string;
  /** The number of a cloze deletion in Anki; deletions are text if not given. */
  cloze?(group: ClozeGroup): number;
  /** The name in the package of a file that is linked to. */
  media(fileName: string): string;
}

const kept = new Set("br b i u s sub sup mark kbd ruby rb rt rp details summary".split(" "));

/**
 * Renders markdown of the card language as the HTML that Anki's fields and templates hold: formulas between `\(` and `\)`,
 * sounds as `[sound:…]`, deletions as `{{c1::…}}`. What the parser leaves unparsed for its length is text.
 */
export function toHtml(markdown: string, options: HtmlOptions): string {
  if (markdown.length > bounds.source) return escapeHtml(markdown).replace(/\n/g, "<br>");
  return new Renderer(options).side(parseSide(markdown, { ...options, details: "tags" }));
}

/** Braces would begin a field or a deletion. */
const escapeHtml = (text: string): string =>
  text
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/\{\{/g, "&#123;&#123;")
    .replace(/\}\}/g, "&#125;&#125;");

class Renderer {
  readonly #options: HtmlOptions;
  /** Inside a deletion two colons would begin its hint, and two braces end it. */
  #deletions = 0;
  /** How many `<details>` have no end yet. */
  #details = 0;

  constructor(options: HtmlOptions) {
    this.#options = options;
  }

  /** What is open at the end of a side would close over all that the template has below it. */
  side(blocks: readonly Block[]): string {
    const html = this.blocks(blocks);
    return `${html}${"</details>".repeat(this.#details)}`;
  }

  blocks(blocks: readonly Block[]): string {
    const [only] = blocks;
    if (blocks.length === 1 && only?.type === "paragraph") return this.#paragraph(only.children);
    return blocks.map((block) => this.#block(block)).join("\n");
  }

  #block(block: Block): string {
    switch (block.type) {
      case "paragraph": {
        const text = this.#paragraph(block.children);
        // The tag of a condition may begin in one paragraph and end in another.
        // `<details>` ends a paragraph itself.
        return /^(?:\{\{[#^/][^{}]*\}\}\s*)+$|<\/?(?:details|summary)>/.test(text) ? text : `<p>${text}</p>`;
      }
      case "heading":
        return `<h${block.depth}>${this.#inlines(block.children)}</h${block.depth}>`;
      case "code": {
        const language = block.language === "" ? "" : ` class="language-${attribute(block.language)}"`;
        return `<pre><code${language}>${escapeHtml(block.text)}</code></pre>`;
      }
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
      case "table": {
        const row = (cells: readonly (readonly Inline[])[], tag: string) =>
          `<tr>${cells.map((cell) => `<${tag}>${this.#inlines(cell)}</${tag}>`).join("")}</tr>`;
        const rows = block.rows.map((cells) => row(cells, "td")).join("");
        return `<table><thead>${row(block.header, "th")}</thead><tbody>${rows}</tbody></table>`;
      }
      case "rule":
        return "<hr>";
      case "math":
        return `\\[${this.#text(block.source)}\\]`;
      case "raw":
        return safeHtml(block.text, this.#options.media);
      case "footnotes":
        return block.notes
          .map(({ number, children }) => `<p><sup>${number}</sup> ${this.#inlines(children)}</p>`)
          .join("");
      case "cut":
        return "";
    }
  }

  /** The tag of a condition that is alone on its line is no line of the card, and `<details>` begin one. */
  #paragraph(nodes: readonly Inline[]): string {
    return this.#inlines(nodes)
      .replace(/(?<=^|<br>)(\{\{[#^/][^{}]*\}\})<br>/g, "$1")
      .replace(/(?:<br>)*(<\/?(?:details|summary)>)(?:<br>)*/g, "$1");
  }

  #inlines(nodes: readonly Inline[]): string {
    return nodes.map((node) => this.#inline(node)).join("");
  }

  #inline(node: Inline): string {
    const { media, placeholder, cloze } = this.#options;
    switch (node.type) {
      case "text":
      case "drawn":
        // A line of a paragraph is one in a review, too; HTML would join them.
        return this.#text(node.text).replace(/\n/g, "<br>");
      case "tag of details":
        return this.#tag(node.name, node.ends);
      case "code":
        return `<code>${this.#text(node.text)}</code>`;
      case "break":
        return "<br>";
      case "strong":
        return `<b>${this.#inlines(node.children)}</b>`;
      case "emphasis":
        return `<i>${this.#inlines(node.children)}</i>`;
      case "strikethrough":
        return `<s>${this.#inlines(node.children)}</s>`;
      case "highlight":
        return `<mark>${this.#inlines(node.children)}</mark>`;
      case "underline":
        return `<u>${this.#inlines(node.children)}</u>`;
      case "subscript":
        return `<sub>${this.#inlines(node.children)}</sub>`;
      case "superscript":
        return `<sup>${this.#inlines(node.children)}</sup>`;
      case "keyboard":
        return `<kbd>${this.#inlines(node.children)}</kbd>`;
      case "ruby":
        return `<ruby>${this.#inlines(node.children)}<rt>${this.#inlines(node.reading)}</rt></ruby>`;
      case "footnote":
        return `<sup>${node.number}</sup>`;
      case "link": {
        const href = node.href.startsWith("@media/") ? media(mediaName(node.href)) : node.href;
        return `<a href="${attribute(href)}">${this.#inlines(node.children)}</a>`;
      }
      case "image":
        return this.#image(node.src, node.alt);
      case "cloze": {
        if (cloze === undefined) return this.#inlines(node.children);
        this.#deletions++;
        const text = this.#inlines(node.children);
        this.#deletions--;
        return `{{c${cloze(node.group)}::${text}}}`;
      }
      case "reference":
        return this.#text(node.title ?? node.target);
      case "embed":
        return this.#text(`![[${node.target}${node.side === null ? "" : `/${node.side}`}]]`);
      case "tag":
        return this.#text(`#${node.name}`);
      case "math":
        return node.display ? `\\[${this.#text(node.source)}\\]` : `\\(${this.#text(node.source)}\\)`;
      case "placeholder":
        return placeholder?.(node.name) ?? "";
    }
  }

  #tag(name: "details" | "summary", ends: boolean): string {
    if (name === "details") {
      if (ends && this.#details === 0) return "";
      this.#details += ends ? -1 : 1;
    }
    return `<${ends ? "/" : ""}${name}>`;
  }

  #image(src: string, alt: string): string {
    const title = alt === "" ? "" : ` alt="${attribute(alt)}"`;
    const given = fileNameIn(src);
    if (given === undefined) return `<img src="${attribute(src)}"${title}>`;
    const name = this.#options.media(given);
    if (/^(?:audio|video)\//.test(typeOf(given))) return `[sound:${escapeHtml(name)}]`;
    return `<img src="${attribute(name)}"${title}>`;
  }

  #text(text: string): string {
    // HTML shows several blanks as one.
    const escaped = escapeHtml(text).replace(/ {2,}/g, (blanks) => `${"&nbsp;".repeat(blanks.length - 1)} `);
    if (this.#deletions === 0) return escaped;
    return escaped.replace(/::/g, ":&#58;").replace(/\}(?=\}|$)/g, "&#125;");
  }
}

const mediaName = (src: string) => decodedName(src.slice("@media/".length));

/** The name of the file that a picture shows; undefined for an address, and for a path, which leads out of Anki's folder. */
function fileNameIn(src: string): string | undefined {
  if (src.startsWith("@media/")) return mediaName(src);
  return src === "" || /^[a-z][a-z\d+.-]*:|\/|%2f/i.test(src) ? undefined : decodedName(src);
}

const attribute = (text: string) => escapeHtml(text).replace(/"/g, "&quot;");

/** HTML with only those elements that the card language has; their attributes are removed, but for a picture's source. */
function safeHtml(html: string, media: HtmlOptions["media"]): string {
  return html.replace(
    /<!--[\s\S]*?-->|<(\/?)([A-Za-z][\w-]*)([^<>]*)>?/g,
    (_, close = "", name = "", rest = "") => {
      const tag = name.toLowerCase();
      if (tag === "img") {
        const src = /\bsrc\s*=\s*["']?([^\s"'<>]+)/i.exec(rest)?.[1];
        if (src === undefined || /^(?:javascript|data):/i.test(src)) return "";
        const given = fileNameIn(src);
        return `<img src="${attribute(given === undefined ? src : media(given))}">`;
      }
      return kept.has(tag) ? `<${close}${tag}>` : "";
    },
  );
}
