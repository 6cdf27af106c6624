import { Lexer, type MarkedOptions, type Token, type TokensList } from "marked";
import { bounds } from "./bounds.ts";

const meaningful = /[\\`*_~=[\]()!<>{}$#@|&]/g;

/** The lexer of marked within the bounds. */
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
