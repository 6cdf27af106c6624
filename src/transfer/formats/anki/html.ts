import { decodeHTMLStrict } from "entities/decode";
import { mediaLink } from "../../media.ts";
import { escapeText, onOneLine, replaceBetween } from "./escape.ts";
import { markdownOf } from "./html-blocks.ts";

/** The result of a conversion. */
interface Converted {
  readonly markdown: string;
  /** The media files that it shows or plays. */
  readonly media: readonly string[];
  /** What was left out. */
  readonly dropped: ReadonlySet<string>;
}

const formulas: readonly { open: RegExp; close: string; display: boolean }[] = [
  { open: /\\\[/g, close: "\\]", display: true },
  { open: /\\\(/g, close: "\\)", display: false },
  { open: /\[latex\]/g, close: "[/latex]", display: true },
  { open: /\[\$\$\]/g, close: "[/$$]", display: true },
  { open: /\[\$\]/g, close: "[/$]", display: false },
];
const longestFormula = 20_000;

const kinds: readonly (readonly [form: RegExp, marker: string])[] = [
  [/^(?:\{\{\d+::)+$/, "\ue0f2"],
  [/^\}+$/, "\ue0f3"],
  [/^<< [#^/]/, "\ue0f5"],
  [/^<< /, "\ue0f4"],
];

/**
 * Converts the HTML of Anki's fields and templates to markdown, by a tree of blocks. Scripts and styles are removed, links
 * only lead to the web, media becomes attachments, formulas stay LaTeX, and text that would be syntax of the card language
 * is escaped.
 */
export class HtmlConverter {
  #media = new Set<string>();
  #dropped = new Set<string>();
  #kept: string[] = [];

  /**
   * A marker, of code points of the private use area, for markdown that is inserted unchanged at the end. It may stand in
   * text and in attributes. Braces of deletions, fields of templates and their conditions have markers of their own: emphasis
   * must not cross braces, has no delimiters around a field, whose value may be blank, and does not hold conditions.
   */
  keep(markdown: string): string {
    if (markdown === "") return "";
    const kind = kinds.find(([form]) => form.test(markdown))?.[1] ?? "\ue0f0";
    return `${kind}${this.#kept.push(markdown) - 1}\ue0f1`;
  }

  /** Converts, and discards what was kept. */
  convert(html: string): Converted {
    const source = this.#prepare(html);
    const markdown = /[<&]/.test(source) ? this.#ofTree(source) : textMarkdown(source);
    const result = {
      markdown: this.#restore(markdown).trim(),
      media: [...this.#media],
      dropped: this.#dropped,
    };
    this.#media = new Set();
    this.#dropped = new Set();
    this.#kept = [];
    return result;
  }

  #ofTree(html: string): string {
    const markdown = markdownOf(html, {
      media: (name, alt) => `![${escapeText(alt)}](${this.#link(name)})`,
      drop: (what) => this.#dropped.add(what),
    });
    if (markdown !== undefined) return markdown;
    this.#dropped.add("markup nested too deep");
    return textMarkdown(decodeHTMLStrict(html.replace(/<[^<>]*>/g, " ")));
  }

  /** Replaces formulas and sounds, which are not HTML, by placeholders. */
  #prepare(html: string): string {
    if (!/[\\[]/.test(html)) return html;
    let text = html;
    for (const { open, close, display } of formulas)
      text = replaceBetween(text, open, close, longestFormula, (source) =>
        this.keep(mathText(source, display)),
      );
    return text.replace(/\[sound:([^\]\r\n]{1,500})\]/g, (_, name: string) =>
      this.keep(`![](${this.#link(decodeHTMLStrict(name))})`),
    );
  }

  #restore(markdown: string): string {
    let restored = markdown;
    // Kept markdown may contain placeholders: a formula inside a cloze deletion.
    for (let round = 0; round < 4 && restored.includes("\ue0f1"); round++)
      restored = restored.replace(
        /[\ue0f0\ue0f2-\ue0f5](\d+)\ue0f1/g,
        (marker, index: string) => this.#kept[Number(index)] ?? marker,
      );
    return restored;
  }

  /** The link to a media file, which is recorded. */
  #link(given: string): string {
    // Attachments have composed accents; in the package they may be decomposed.
    const name = given.normalize("NFC");
    if (name.includes("\ue0f4")) {
      // The name comes from a field of the template; the files are not known here.
      this.#dropped.add("media that fields name");
      return `@media/${name}`;
    }
    this.#media.add(name);
    return mediaLink(name);
  }
}

/** Formulas lose tags and entities; a blank line would end them. */
function mathText(source: string, display: boolean): string {
  const plain = withoutDollars(
    decodeHTMLStrict(
      source.replace(/<br\s*\/?>|<\/?(?:div|p)[^<>]*>/gi, "\n").replace(/<[^<>]*>/g, ""),
    ).replace(/\u00a0/g, " "),
  )
    .replace(/\n\s*\n/g, "\n")
    .trim();
  if (plain === "") return "";
  return display ? `$$${plain}$$` : `$${onOneLine(plain)}$`;
}

/** The formula without dollar signs at its ends, which ours replace. */
function withoutDollars(text: string): string {
  const formula = text.trim().replace(/^\$+/, "");
  let end = formula.length;
  while (formula[end - 1] === "$") end--;
  return formula.slice(0, end);
}

/** Blanks at the start of a line have no meaning in HTML; in markdown they may start a code block. */
const textMarkdown = (text: string) => escapeText(text.replace(/^[ \t]+/gm, "")).trim();
