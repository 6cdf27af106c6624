import { decodeHTMLStrict } from "entities/decode";
import { Marked, type Token, type Tokens } from "marked";
import { bounds } from "./bounds.ts";
import { cardExtensions } from "./extensions.ts";
import { Details, InlineBuilder, isBlank, preText } from "./html.ts";
import { BoundedLexer, CardTokenizer } from "./lexer.ts";
import { type Block, type Footnote, type Inline, plainText } from "./nodes.ts";

interface ParseOptions {
  /** Names of template fields: `<< name >>` of these is a placeholder, of any other it is text. */
  readonly placeholders?: Iterable<string>;
  /** Of `<details>` only the summary is shown where they are closed; "tags" has nodes for their tags. */
  readonly details?: "open" | "closed" | "tags";
}

const withoutPlaceholders = new Marked(cardExtensions(new Set())).defaults;

/**
 * Parses one side (CommonMark, GitHub's tables, strikethrough and task lists, and the additions of docs/design/cards.md). Never
 * throws, whatever the text; see `bounds` for what happens to a hostile one.
 */
export function parseSide(source: string, options: ParseOptions = {}): Block[] {
  if (source.length <= bounds.source) return parseBounded(source, options);
  const line = source.lastIndexOf("\n", bounds.source);
  const cut = line > 0 ? line + 1 : bounds.source;
  const raw: Block = { type: "raw", text: source.slice(cut, bounds.shown).trimEnd() };
  const blocks = [...parseBounded(source.slice(0, cut), options), raw];
  return source.length <= bounds.shown
    ? blocks
    : [...blocks, { type: "cut", characters: source.length - bounds.shown }];
}

function parseBounded(source: string, options: ParseOptions): Block[] {
  try {
    return new Converter(options.details ?? "open").side(lex(source, new Set(options.placeholders)));
  } catch {
    // Only a defect of the parser leads here: show the source.
    return [{ type: "raw", text: source }];
  }
}

function lex(source: string, placeholders: ReadonlySet<string>): Token[] {
  const defaults =
    placeholders.size === 0 ? withoutPlaceholders : new Marked(cardExtensions(placeholders)).defaults;
  return new BoundedLexer({ ...defaults, tokenizer: new CardTokenizer() }, source.length).lex(source);
}

/** Converts the parser's tokens of one side to blocks. */
class Converter {
  /** The footnotes of the side by their labels; numbered when they are first referred to. */
  readonly #notes = new Map<string, { number: number; readonly tokens: readonly Token[] }>();
  #numbered = 0;
  readonly #details: Details;

  constructor(details: "open" | "closed" | "tags") {
    this.#details = new Details(details);
  }

  side(tokens: readonly Token[]): Block[] {
    for (const token of tokens as Tokens.Generic[])
      if (token.type === "note" && !this.#notes.has(token["label"]))
        this.#notes.set(token["label"], { number: 0, tokens: token.tokens ?? [] });
    const blocks = this.#blocks(tokens);
    const notes: Footnote[] = [...this.#notes].map(([label, { tokens }]) => ({
      children: this.#inline(tokens),
      number: this.#number(label) ?? 0,
    }));
    if (notes.length === 0) return blocks;
    return [...blocks, { type: "footnotes", notes: notes.toSorted((a, b) => a.number - b.number) }];
  }

  /** The number of a footnote; undefined if there is none of that label. */
  #number(label: string): number | undefined {
    const note = this.#notes.get(label);
    if (note?.number === 0) note.number = ++this.#numbered;
    return note?.number;
  }

  #blocks(tokens: readonly Token[]): Block[] {
    return tokens.flatMap((token) => {
      const { hides } = this.#details;
      const block = this.#block(token as Tokens.Generic);
      return block === undefined || (hides && block.type !== "paragraph") ? [] : block;
    });
  }

  #block(token: Tokens.Generic): Block | undefined {
    switch (token.type) {
      case "paragraph":
      case "text": {
        const children = this.#inline(token.tokens ?? [token]);
        return isBlank(children) ? undefined : { type: "paragraph", children };
      }
      case "heading":
        return { type: "heading", depth: token["depth"], children: this.#inline(token.tokens ?? []) };
      case "code":
        return { type: "code", language: languageOf(token["lang"]), text: token["text"].replace(/\n$/, "") };
      case "blockquote":
        return { type: "quote", children: this.#blocks(token.tokens ?? []) };
      case "list":
        return this.#list(token as Tokens.List);
      case "table":
        return this.#table(token as Tokens.Table);
      case "hr":
        return { type: "rule" };
      case "math":
        return { type: "math", source: token["source"].trim() };
      case "html":
        return /^\s*<(?:pre|textarea)\b/i.test(token.raw)
          ? { type: "code", language: "", text: preText(token.raw) }
          : undefined;
      case "raw":
        return { type: "raw", text: token.raw.trimEnd() };
      default:
        return undefined;
    }
  }

  #list(token: Tokens.List): Block {
    return {
      type: "list",
      start: token.ordered ? Number(token.start) : null,
      loose: token.loose,
      items: token.items.map((item) => ({
        checked: item.task ? item.checked === true : null,
        children: this.#blocks(item.tokens),
      })),
    };
  }

  #table(token: Tokens.Table): Block {
    return {
      type: "table",
      align: token.align.map((align) => align ?? "left"),
      header: token.header.map((cell) => this.#inline(cell.tokens)),
      rows: token.rows.map((row) => row.map((cell) => this.#inline(cell.tokens))),
    };
  }

  #inline(tokens: readonly Token[]): Inline[] {
    const builder = new InlineBuilder(this.#details);
    for (const token of tokens) {
      if (token.type === "html") builder.tag(token.raw);
      else {
        const node = this.#inlineNode(token as Tokens.Generic);
        if (node) builder.add(node);
      }
    }
    return builder.finish();
  }

  #inlineNode(token: Tokens.Generic): Inline | undefined {
    const group = groups[token.type];
    if (group !== undefined) return { type: group, children: this.#inline(token.tokens ?? []) };
    switch (token.type) {
      case "text":
        return { type: "text", text: decodeHTMLStrict(token["text"]) };
      case "escape":
        return { type: "text", text: token["text"] };
      case "cloze":
        return { type: "cloze", group: token["group"], children: this.#inline(token.tokens ?? []) };
      case "link":
        return {
          type: "link",
          href: decodeHTMLStrict(token["href"]),
          children: this.#inline(token.tokens ?? []),
        };
      case "image":
        return {
          type: "image",
          src: decodeHTMLStrict(token["href"]),
          alt: plainText(this.#inline(token.tokens ?? [])),
        };
      case "footnote": {
        const number = this.#number(token["label"]);
        return number === undefined ? { type: "text", text: token.raw } : { type: "footnote", number };
      }
      default:
        return leafNode(token);
    }
  }
}

const groups: Readonly<Record<string, "strong" | "emphasis" | "strikethrough" | "highlight">> = {
  strong: "strong",
  em: "emphasis",
  del: "strikethrough",
  highlight: "highlight",
};

/** The node of a token without children. */
function leafNode(token: Tokens.Generic): Inline | undefined {
  switch (token.type) {
    case "codespan":
      return { type: "code", text: token["text"] };
    case "br":
      return { type: "break" };
    case "ruby":
    case "math":
    case "reference":
    case "embed":
    case "tag":
    case "placeholder": {
      const { raw: _, length: __, ...node } = token;
      return node as Inline;
    }
    default:
      return undefined;
  }
}

const languageOf = (info: unknown) =>
  typeof info === "string" ? (/^\S*/.exec(info)?.[0] ?? "").toLowerCase() : "";
