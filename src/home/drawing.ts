import type { Style } from "../output/style.ts";
import { displayWidth } from "../output/width.ts";

/** What the views are drawn with. */
export interface Drawing {
  readonly columns: number;
  readonly rows: number;
  readonly colour: boolean;
  readonly unicode: boolean;
  readonly style: Style;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The day of the user, as `Mon 23 Nov`. */
  readonly day: string;
  /** What is being read or sent. */
  readonly working: string | undefined;
  /** The card at the cursor of the search, so wide. */
  pane(columns: number): readonly string[];
}

/** The lines of a view, and where the cursor is in them. */
export interface Lines {
  readonly lines: readonly string[];
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
}

/** A row with a margin on both sides, which is marked where the cursor is on it. */
export function chosen(text: string, isChosen: boolean, { colour }: Pick<Drawing, "colour">): string {
  if (!isChosen) return ` ${text} `;
  return colour ? `\u001b[7m ${text} \u001b[27m` : `>${text}<`;
}

const escapes = /\u001b\[[\d;]*m/g;

/** Padded to a width, escape sequences not counted. */
export const padStyled = (line: string, width: number): string =>
  line + " ".repeat(Math.max(0, width - displayWidth(line.replace(escapes, ""))));
