import type { ClozeGroup, Inline } from "./nodes.ts";

/**
 * The additions of the card language (docs/design/cards.md), each as a function that reads one at the start of a text, or returns
 * undefined. `length` is the number of UTF-16 units read. All take time linear in what they read.
 */
interface Read {
  readonly length: number;
}

/** The longest distance to the end of an addition: a stray `{{` must not make parsing quadratic. */
const reach = 4000;

/** `{{text}}`, `{{1::text}}`: the inner text may hold markdown, code, single braces and further deletions. */
export function readCloze(text: string): (Read & { inner: string; group: ClozeGroup }) | undefined {
  if (!text.startsWith("{{")) return undefined;
  const end = balancedEnd(text) ?? firstEnd(text);
  if (end === undefined) return undefined;
  const inner = text.slice(2, end);
  if (inner.trim() === "") return undefined;
  const numbered = /^(\d{1,9})::/.exec(inner);
  return {
    length: end + 2,
    inner: numbered ? inner.slice(numbered[0].length) : inner,
    group: numbered ? Number(numbered[1]) : null,
  };
}

/** The position of the closing `}}` if braces inside are balanced, so that `{{\frac{1}{2}}}` contains `\frac{1}{2}`. */
function balancedEnd(text: string): number | undefined {
  let depth = 0;
  const limit = Math.min(text.length, reach);
  for (let at = 2; at < limit; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (character === "`") at = codeEnd(text, at) - 1;
    else if (character === "{") depth++;
    else if (character === "}") {
      if (depth > 0) depth--;
      else if (text[at + 1] === "}") return at;
    }
  }
  return undefined;
}

function firstEnd(text: string): number | undefined {
  const at = text.slice(0, reach).indexOf("}}", 2);
  return at < 0 ? undefined : at;
}

/** The end of the code span that begins at a backtick, or of the run of backticks if it is not a code span. */
function codeEnd(text: string, start: number): number {
  let run = start;
  while (text[run] === "`") run++;
  const fence = text.slice(start, run);
  for (let at = text.indexOf(fence, run); at >= 0 && at < run + reach; ) {
    let end = at;
    while (text[end] === "`") end++;
    if (end - at === fence.length) return end;
    at = text.indexOf(fence, end);
  }
  return run;
}

/** `==text==`; the text neither begins nor ends with a space. */
export function readHighlight(text: string): (Read & { inner: string }) | undefined {
  if (!/^==[^\s=]/.test(text)) return undefined;
  const limit = Math.min(text.length, reach);
  for (let at = 2; at < limit; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (character === "`") at = codeEnd(text, at) - 1;
    else if (character === "=" && text[at + 1] === "=") {
      if (/\s/.test(text[at - 1] ?? " ") || text[at + 2] === "=") {
        while (text[at + 1] === "=") at++;
        continue;
      }
      return { length: at + 2, inner: text.slice(2, at) };
    }
  }
  return undefined;
}

const bracketed = /^!?\[\[([^[\]\n]{1,1000})\]\](?!\()/;

/** `[[card-id]]`, `[[Title|card-id]]`, `[[Name]]`. */
export function readReference(text: string): (Read & { target: string; title: string | null }) | undefined {
  const found = text.startsWith("[[") ? bracketed.exec(text) : null;
  if (!found) return undefined;
  const inner = found[1] ?? "";
  const bar = inner.lastIndexOf("|");
  const target = inner.slice(bar + 1).trim();
  const title = bar < 0 ? "" : inner.slice(0, bar).trim();
  return target === "" ? undefined : { length: found[0].length, target, title: title || null };
}

/** `![[card-id]]`, `![[card-id/1]]`: a card, or one of its sides. */
export function readEmbed(text: string): (Read & { target: string; side: number | null }) | undefined {
  const found = text.startsWith("![[") ? bracketed.exec(text) : null;
  if (!found) return undefined;
  const inner = (found[1] ?? "").slice((found[1] ?? "").lastIndexOf("|") + 1).trim();
  const sided = /^(.+)\/(\d{1,6})$/.exec(inner);
  const target = sided?.[1] ?? inner;
  return target === ""
    ? undefined
    : { length: found[0].length, target, side: sided ? Number(sided[2]) : null };
}

/** `{漢字}(かんじ)`: text of a script that has readings, with its reading. */
export function readFurigana(text: string): (Read & { children: Inline[]; reading: Inline[] }) | undefined {
  const [whole = "", base = "", reading = ""] = /^\{([^{}\n]{1,100})\}\(([^()\n]{1,200})\)/.exec(text) ?? [];
  if (!/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(base))
    return undefined;
  const nodes = (part: string): Inline[] => [{ type: "text", text: part }];
  return { length: whole.length, children: nodes(base), reading: nodes(reading) };
}

/** `[^label]`, a reference to a footnote. */
export function readFootnote(text: string): (Read & { label: string }) | undefined {
  const found = /^\[\^([^\]\s]{1,100})\]/.exec(text);
  return found ? { length: found[0].length, label: found[1] ?? "" } : undefined;
}

const older = /^@\[((?:\\.|[^\\[\]\n]){0,1000})\]\(\s*<?([^\s()<>]{1,2000})>?\s*\)/;

/** `@[title](url)`, the older form of a reference. */
export function readOlderReference(
  text: string,
): (Read & { target: string; title: string | null }) | undefined {
  const found = text.startsWith("@[") ? older.exec(text) : null;
  if (!found) return undefined;
  const title = (found[1] ?? "").replace(/\\(.)/g, "$1").trim();
  return { length: found[0].length, target: found[2] ?? "", title: title || null };
}

const tag = /^#((?:[\p{L}\p{N}\p{M}_/-]|\p{Extended_Pictographic}[\u200d\ufe0f]*){1,200})/u;
const joined = /[\p{L}\p{N}\p{M}_#&/]$/u;

/**
 * `#tag`: letters, digits, emoji, `_`, `-` and `/`, at least one of them a letter or an emoji (`#1` is a number). Does not
 * end with `-` or `/` and does not follow a letter, digit, `_`, `#`, `&` or `/`.
 */
export function readTag(text: string, before: string): (Read & { name: string }) | undefined {
  const found = text.startsWith("#") && !joined.test(before) ? tag.exec(text) : null;
  const name = found?.[1]?.replace(/[-/]+$/, "") ?? "";
  if (!/[\p{L}\p{Extended_Pictographic}]/u.test(name)) return undefined;
  return /^[-/]/.test(name) ? undefined : { length: name.length + 1, name };
}

/** `$…$` within a line of text, `$$…$$` also over several lines; `$5 and $6` are amounts of money. */
export function readMath(text: string): (Read & { source: string; display: boolean }) | undefined {
  if (!text.startsWith("$")) return undefined;
  const display = text[1] === "$";
  const open = display ? 2 : 1;
  const limit = Math.min(text.length, reach);
  for (let at = open; at < limit; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "$" && (!display || text[at + 1] === "$")) {
      const source = text.slice(open, at);
      const money = !display && (/^\s|\s$/.test(source) || /\d/.test(text[at + 1] ?? ""));
      return source.trim() === "" || money
        ? undefined
        : { length: at + open, source: source.trim(), display };
    }
  }
  return undefined;
}

/** `<< Field name >>` for one of the names. */
export function readPlaceholder(
  text: string,
  names: ReadonlySet<string>,
): (Read & { name: string }) | undefined {
  const found = names.size > 0 && text.startsWith("<<") ? /^<<([^<>\n]{1,1000})>>/.exec(text) : null;
  const name = found?.[1]?.trim() ?? "";
  return found && names.has(name) ? { length: found[0].length, name } : undefined;
}
