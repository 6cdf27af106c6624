import { escapeText, onOneLine } from "./escape.ts";

/** What text is in: the name of the element that is written for it; for a link `a` and its address. */
export type Mark = string;

/** A part of a line, also a line break: text as it is read, and the markdown for it where it is not to be escaped. */
export interface Item {
  readonly text: string;
  readonly markdown?: string;
  /** The outermost first. */
  readonly marks: readonly Mark[];
}

/** A part of a line; with `parts`, a deletion between two braces. */
interface Part extends Item {
  readonly parts?: readonly Part[];
}

/** The markers of braces that begin and end deletions (see `HtmlConverter.keep`). */
export const isOpen = (item: Item | undefined) => /^\ue0f2/.test(item?.markdown ?? "");
export const isClose = (item: Item | undefined) => /^\ue0f3/.test(item?.markdown ?? "");

/** The lines of a paragraph. Hard blanks stay where they indent a line: plain ones would show nothing, or begin code. */
export const lineText = (items: readonly Item[]): string[] =>
  inline(folded(items), { marks: [], before: "", after: "", emphasised: false })
    .split("\n")
    .map((line) => {
      const indent = /^[ \u00a0]*/.exec(line)?.[0] ?? "";
      const text = line.slice(indent.length).replaceAll("\u00a0", " ").trimEnd();
      const isKept = text !== "" && indent.startsWith("\u00a0") && indent.length > 1;
      return isKept ? "\u00a0".repeat(indent.length) + text : text;
    });

/**
 * The parts of a line with its deletions as one each, in the emphasis that all of it has: in markdown a delimiter inside a
 * deletion cannot close one outside.
 */
function folded(items: readonly Item[]): readonly Part[] {
  const open: { readonly brace: Item; readonly before: Part[] }[] = [];
  let parts: Part[] = [];
  for (const item of items) {
    const begin = isClose(item) ? open.pop() : undefined;
    if (begin !== undefined) {
      const { brace, before } = begin;
      const all = [brace, ...parts, item];
      const marks = brace.marks.filter((mark) => all.every((each) => each.marks.includes(mark)));
      before.push({ text: all.map(({ text }) => text).join(""), parts: all, marks });
      parts = before;
    } else if (isOpen(item)) {
      open.push({ brace: item, before: parts });
      parts = [];
    } else parts.push(item);
  }
  // What is never closed, or is so in another paragraph, is text.
  return [...open.flatMap(({ brace, before }) => [...before, brace]), ...parts];
}

/** What is around parts of a line. */
interface Around {
  /** The marks that are written already. */
  readonly marks: readonly Mark[];
  /** The characters beside the parts; "" for none. */
  readonly before: string;
  readonly after: string;
  /** Whether they are in bold or italic text. */
  readonly emphasised: boolean;
}

function inline(parts: readonly Part[], around: Around): string {
  let text = "";
  let end = 0;
  for (const [begin, part] of parts.entries()) {
    if (begin < end) continue;
    const mark = part.marks.find((each) => !around.marks.includes(each));
    end = begin + 1;
    if (mark !== undefined) while (parts[end]?.marks.includes(mark)) end++;
    const beside = {
      ...around,
      before: begin === 0 ? around.before : ([...(parts[begin - 1]?.text ?? "")].at(-1) ?? ""),
      after: end === parts.length ? around.after : ([...(parts[end]?.text ?? "")][0] ?? ""),
    };
    if (mark !== undefined) text += marked(parts.slice(begin, end), mark, beside);
    // Its braces are without marks of their own: those that all of it has are around it.
    else if (part.parts !== undefined) text += inline(part.parts.map(withoutBraceMarks), beside);
    else text += part.markdown ?? escapeText(part.text);
  }
  return text;
}

const withoutBraceMarks = (part: Part): Part =>
  isOpen(part) || isClose(part) ? { ...part, marks: [] } : part;

function marked(parts: readonly Part[], mark: Mark, around: Around): string {
  const plain = parts.map((part) => part.text).join("");
  const hasField = plain.includes("\ue0f4");
  const emphasised = around.emphasised || mark === "b" || mark === "i";
  const inside = { ...around, marks: [...around.marks, mark], emphasised };
  // Code holds neither pictures nor the markdown of a field.
  if (mark === "code" && (hasField || parts.some(isPicture))) return inline(parts, inside);
  const text = mark === "code" ? plain : inline(parts, inside);
  const inner = text.trim();
  if (inner === "") return text;
  // Delimiters must touch the text: blanks at its ends stay outside.
  const begin = text.slice(0, text.indexOf(inner));
  const end = text.slice(begin.length + inner.length);
  const before = begin === "" ? around.before : "";
  const after = end === "" ? around.after : "";
  const delimiter = delimiters[mark];
  if (delimiter === undefined) return begin + element(inner, mark, plain.trim()) + end;
  const last = [...inner.slice(-2)].at(-1) ?? "";
  const isDelimited =
    !hasField && isDelimiter(before, inner, around.emphasised) && isDelimiter(after, last, around.emphasised);
  return begin + (isDelimited ? delimiter + inner + delimiter : `<${mark}>${inner}</${mark}>`) + end;
}

const isPicture = ({ markdown, text }: Part) => markdown !== undefined && text === "";

/** @param plain the text as it is read */
function element(text: string, mark: Mark, plain: string): string {
  if (mark === "code") return codeText(text);
  if (mark.startsWith("a ")) return `[${onOneLine(text)}](<${inAngles(mark.slice(2))}>)`;
  if (mark === "u" || mark === "kbd") return text.includes("\n") ? text : `<${mark}>${text}</${mark}>`;
  if (plain === "") return text;
  const [from = "", to = ""] = (mark === "sup" ? superscripts : subscripts).split(" ");
  const others = [...plain].map((each) => (from.includes(each) ? [...to][from.indexOf(each)] : undefined));
  return others.includes(undefined) ? `<${mark}>${onOneLine(text)}</${mark}>` : others.join("");
}

/** Unicode has them; other raised and lowered text is HTML that the card language knows. */
const superscripts = "0123456789+-=()ni ⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ";
const subscripts = "0123456789+-=() ₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎";

export const inAngles = (address: string) => address.replace(/[<>\s]/g, encodeURIComponent);

function codeText(text: string): string {
  const content = text.replaceAll("\n", " ");
  const runs = new Set(content.match(/`+/g));
  let ticks = "`";
  while (runs.has(ticks)) ticks += "`";
  const pad = /^`|^ .*[^ ].* $|`$/s.test(content) ? " " : "";
  return ticks + pad + content + pad + ticks;
}

const delimiters: Readonly<Record<Mark, string>> = { b: "**", i: "*", s: "~~", mark: "==" };

/** Whether a text begins with what is neither a blank nor punctuation, as braces, formulas and pictures are; or with a field. */
const isLetter = (text: string) => /^[^\s\p{P}\p{S}\ue0f0-\ue0f3]/u.test(text);

/**
 * Whether a delimiter is one between these texts: in markdown one between punctuation and a letter does neither open nor
 * close emphasis, so that the element stays. It also stays inside other emphasis between two marks of punctuation, as in
 * `**<u>*(a)*</u>**`: CommonMark reads that, but marked takes the inner delimiter for one of the outer emphasis.
 *
 * @param outside the character outside the emphasis, "" for none
 * @param inside begins with the character inside it
 * @param isCrowded whether other emphasis is around
 */
const isDelimiter = (outside: string, inside: string, isCrowded: boolean): boolean =>
  isLetter(inside) || !(isLetter(outside) || isCrowded);
