export interface BetweenOptions {
  /** How long the text between the marks is at least: 1 unless told otherwise. */
  readonly least?: number;
  /** How long it is at most: what is longer stays as it is. */
  readonly most?: number;
}

/**
 * Replaces each piece of a text from an opening mark to the next closing one. A regular expression for that looks for the
 * closing mark anew from every opening one, which in a text made for it takes the square of its length.
 *
 * @param open matches an opening mark; needs the flag g
 */
export function replaceBetween(
  text: string,
  open: RegExp,
  close: string,
  replacement: (inner: string, opening: string) => string,
  { least = 1, most = Number.POSITIVE_INFINITY }: BetweenOptions = {},
): string {
  let result = "";
  let done = 0;
  let end = -1;
  for (const { 0: opening, index } of text.matchAll(open)) {
    if (index < done) continue;
    const begin = index + opening.length;
    if (end < begin + least) end = text.indexOf(close, begin + least);
    if (end < 0) break;
    if (end - begin > most) continue;
    result += text.slice(done, index) + replacement(text.slice(begin, end), opening);
    done = end + close.length;
  }
  return result + text.slice(done);
}

/** A text of several lines as one, without the blanks around them and at its ends. */
export const onOneLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
