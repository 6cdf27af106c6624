import fastStringWidth from "fast-string-width";

/** How many columns a tab takes in `expandTabs`. */
const tabWidth = 4;

const plain = /^[\x20-\x7e]*$/;
/** Characters without a width that the width table counts as one. A joiner between emoji is part of them. */
const invisible = /[\u061c\u200b\u200c\u200e\u200f\u2060\ufeff]|\u200d(?!\p{Extended_Pictographic})/gu;

/**
 * One piece that must not be cut: an emoji with its modifiers and joiners, a flag, a Hangul syllable in parts, or a
 * character with its combining marks. Not Intl.Segmenter, whose first use costs 16 ms. Every repetition is bounded, so
 * that measuring a piece takes constant time.
 */
const emoji = String.raw`\p{Emoji}(?:\p{Emoji_Modifier}|\ufe0f\u20e3?|[\u{e0020}-\u{e007f}]{1,16})?`;
const cluster = new RegExp(
  String.raw`(?:\p{RI}\p{RI}|${emoji}(?:\u200d${emoji}){0,16}|[\u1100-\u115f]{1,4}[\u1160-\u11a7]{0,4}[\u11a8-\u11ff]{0,4}|[^])[\p{M}\u200c\u200d]{0,32}`,
  "gu",
);

/** The columns that a text occupies on a terminal, without our own escape sequences. Expects no newlines. */
export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length;
  return fastStringWidth(invisible.test(text) ? text.replace(invisible, "") : text, { tabWidth });
}

/** The text in pieces that must not be cut: ASCII characters, else clusters (emoji sequences, marks with their base). */
export function clusters(text: string): string[] {
  return plain.test(text) ? text.split("") : (text.match(cluster) ?? []);
}

/**
 * The longest start of the text that fits the width, as its length in UTF-16 units and its columns. Never cuts within
 * a cluster; 0 if the first cluster does not fit.
 */
export function fitting(text: string, width: number): { readonly length: number; readonly width: number } {
  // One character more than fits: a following mark belongs to the character before it.
  if (plain.test(text.slice(0, Math.max(0, width) + 1))) {
    const length = Math.min(text.length, Math.max(0, width));
    return { length, width: length };
  }
  let length = 0;
  let used = 0;
  for (const [piece] of text.matchAll(cluster)) {
    const columns = displayWidth(piece);
    if (used + columns > width) break;
    length += piece.length;
    used += columns;
  }
  return { length, width: used };
}

/** The text cut to the width, ending in `…` if something was removed. Plain text without newlines. */
export function cut(text: string, width: number, ellipsis = "…"): string {
  // More than this never fits; avoids measuring a megabyte to show 20 columns.
  const bounded = text.length > 64 + width * 16;
  if (!bounded && displayWidth(text) <= width) return text;
  const mark = displayWidth(ellipsis) <= width ? ellipsis : "";
  const start = bounded ? text.slice(0, 64 + width * 16) : text;
  return start.slice(0, fitting(start, width - displayWidth(mark)).length) + mark;
}

/** The text with spaces added up to the width; longer text is returned unchanged. */
export function pad(text: string, width: number, align: "left" | "center" | "right" = "left"): string {
  const missing = width - displayWidth(text);
  if (missing <= 0) return text;
  const before = align === "left" ? 0 : align === "right" ? missing : missing >> 1;
  return " ".repeat(before) + text + " ".repeat(missing - before);
}

/** Tabs as spaces up to the next tab stop, line by line. @param start the column that the text begins at */
export function expandTabs(text: string, start = 0): string {
  if (!text.includes("\t")) return text;
  return text
    .split("\n")
    .map((line, index) => {
      const [first = "", ...rest] = line.split("\t");
      let column = (index === 0 ? start : 0) + displayWidth(first);
      let result = first;
      for (const part of rest) {
        const gap = tabWidth - (column % tabWidth);
        result += " ".repeat(gap) + part;
        column += gap + displayWidth(part);
      }
      return result;
    })
    .join("\n");
}
