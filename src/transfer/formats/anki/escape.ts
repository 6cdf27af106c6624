/** Escapes text so that markdown and the card language read it as text. */
export function escapeText(text: string): string {
  return text
    .replace(/\\/g, "\\\\")
    .replace(
      /[*_`[\]~$]|==|<(?=[A-Za-z/!?<])|\{(?=\{)|\}(?=\})|#(?=[\p{L}\p{N}_])|@(?=\[)|&(?=#?[A-Za-z\d]{1,32};)/gu,
      (each) => (each === "==" ? "\\=\\=" : `\\${each}`),
    )
    .replace(/^(\s{0,3})([-+])(?=\s|[-+]{2}|$)/gm, "$1\\$2")
    .replace(/^(\s{0,3})(#{1,6})(?=\s|$)/gm, "$1\\$2")
    .replace(/^(\s{0,3}\d{1,9})([.)])(?=\s|$)/gm, "$1\\$2")
    .replace(/^(\s{0,3})>/gm, "$1\\>")
    .replace(/^(\s{0,3})(=+\s*)$/gm, "$1\\$2");
}

/**
 * Replaces every part of a text from an opening delimiter to the next closing one, in linear time: a regular expression
 * would search the closing delimiter again from every opening one. Longer parts than `most` stay.
 *
 * @param open matches an opening delimiter; needs the flag g
 */
export function replaceBetween(
  text: string,
  open: RegExp,
  close: string,
  most: number,
  replacement: (inner: string) => string,
): string {
  let result = "";
  let done = 0;
  let end = -1;
  for (const { 0: opening, index } of text.matchAll(open)) {
    if (index < done) continue;
    const begin = index + opening.length;
    if (end <= begin) end = text.indexOf(close, begin + 1);
    if (end < 0) break;
    if (end - begin > most) continue;
    result += text.slice(done, index) + replacement(text.slice(begin, end));
    done = end + close.length;
  }
  return result + text.slice(done);
}

/** Joins lines by a space, without blanks at their ends. */
export const onOneLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
