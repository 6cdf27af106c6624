import { Marked, type Token, type Tokens } from "marked";
import { bounds } from "./bounds.ts";
import { decodeEntities } from "./entities.ts";
import { cardExtensions } from "./extensions.ts";
import { BoundedLexer, CardTokenizer } from "./lexer.ts";
import { type Block, type Inline, plainText } from "./nodes.ts";

export interface ParseOptions {
  /** Names of template fields: `<< name >>` of these is a placeholder, of any other it is text. */
  readonly placeholders?: Iterable<string>;
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
  const names = new Set(options.placeholders);
  const defaults = names.size === 0 ? withoutPlaceholders : new Marked(cardExtensions(names)).defaults;
  const lexer = new BoundedLexer({ ...defaults, tokenizer: new CardTokenizer() }, source.length);
  try {
    return blocks(lexer.lex(source));
  } catch {
    // Only a defect of the parser leads here: show the source.
    return [{ type: "raw", text: source }];
  }
}

function blocks(tokens: readonly Token[]): Block[] {
  return tokens.flatMap((token) => block(token as Tokens.Generic) ?? []);
}

function block(token: Tokens.Generic): Block | undefined {
  switch (token.type) {
    case "paragraph":
    case "text":
      return { type: "paragraph", children: inline(token.tokens ?? [token]) };
    case "heading":
      return { type: "heading", depth: token["depth"], children: inline(token.tokens ?? []) };
    case "code":
      return { type: "code", language: languageOf(token["lang"]), text: token["text"].replace(/\n$/, "") };
    case "blockquote":
      return { type: "quote", children: blocks(token.tokens ?? []) };
    case "list":
      return list(token as Tokens.List);
    case "table":
      return table(token as Tokens.Table);
    case "hr":
      return { type: "rule" };
    case "math":
      return { type: "math", source: token["source"].trim() };
    case "html":
      return { type: "raw", text: token.raw.trimEnd() };
    default:
      return undefined;
  }
}

const languageOf = (info: unknown) =>
  typeof info === "string" ? (/^\S*/.exec(info)?.[0] ?? "").toLowerCase() : "";

function list(token: Tokens.List): Block {
  return {
    type: "list",
    start: token.ordered ? Number(token.start) : null,
    loose: token.loose,
    items: token.items.map((item) => ({
      checked: item.task ? item.checked === true : null,
      children: blocks(item.tokens),
    })),
  };
}

function table(token: Tokens.Table): Block {
  return {
    type: "table",
    align: token.align.map((align) => align ?? "left"),
    header: token.header.map((cell) => inline(cell.tokens)),
    rows: token.rows.map((row) => row.map((cell) => inline(cell.tokens))),
  };
}

function inline(tokens: readonly Token[]): Inline[] {
  const nodes: Inline[] = [];
  for (const token of tokens) {
    const node = inlineNode(token as Tokens.Generic);
    const last = nodes.at(-1);
    // Escapes and stray brackets cut a text into tokens: one text again.
    if (node?.type === "text" && last?.type === "text")
      nodes[nodes.length - 1] = joined(last.text, node.text);
    else if (node) nodes.push(node);
  }
  return nodes;
}

const joined = (first: string, second: string): Inline => ({ type: "text", text: first + second });

function inlineNode(token: Tokens.Generic): Inline | undefined {
  const children = () => inline(token.tokens ?? []);
  switch (token.type) {
    case "text":
      return { type: "text", text: decodeEntities(token["text"]) };
    case "escape":
      return { type: "text", text: token["text"] };
    case "strong":
      return { type: "strong", children: children() };
    case "em":
      return { type: "emphasis", children: children() };
    case "del":
      return { type: "strikethrough", children: children() };
    case "highlight":
      return { type: "highlight", children: children() };
    case "cloze":
      return { type: "cloze", group: token["group"], children: children() };
    case "codespan":
      return { type: "code", text: token["text"] };
    case "html":
      return /^<br\s*\/?>$/i.test(token.raw) ? { type: "break" } : { type: "html", text: token.raw };
    case "br":
      return { type: "break" };
    case "link":
      return { type: "link", href: decodeEntities(token["href"]), children: children() };
    case "image":
      return { type: "image", src: decodeEntities(token["href"]), alt: plainText(children()) };
    case "reference":
      return { type: "reference", target: token["target"], title: token["title"] };
    case "embed":
      return { type: "embed", target: token["target"], side: token["side"] };
    case "tag":
      return { type: "tag", name: token["name"] };
    case "math":
      return { type: "math", source: token["source"].trim(), display: token["display"] };
    case "placeholder":
      return { type: "placeholder", name: token["name"] };
    default:
      return undefined;
  }
}
