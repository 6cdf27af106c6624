import { type Box, beside, delimiter, text } from "./box.ts";
import { script, vulgarFraction } from "./script.ts";

/** How a piece of a formula behaves between its neighbours, as in TeX. */
export type Kind = "ord" | "bin" | "rel" | "op" | "open" | "close" | "space" | "punct" | "inner";

/** A piece of a formula and how it behaves between its neighbours. */
export interface Atom {
  readonly box: Box;
  readonly kind: Kind;
}

export const ord = (row: string): Atom => ({ box: text(row), kind: "ord" });
export const space = (row: string): Atom => ({ box: text(row), kind: "space" });

export const flat = (atoms: readonly Atom[]): string => join(atoms).rows.join(" ");

/** The same pieces without the spaces around operators, as in an index. */
export const tight = (atoms: readonly Atom[]): Atom[] =>
  atoms.map(({ box, kind }) => ({
    box,
    kind: kind === "bin" || kind === "rel" || kind === "punct" ? "ord" : kind,
  }));

export function attached({ box, kind }: Atom, label: string, place: "^" | "_"): Atom {
  const small = script(label, place);
  if (box.rows.length === 1) return { box: text(`${box.rows[0]}${small}`), kind };
  const base = place === "^" ? 0 : box.rows.length - 1;
  return { box: { ...beside([{ ...box, base }, text(small)]), base: box.base }, kind };
}

export const marked = (word: string, accent: string): string =>
  /[\u0302\u0303\u20d7]/.test(accent)
    ? `${word}${accent}`.normalize("NFC")
    : [...word]
        .map((character) => character + accent)
        .join("")
        .normalize("NFC");

export function fraction(above: readonly Atom[], below: readonly Atom[]): Atom {
  const [numerator, denominator] = [flat(above), flat(below)];
  const vulgar = vulgarFraction(numerator, denominator);
  if (vulgar !== undefined) return ord(vulgar);
  const top = /[ /]/.test(numerator.replace(/\([^()]*\)/g, "")) ? `(${numerator})` : numerator;
  const simple = below.length === 1 || /^(?:\d+|[d∂δΔ]\p{L}[²³]?|\p{L}[²³]?\([^() /]*\))$/u.test(denominator);
  const bottom = simple && !/[ /]/.test(denominator) ? denominator : `(${denominator})`;
  return { box: text(`${top}/${bottom}`), kind: "inner" };
}

export function root(index: string, atoms: readonly Atom[]): Atom {
  const signs: Readonly<Record<string, string>> = { "": "√", "2": "√", "3": "∛", "4": "∜" };
  const radicand = flat(atoms);
  const sign = signs[index] ?? `${script(index, "^")}√`;
  const simple = atoms.length === 1 || /^\d+$/.test(radicand);
  return ord(simple && !/[ /]/.test(radicand) ? `${sign}${radicand}` : `${sign}(${radicand})`);
}

export const enclosed = (open: string, box: Box, close: string): Box =>
  beside([delimiter(open, box), box, delimiter(close, box)]);

/** Pieces side by side, with the spaces of TeX between them. @param inside whether a piece comes before the first one */
export function join(atoms: readonly Atom[], inside = false): Box {
  const boxes: Box[] = [];
  let before: Kind | undefined = inside ? "ord" : undefined;
  for (const [index, { box, kind: own }] of atoms.entries()) {
    const next = atoms[index + 1]?.kind;
    if (own === "space" && before === "space") continue;
    const unary: boolean =
      own === "bin" &&
      (before === undefined || /^(?:bin|rel|open|punct|op)$/.test(before) || next === undefined);
    const kind: Kind = unary ? "ord" : own;
    if (before !== undefined && isSpaced(before, kind) && (index > 0 || kind === "rel"))
      boxes.push(text(" "));
    const product =
      own === "inner" &&
      (/^(?:ord|close|inner)$/.test(before ?? "") || /^(?:ord|open|inner)$/.test(next ?? ""));
    boxes.push(product ? enclosed("(", box, ")") : box);
    before = kind;
  }
  return boxes.length === 0 ? text("") : beside(boxes);
}

function isSpaced(before: Kind, after: Kind): boolean {
  if (before === "space" || after === "space") return false;
  if (before === "rel" || after === "rel") return before !== after;
  if (before === "bin" || after === "bin" || before === "punct") return true;
  return before === "op" ? /^(?:ord|op|inner)$/.test(after) : after === "op" && before !== "open";
}
