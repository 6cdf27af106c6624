import { bounds } from "../../../cards/bounds.ts";
import { playerOf } from "../../../cards/content-type.ts";
import type { ClozeGroup, Inline } from "../../../cards/nodes.ts";
import { parseSide } from "../../../cards/parse.ts";
import { HtmlWriter } from "../../../cards/to-html.ts";
import { decodedName } from "../../media.ts";

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

/**
 * Renders markdown of the card language as the HTML that Anki's fields and templates hold: formulas between `\(` and `\)`,
 * sounds as `[sound:…]`, deletions as `{{c1::…}}`. What the parser leaves unparsed for its length is text.
 */
export function toHtml(markdown: string, options: HtmlOptions): string {
  if (markdown.length > bounds.source) return plainHtml(markdown);
  return new AnkiWriter(options).side(parseSide(markdown, { ...options, details: "tags" }));
}

/** Braces would begin a field or a deletion. */
const escapeHtml = (text: string): string =>
  text
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/\{\{/g, "&#123;&#123;")
    .replace(/\}\}/g, "&#125;&#125;");

const plainHtml = (text: string) => escapeHtml(text).replace(/\n/g, "<br>");

class AnkiWriter extends HtmlWriter {
  readonly #options: HtmlOptions;
  /** Inside a deletion two colons would begin its hint, and two braces end it. */
  #deletions = 0;

  constructor(options: HtmlOptions) {
    super();
    this.#options = options;
  }

  /** The tag of a condition that is alone on its line is no line of the card. */
  protected override line(nodes: readonly Inline[]): string {
    return super.line(nodes).replace(/(?<=^|<br>)(\{\{[#^/][^{}]*\}\})<br>/g, "$1");
  }

  /** The tag of a condition may begin in one paragraph and end in another. */
  protected override paragraph(text: string): string {
    return /^(?:\{\{[#^/][^{}]*\}\}\s*)+$/.test(text) ? text : super.paragraph(text);
  }

  protected override text(text: string): string {
    // HTML shows several blanks as one.
    const escaped = escapeHtml(text).replace(/ {2,}/g, (blanks) => `${"&nbsp;".repeat(blanks.length - 1)} `);
    if (this.#deletions === 0) return escaped;
    return escaped.replace(/::/g, ":&#58;").replace(/\}(?=\}|$)/g, "&#125;");
  }

  protected override pre(language: string, text: string): string {
    const name = language === "" ? "" : ` class="language-${attribute(language)}"`;
    return `<pre><code${name}>${escapeHtml(text)}</code></pre>`;
  }

  protected override math(source: string, display: boolean): string {
    return display ? `\\[${this.text(source)}\\]` : `\\(${this.text(source)}\\)`;
  }

  protected override raw(text: string): string {
    return plainHtml(text);
  }

  protected override cut(): string {
    return "";
  }

  protected override link(href: string): string {
    const target = href.startsWith("@media/") ? this.#options.media(mediaName(href)) : href;
    return `href="${attribute(target)}"`;
  }

  protected override image(src: string, alt: string): string {
    const title = alt === "" ? "" : ` alt="${attribute(alt)}"`;
    const given = fileNameIn(src);
    if (given === undefined) return `<img src="${attribute(src)}"${title}>`;
    const name = this.#options.media(given);
    if (playerOf(given) !== undefined) return `[sound:${escapeHtml(name)}]`;
    return `<img src="${attribute(name)}"${title}>`;
  }

  protected override cloze({ group, children }: Inline & { type: "cloze" }): string {
    const { cloze } = this.#options;
    if (cloze === undefined) return this.inlines(children);
    this.#deletions++;
    const text = this.inlines(children);
    this.#deletions--;
    return `{{c${cloze(group)}::${text}}}`;
  }

  protected override reference({ title, target }: Inline & { type: "reference" }): string {
    return this.text(title ?? target);
  }

  protected override embed({ target, side }: Inline & { type: "embed" }): string {
    return this.text(`![[${target}${side === null ? "" : `/${side}`}]]`);
  }

  protected override tag(name: string): string {
    return this.text(`#${name}`);
  }

  protected override placeholder(name: string): string {
    return this.#options.placeholder?.(name) ?? "";
  }
}

const mediaName = (src: string) => decodedName(src.slice("@media/".length));

/** The name of the file that a picture shows; undefined for an address, and for a path, which leads out of Anki's folder. */
function fileNameIn(src: string): string | undefined {
  if (src.startsWith("@media/")) return mediaName(src);
  return src === "" || /^[a-z][a-z\d+.-]*:|\/|%2f/i.test(src) ? undefined : decodedName(src);
}

const attribute = (text: string) => escapeHtml(text).replace(/"/g, "&quot;");
