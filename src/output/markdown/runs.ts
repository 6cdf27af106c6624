import { visible } from "../sanitize.ts";
import { displayWidth } from "../width.ts";

type Colour = "red" | "green" | "yellow" | "blue" | "magenta" | "cyan" | "grey";

/** How a piece of text looks; the painter makes escape sequences of it, or none. */
export interface Style {
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  /** Black on yellow. */
  readonly marked?: boolean;
  readonly colour?: Colour;
  /** An http or https URL that is safe to print. */
  readonly link?: string;
  /** No line ends within the text: a word with its reading. */
  readonly whole?: boolean;
  /** Escape sequences of our own that draw a slice of a picture; the text is spaces of the same width. */
  readonly drawn?: string;
}

/** A piece of text in one style. Text enters only through `run`, so nothing unsafe gets to the painter. */
export interface Run {
  readonly text: string;
  readonly style: Style;
}

export type Line = readonly Run[];

export const plain: Style = {};

/** Longer sequences of characters without a width than any script needs; some terminals take seconds for them. */
const stacked = /([\p{M}\u200b-\u200f\u2060\ufeff]{32})[\p{M}\u200b-\u200f\u2060\ufeff]+/gu;

/** A run of text that comes from a card, with control characters made visible and stacks of marks cut off. */
export function run(text: string, style: Style = plain): Run {
  return { text: visible(text).replace(stacked, "$1"), style };
}

export const lineWidth = (line: Line) => line.reduce((sum, { text }) => sum + displayWidth(text), 0);

/** The lines with something before each: `first` before the first line and `rest`, of the same width, before the others. */
export function prefixed(lines: readonly Line[], first: Run, rest: Run = first): Line[] {
  return lines.map((line, index) => [index === 0 ? first : rest, ...line]);
}
