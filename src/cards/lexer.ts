import { Lexer, type MarkedOptions, type Token, Tokenizer, type Tokens, type TokensList } from "marked";
import { bounds } from "./bounds.ts";

const meaningful = /[\\`*_~=[\]()!<>{}$#@|&]/g;

/** The lexer of marked, kept within the bounds. */
export class BoundedLexer extends Lexer {
  #blockDepth = 0;
  #inlineDepth = 0;
  #inlineWork: number = bounds.inlineWork;
  #blockWork: number;

  constructor(options: MarkedOptions, length: number) {
    super(options);
    this.#blockWork = 1_000_000 + length * bounds.blockPasses;
  }

  override blockTokens(source: string, tokens?: Token[], clipped?: boolean): Token[];
  override blockTokens(source: string, tokens?: TokensList, clipped?: boolean): TokensList;
  override blockTokens(source: string, tokens: Token[] = [], clipped = false): Token[] {
    this.#blockWork -= source.length;
    if (this.#blockDepth >= bounds.blockDepth || this.#blockWork < 0) {
      tokens.push({ ...plain(source), tokens: [plain(source)] });
      return tokens;
    }
    this.#blockDepth++;
    try {
      return super.blockTokens(source, tokens, clipped);
    } finally {
      this.#blockDepth--;
    }
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (source.length > bounds.run) {
      for (const piece of pieces(source)) this.inlineTokens(piece, tokens);
      return tokens;
    }
    this.#inlineWork -= source.length * (1 + (source.match(meaningful)?.length ?? 0));
    if (this.#inlineDepth >= bounds.inlineDepth || this.#inlineWork < 0) {
      tokens.push(plain(source));
      return tokens;
    }
    this.#inlineDepth++;
    try {
      return super.inlineTokens(source, tokens);
    } finally {
      this.#inlineDepth--;
    }
  }
}

const plain = (text: string) => ({ type: "text", raw: text, text, escaped: false });

function* pieces(source: string): Generator<string> {
  let start = 0;
  while (source.length - start > bounds.run) {
    const window = source.slice(start, start + bounds.run);
    const gap = Math.max(window.lastIndexOf("\n"), window.lastIndexOf(" "));
    const length = gap > 0 ? gap + 1 : /[\ud800-\udbff]$/.test(window) ? bounds.run - 1 : bounds.run;
    yield source.slice(start, start + length);
    start += length;
  }
  yield source.slice(start);
}

/** The block rules of marked, changed to those of docs/design/cards.md and kept within the bounds. */
export class CardTokenizer extends Tokenizer {
  /** A line of dashes never makes the line above it a heading (docs/design/cards.md). */
  override lheading(source: string): Tokens.Heading | undefined {
    const underline = this.rules.block.lheading.exec(source)?.[2];
    return underline?.startsWith("=") ? super.lheading(source) : undefined;
  }

  override blockquote(source: string): Tokens.Blockquote | undefined {
    return super.blockquote(containerStart(source, /^ {0,3}>/));
  }

  override list(source: string): Tokens.List | undefined {
    return super.list(containerStart(source, /^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]/));
  }

  /**
   * HTML is a paragraph whose tags are inline nodes, so that cloze deletions and markdown within it count; `<pre>` and
   * what a browser does not show stay as they are.
   */
  override html(source: string): Tokens.HTML | undefined {
    const token = super.html(source);
    if (token === undefined || /^ {0,3}<(?:[!?]|(?:pre|script|style|textarea)\b)/i.test(token.raw))
      return token;
    const tokens: Token[] = [];
    this.lexer.inline(token.raw.trim(), tokens);
    return { type: "paragraph", raw: token.raw, text: token.raw, tokens } as unknown as Tokens.HTML;
  }

  /** Marked fills every row up to the width of the header, however many there are. */
  override table(source: string): Tokens.Table | undefined {
    const raw = this.rules.block.table.exec(source)?.[0];
    if (raw === undefined) return undefined;
    if (cells(raw) <= bounds.cells) return super.table(source);
    return { type: "raw", raw, text: raw } as unknown as Tokens.Table;
  }
}

/**
 * The part of the source that one quote or list may take; the rest becomes another. Cut before a line with a marker
 * where there is one, so that the cut is not visible.
 */
function containerStart(source: string, marker: RegExp): string {
  if (source.length <= bounds.container || !/^ {0,3}[->*+\d]/.test(source)) return source;
  const last = source.lastIndexOf("\n", bounds.container);
  for (let cut = last; cut > bounds.container - 500; cut = source.lastIndexOf("\n", cut - 1)) {
    if (marker.test(source.slice(cut + 1, cut + 20))) return source.slice(0, cut + 1);
  }
  const cut = last < 0 ? source.indexOf("\n", bounds.container) : last;
  return cut < 0 ? source : source.slice(0, cut + 1);
}

function cells(raw: string): number {
  let rows = 0;
  for (let at = raw.indexOf("\n"); at >= 0; at = raw.indexOf("\n", at + 1)) rows++;
  return rows * raw.slice(0, raw.indexOf("\n")).split("|").length;
}
