import { FenceScan } from "../../../cards/sides.ts";
import { mediaLink } from "../../media.ts";
import { onOneLine, replaceBetween } from "./between.ts";
import { decodeEntities, escapeText } from "./escape.ts";
import { createTurndown, type Dropped } from "./turndown.ts";

/** The result of a conversion. */
interface Converted {
  readonly markdown: string;
  /** The media files that it shows or plays. */
  readonly media: readonly string[];
  /** What was left out. */
  readonly dropped: ReadonlySet<Dropped>;
}

/** The delimiters of formulas; `display` is undefined where the opening one has an attribute for it. */
const formulas: readonly { open: RegExp; close: string; display: boolean | undefined }[] = [
  { open: /\\\[/g, close: "\\]", display: true },
  { open: /\\\(/g, close: "\\)", display: false },
  { open: /\[latex\]/g, close: "[/latex]", display: true },
  { open: /\[\$\$\]/g, close: "[/$$]", display: true },
  { open: /\[\$\]/g, close: "[/$]", display: false },
  { open: /<anki-mathjax[^<>]*>/g, close: "</anki-mathjax>", display: undefined },
];
const longestFormula = 20_000;

/** Adjacent elements of the same emphasis: in markdown the delimiters between them would be text. */
const nextToEachOther = /<\/(b|strong|i|em|s|del|mark)><\1(?:\s[^<>]*)?>/gi;

/** Lists after each other, with nothing but blank lines between them. */
const listsNextToEachOther =
  /<\/([ou]l)>(?:\s|&nbsp;|<br\s*\/?>|<(div|p)>(?:\s|<br\s*\/?>)*<\/\2>)*<\1(?:\s[^<>]*)?>/gi;

/** The deepest nesting of elements; the time of the parser and the converter grows with more than that. */
const deepest = 100;

/**
 * Converts the HTML of Anki's fields and templates to markdown, with turndown. Scripts and styles are removed, links only
 * lead to the web, media becomes attachments, formulas stay LaTeX, and text that would be syntax of the card language is
 * escaped. Markdown that turndown must not touch is represented by code points of the private use area: see `keep`.
 */
export class HtmlConverter {
  readonly #turndown: (html: string) => string;
  #media = new Set<string>();
  #dropped = new Set<Dropped>();
  #kept: string[] = [];

  constructor() {
    this.#turndown = createTurndown({
      media: (name, alt) => `![${escapeText(alt)}](${this.#link(name)})`,
      drop: (what) => this.#dropped.add(what),
      keep: (markdown) => this.keep(markdown),
    });
  }

  /** A placeholder for markdown that is inserted unchanged at the end. */
  keep(markdown: string): string {
    return `\ue0f0${this.#kept.push(markdown) - 1}\ue0f1`;
  }

  /** Converts, and discards what was kept. */
  convert(html: string): Converted {
    const source = this.#prepare(html);
    const plain = !/[<&]/.test(source);
    let markdown: string;
    if (plain) markdown = textMarkdown(source);
    else if (depthOf(source) > deepest) {
      this.#dropped.add("markup nested too deep");
      markdown = textMarkdown(decodeEntities(source.replace(/<[^<>]*>/g, " ")));
    } else markdown = this.#turndown(source);
    const result = {
      markdown: tidy(this.#restore(markdown)),
      media: [...this.#media],
      dropped: this.#dropped,
    };
    this.#media = new Set();
    this.#dropped = new Set();
    this.#kept = [];
    return result;
  }

  /** Replaces formulas and sounds, which are not HTML, by placeholders. */
  #prepare(html: string): string {
    if (!/[\\[{<]/.test(html)) return html;
    let text = html;
    for (const { open, close, display } of formulas)
      text = replaceBetween(
        text,
        open,
        close,
        (source, opening) => this.keep(mathText(source, display ?? opening.includes("block"))),
        { most: longestFormula },
      );
    return text
      .replace(/\[sound:([^\]\r\n]{1,500})\]/g, (_, name: string) =>
        this.keep(`![](${this.#link(decodeEntities(name))})`),
      )
      .replace(listsNextToEachOther, "")
      .replace(nextToEachOther, "")
      .replace(nextToEachOther, "");
  }

  #restore(markdown: string): string {
    let restored = markdown;
    // Kept markdown may contain placeholders: a formula inside a cloze deletion.
    for (let round = 0; round < 4 && restored.includes("\ue0f0"); round++)
      restored = restored.replace(
        /\ue0f0(\d+)\ue0f1/g,
        (marker, index: string) => this.#kept[Number(index)] ?? marker,
      );
    return restored;
  }

  /** The link to a media file, which is recorded. */
  #link(given: string): string {
    // Attachments have composed accents; in the package they may be decomposed.
    const name = given.normalize("NFC");
    if (name.includes("\ue0f0")) {
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
    decodeEntities(
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

/** Removes repeated blank lines, blanks at the ends of lines and non-breaking spaces, except in code. */
function tidy(markdown: string): string {
  if (!/\u00a0|\n {0,3}\n| \n/.test(markdown)) return markdown.trim();
  const fences = new FenceScan();
  const tidied: string[] = [];
  let inCode = false;
  for (const given of markdown.split("\n")) {
    const last = tidied.at(-1) ?? "";
    const before = inCode;
    inCode = fences.inside(given);
    const line = inCode ? given : plainBlanks(given);
    // Lists after each other are one in markdown, whatever elements they are in.
    if (last === "" && line.startsWith("-   ") && /^(?:-| {3}) /.test(tidied.at(-2) ?? "")) tidied.pop();
    // More blanks than three may be a line of code inside a list.
    if (inCode || !/^ {0,3}$/.test(line)) tidied.push(line);
    else if (last !== "") {
      // A line break at the end of a paragraph breaks nothing.
      if (!before) tidied[tidied.length - 1] = last.trimEnd();
      tidied.push("");
    }
  }
  return tidied.join("\n").trim();
}

/** Keeps the non-breaking spaces that indent a line: plain ones would show nothing, or start a code block. */
function plainBlanks(line: string): string {
  const [, begin = "", run = ""] = /^((?:[ >]|[-+*] |\d{1,9}[.)] )*)(\u00a0[ \u00a0]*)?/.exec(line) ?? [];
  const indentation = run.length > 1 ? "\u00a0".repeat(run.length) : "";
  const text = line.slice(begin.length + run.length).replaceAll("\u00a0", " ");
  const end = text.trimEnd();
  if (end === "") return begin;
  return begin + indentation + end + (text.length - end.length > 1 ? "  " : "");
}

/** Elements that need no closing tag. */
const shallow =
  /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|p|li|td|th|tr|dt|dd|option)$/i;

/** The depth of nested elements, counted without parsing. */
function depthOf(html: string): number {
  let depth = 0;
  let deepestSeen = 0;
  for (const match of html.matchAll(/<(\/?)([A-Za-z][\w-]*)/g)) {
    if (shallow.test(match[2] ?? "")) continue;
    depth = Math.max(0, depth + (match[1] === "/" ? -1 : 1));
    if (depth > deepestSeen) deepestSeen = depth;
  }
  return deepestSeen;
}
