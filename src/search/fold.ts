/** Letters that no normalisation takes apart. */
const single = new Map(
  "ß=ss æ=ae œ=oe ø=o đ=d ð=d ħ=h ı=i ł=l þ=th ς=σ"
    .split(" ")
    .map((pair) => pair.split("=") as [string, string]),
);
const singles = /[ßæœøđðħıłþς]/g;

/**
 * The form in which texts are compared: without case, accents and the width of characters. Accents are those of the
 * European scripts; the marks of others (が, ﬠ) make another letter and stay.
 */
export function fold(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(singles, (letter) => single.get(letter) ?? letter)
    .normalize("NFC");
}

/** Whether a text is written in a script that puts no spaces between words. */
export const isUnspaced = (text: string): boolean =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(
    text,
  );
