import { displayWidth } from "../../width.ts";
import { readFormula } from "./reader.ts";

/** A longer formula is shown as source. UTF-16 units. */
const longest = 4000;

/**
 * A formula as one line of text: Greek letters, signs, fractions as `a/b` or `½`, raised and lowered characters where
 * Unicode has them, matrices as `(a b; c d)`. Commands that are not known stay as they are written.
 */
export function latexText(source: string): string {
  if (source.length > longest) return source;
  return readFormula(source, true).rows.join(" ");
}

/** A formula of its own, with matrices and cases as aligned rows, or as one line where those are wider than `width`. */
export function latexRows(source: string, width: number): readonly string[] {
  if (source.length > longest) return [source];
  const { rows } = readFormula(source, false);
  return rows.length > 1 && rows.some((row) => displayWidth(row) > width) ? [latexText(source)] : rows;
}
