import type Temml from "temml";
import { displayWidth } from "../../width.ts";
import { type MathNode, mathRows } from "./mathml.ts";

/** A longer formula is shown as source. UTF-16 units. */
const longest = 4000;

/** Loaded with the first formula. */
const temml = () => require("temml") as typeof Temml;

/**
 * A formula as one line of text: Greek letters, signs, fractions as `a/b` or `½`, raised and lowered characters where
 * Unicode has them, matrices as `(a b; c d)`. Commands that are not known stay as they are written.
 */
export const latexText = (source: string): string => rowsOf(source, true).join(" ");

/** A formula of its own, with matrices and cases as aligned rows, or as one line where those are wider than `width`. */
export function latexRows(source: string, width: number): readonly string[] {
  const rows = rowsOf(source, false);
  return rows.length > 1 && rows.some((row) => displayWidth(row) > width) ? [latexText(source)] : rows;
}

/** A source that cannot be read is shown as it is. */
function rowsOf(source: string, linear: boolean): readonly string[] {
  if (source.length > longest) return [source];
  try {
    // A number beside the formula is refused elsewhere; lines are only made elsewhere.
    const options = { displayMode: source.includes("\\tag"), throwOnError: false, trust: false };
    const math = temml().__renderToMathMLTree(source, options) as MathNode;
    return math.type === "math" ? mathRows(math, linear) : [source];
  } catch {
    return [source];
  }
}
