import { escapeText, onOneLine } from "./escape.ts";

/** What text is in: the name of the element that is written for it; for a link `a` and its address. */
export type Mark = string;

export const marks: Readonly<Record<string, Mark>> = {
  ...{ b: "b", strong: "b", i: "i", em: "i", s: "s", del: "s", mark: "mark", code: "code" },
  ...{ u: "u", kbd: "kbd", sub: "sub", sup: "sup" },
};

/** A part of a line, also a line break: text as it is read, and the markdown for it where it is not to be escaped. */
export interface Item {
  readonly text: string;
  readonly markdown?: string;
  /** The outermost first. */
  readonly marks: readonly Mark[];
}

/** The lines of a paragraph. Hard blanks stay where they indent a line: plain ones would show nothing, or begin code. */
export const lineText = (items: readonly Item[]): string[] =>
  inline(items, [], "")
    .split("\n")
    .map((line) => {
      const indent = /^[ \u00a0]*/.exec(line)?.[0] ?? "";
      const text = line.slice(indent.length).replaceAll("\u00a0", " ").trimEnd();
      const isKept = text !== "" && indent.startsWith("\u00a0") && indent.length > 1;
      return isKept ? "\u00a0".repeat(indent.length) + text : text;
    });

/** @param marks those that are written already @param after the character after the items; "" for none */
function inline(items: readonly Item[], marks: readonly Mark[], after: string): string {
  let text = "";
  let end = 0;
  for (const [begin, item] of items.entries()) {
    if (begin < end) continue;
    const mark = item.marks.find((each) => !marks.includes(each));
    end = begin + 1;
    if (mark === undefined) {
      text += item.markdown ?? escapeText(item.text);
      continue;
    }
    while (items[end]?.marks.includes(mark)) end++;
    const next = end === items.length ? after : ([...(items[end]?.text ?? "")][0] ?? "");
    text += marked(items.slice(begin, end), mark, marks, next);
  }
  return text;
}

function marked(items: readonly Item[], mark: Mark, marks: readonly Mark[], after: string): string {
  const plain = items.map(({ text }) => text).join("");
  const inside = () => inline(items, [...marks, mark], after);
  // Code holds neither pictures nor the markdown of a field.
  if (mark === "code" && (plain.includes("\ue0f4") || items.some(isPicture))) return inside();
  const text = mark === "code" ? plain : inside();
  const inner = text.trim();
  if (inner === "") return text;
  // Delimiters must touch the text: blanks at its ends stay outside.
  const [begin, end] = [text.indexOf(inner), text.trimEnd().length];
  const isAlone = marks.length === 0 && (end < text.length || /^(?:$|[\s\p{P}\ue0f2\ue0f3])/u.test(after));
  return text.slice(0, begin) + element(inner, mark, plain.trim(), isAlone) + text.slice(end);
}

const isPicture = ({ markdown, text }: Item) => markdown !== undefined && text === "";

/** @param plain the text as it is read @param isAlone whether emphasis may end in punctuation */
function element(text: string, mark: Mark, plain: string, isAlone: boolean): string {
  if (mark === "code") return codeText(text);
  if (mark.startsWith("a ")) return `[${onOneLine(text)}](<${inAngles(mark.slice(2))}>)`;
  const delimiter = delimiters[mark];
  // In markdown a delimiter beside punctuation is none if a letter is on its other side, and `**<< Field >>**` means
  // something else where the field is blank: there the element stays.
  if (delimiter !== undefined)
    return /^\*{0,2}[\p{L}\p{N}]/u.test(text) &&
      (isAlone ? /[\p{L}\p{N}\p{P}]$/u : /[\p{L}\p{N}]\*{0,2}$/u).test(text)
      ? delimiter + text + delimiter
      : `<${mark}>${text}</${mark}>`;
  const [from, to = ""] = scripts[mark]?.split(" ") ?? [];
  if (from !== undefined && plain === "") return text;
  const others = [...plain].map((each) => (from?.includes(each) ? [...to][from.indexOf(each)] : undefined));
  return others.includes(undefined) ? `<${mark}>${text}</${mark}>` : others.join("");
}

const delimiters: Readonly<Record<Mark, string>> = { b: "**", i: "*", s: "~~", mark: "==" };

/** Unicode has them; other raised and lowered text is HTML that the card language knows. */
const scripts: Readonly<Record<Mark, string>> = {
  sup: "0123456789+-=()ni ⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ",
  sub: "0123456789+-=() ₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎",
};

export const inAngles = (address: string) => address.replace(/[<>\s]/g, encodeURIComponent);

function codeText(text: string): string {
  const content = text.replaceAll("\n", " ");
  const runs = new Set(content.match(/`+/g));
  let ticks = "`";
  while (runs.has(ticks)) ticks += "`";
  const pad = /^`|^ .*[^ ].* $|`$/s.test(content) ? " " : "";
  return ticks + pad + content + pad + ticks;
}
