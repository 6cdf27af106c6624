import type { MarkedExtension, Token, TokenizerThis, Tokens } from "marked";
import {
  readCloze,
  readEmbed,
  readHighlight,
  readMath,
  readOlderReference,
  readPlaceholder,
  readReference,
  readTag,
} from "./syntax.ts";

/** The most cells a table may have; marked would fill every row of a hostile one up to the width of its header. */
const maxCells = 20_000;

const beginnings = /\{\{|==|!?\[\[|@\[|<<|[#$]/;

/** The additions of the card language as extensions of marked. `placeholders`: the field names that may stand in `<< >>`. */
export function cardExtensions(placeholders: ReadonlySet<string>): MarkedExtension {
  return {
    gfm: true,
    extensions: [
      {
        name: "card",
        level: "inline",
        start: (source) => {
          const at = source.search(beginnings);
          return at < 0 ? undefined : at;
        },
        tokenizer(source, before) {
          return readInline(this, source, before, placeholders);
        },
      },
      { name: "math", level: "block", start: mathStart, tokenizer: (source) => readMathBlock(source) },
    ],
    hooks: { emStrongMask: (source) => mask(source, placeholders) },
    tokenizer: {
      // A line of dashes never makes the line above it a heading (cards.md).
      lheading(source) {
        const found = this.rules.block.lheading.exec(source);
        return found?.[2]?.startsWith("-") ? undefined : false;
      },
      table(source) {
        const raw = this.rules.block.table.exec(source)?.[0];
        if (raw === undefined || cells(raw) <= maxCells) return false;
        return { type: "code", raw, text: raw } as unknown as Tokens.Table;
      },
    },
  };
}

/** How many cells marked would make of a table: its rows times the columns of its header. */
function cells(raw: string): number {
  let rows = 0;
  for (let at = raw.indexOf("\n"); at >= 0; at = raw.indexOf("\n", at + 1)) rows++;
  return rows * raw.slice(0, raw.indexOf("\n")).split("|").length;
}

function readInline(
  { lexer }: TokenizerThis,
  source: string,
  before: readonly Token[],
  placeholders: ReadonlySet<string>,
): Tokens.Generic | undefined {
  const made = <T extends { length: number }>(type: string, read: T | undefined) =>
    read && { ...read, type, raw: source.slice(0, read.length) };
  const nested = <T extends { length: number; inner: string }>(type: string, read: T | undefined) =>
    read && { ...read, type, raw: source.slice(0, read.length), tokens: lexer.inlineTokens(read.inner) };
  switch (source[0]) {
    case "{":
      return nested("cloze", readCloze(source));
    case "=":
      return nested("highlight", readHighlight(source));
    case "$":
      return made("math", readMath(source));
    case "<":
      return made("placeholder", readPlaceholder(source, placeholders));
    case "!":
      return made("embed", readEmbed(source));
    default:
      if (lexer.state.inLink) return undefined;
  }
  if (source[0] === "[") return made("reference", readReference(source));
  if (source[0] === "@") return made("reference", readOlderReference(source));
  if (source[0] === "#") return made("tag", readTag(source, before.at(-1)?.raw.slice(-2) ?? ""));
  return undefined;
}

/** `$$` alone at the beginning of a block up to `$$` at the end of a line; blank lines and list markers inside are LaTeX. */
function readMathBlock(source: string): Tokens.Generic | undefined {
  if (!/^ {0,3}\$\$/.test(source)) return undefined;
  const open = source.indexOf("$$") + 2;
  const close = source.indexOf("$$", open);
  if (close < 0 || source.slice(open, close).trim() === "") return undefined;
  const rest = /^\$\$[ \t]*(?:\n|$)/.exec(source.slice(close, close + 80));
  if (!rest) return undefined;
  return {
    type: "math",
    raw: source.slice(0, close + rest[0].length),
    source: source.slice(open, close),
    display: true,
  };
}

/** Where a math block may interrupt a paragraph; looked for in that paragraph only, so that all stays linear. */
function mathStart(source: string): number | undefined {
  const end = source.indexOf("\n\n");
  const found = /\n {0,3}\$\$/.exec(end < 0 ? source : source.slice(0, end));
  return found ? found.index + 1 : undefined;
}

/** Hides what the additions hold from the search for emphasis: the `*` of `$a*b$` closes nothing. Keeps the length. */
function mask(source: string, placeholders: ReadonlySet<string>): string {
  if (!beginnings.test(source)) return source;
  let masked = "";
  let at = 0;
  while (at < source.length) {
    const next = source.slice(at).search(beginnings);
    if (next < 0) break;
    const rest = source.slice(at + next);
    const read =
      readCloze(rest) ??
      readMath(rest) ??
      readHighlight(rest) ??
      readReference(rest) ??
      readEmbed(rest) ??
      readOlderReference(rest) ??
      readPlaceholder(rest, placeholders);
    const taken = read?.length ?? 1;
    masked += source.slice(at, at + next) + (read ? `[${"a".repeat(taken - 2)}]` : rest[0]);
    at += next + taken;
  }
  return masked + source.slice(at);
}
