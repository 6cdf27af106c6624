import type { MarkedExtension, Token, TokenizerThis, Tokens } from "marked";
import {
  readCloze,
  readEmbed,
  readFootnote,
  readFurigana,
  readHighlight,
  readMath,
  readOlderReference,
  readPlaceholder,
  readReference,
  readTag,
} from "./syntax.ts";

const beginnings = /\{\{|\{(?=[^{}\n]{1,100}\}\()|==|!?\[\[|\[\^|@\[|<<|[#$]/;

/** The additions of the card language as extensions of marked. `placeholders`: the field names that are allowed in `<< >>`. */
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
      {
        name: "note",
        level: "block",
        tokenizer(source) {
          return readNote(this, source);
        },
      },
    ],
    hooks: { emStrongMask: (source) => mask(source, placeholders) },
  };
}

type Reader = (
  source: string,
  placeholders: ReadonlySet<string>,
) => { readonly length: number; readonly inner?: string } | undefined;

/** What may begin with a character, in the order in which it is tried: types of tokens, and what reads them. */
const readers: Readonly<Record<string, readonly (readonly [type: string, read: Reader])[]>> = {
  "{": [
    ["cloze", readCloze],
    ["ruby", readFurigana],
  ],
  "=": [["highlight", readHighlight]],
  $: [["math", readMath]],
  "<": [["placeholder", readPlaceholder]],
  "!": [["embed", readEmbed]],
  "[": [
    ["reference", readReference],
    ["footnote", readFootnote],
  ],
  "@": [["reference", readOlderReference]],
};

function readAny(source: string, placeholders: ReadonlySet<string>) {
  for (const [type, read] of readers[source[0] ?? ""] ?? []) {
    const found = read(source, placeholders);
    if (found !== undefined) return { ...found, type };
  }
  return undefined;
}

function readInline(
  { lexer }: TokenizerThis,
  source: string,
  before: readonly Token[],
  placeholders: ReadonlySet<string>,
): Tokens.Generic | undefined {
  if (lexer.state.inLink && /^[[@#]/.test(source)) return undefined;
  const found = readAny(source, placeholders) ?? readTag(source, before.at(-1)?.raw.slice(-2) ?? "");
  if (found === undefined) return undefined;
  const token = { type: "tag", ...found, raw: source.slice(0, found.length) };
  return "inner" in token ? { ...token, tokens: lexer.inlineTokens(token.inner ?? "") } : token;
}

const note = /^ {0,3}\[\^([^\]\s]{1,100})\]:[ \t]*([^\n]*(?:\n(?! {0,3}\[\^)[ \t]*[^\s][^\n]*)*)(?:\n|$)/;

/** `[^label]: text`, a footnote, up to a blank line or the next one. */
function readNote({ lexer }: TokenizerThis, source: string): Tokens.Generic | undefined {
  const found = source.trimStart().startsWith("[^") ? note.exec(source) : null;
  if (!found) return undefined;
  const tokens: Token[] = [];
  lexer.inline(found[2] ?? "", tokens);
  return { type: "note", raw: found[0], label: found[1], tokens };
}

/** `$$` alone at the beginning of a block up to `$$` at the end of a line. Blank lines and list markers in between belong to the formula. */
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

/**
 * Where a math block interrupts a paragraph. The search covers a short distance, because marked calls this for every
 * line; in a longer paragraph `$$` is still read as inline LaTeX.
 */
function mathStart(source: string): number | undefined {
  const blank = source.slice(0, 1000).indexOf("\n\n");
  const near = source.slice(0, blank < 0 ? 1000 : blank + 1);
  if (!near.includes("$$")) return undefined;
  for (const found of near.matchAll(/\n {0,3}\$\$/g)) {
    if (readMathBlock(source.slice(found.index + 1))) return found.index + 1;
  }
  return undefined;
}

/** Masks the additions for the search for emphasis, so that the `*` in `$a*b$` is not a delimiter. Keeps the length. */
function mask(source: string, placeholders: ReadonlySet<string>): string {
  if (!beginnings.test(source)) return source;
  let masked = "";
  let at = 0;
  while (at < source.length) {
    const next = source.slice(at).search(beginnings);
    if (next < 0) break;
    const rest = source.slice(at + next);
    const read = readAny(rest, placeholders);
    const length = read?.length ?? 1;
    masked += source.slice(at, at + next) + (read ? `[${"a".repeat(length - 2)}]` : rest[0]);
    at += next + length;
  }
  return masked + source.slice(at);
}
