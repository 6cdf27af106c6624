import { run } from "../output/markdown/runs.ts";
import { wrapRuns } from "../output/markdown/wrap.ts";
import { displayWidth } from "../output/width.ts";
import type { Cursor } from "./frames.ts";

/** What is on the screen, as plain data: every text is safe to print and cut to fit. The Ink components only draw it. */

export interface ScreenView {
  readonly columns: number;
  readonly rows: number;
  readonly colour: boolean;
  readonly top: TopView;
  readonly body: BodyView;
  readonly bottom: BottomView;
}

export interface Drawn {
  readonly view: ScreenView;
  readonly cursor?: Cursor;
}

/** The smallest screen that a session is shown on. */
const smallest = { columns: 40, rows: 10 } as const;

/** Whether a screen of that size is shown. */
export const fits = ({ columns, rows }: { readonly columns: number; readonly rows: number }): boolean =>
  columns >= smallest.columns && rows >= smallest.rows;

/** What a screen shows that has no room for anything else. */
export function tooSmall({
  columns,
  rows,
  colour,
}: Pick<ScreenView, "columns" | "rows" | "colour">): ScreenView {
  const text = `Too small: ${columns}x${rows}. Needs ${smallest.columns}x${smallest.rows}.`;
  const top = { deck: "", position: "", again: "", done: 0, elapsed: "" };
  return { columns, rows, colour, top, body: { type: "too-small", text }, bottom: { keys: [] } };
}

export interface TopView {
  readonly deck: string;
  /** For example `4 of 30`. */
  readonly position: string;
  /** Added to the position where there is room: `, 3 again`. */
  readonly again: string;
  /** The share of the session that is done, 0 to 1. */
  readonly done?: number | undefined;
  readonly elapsed: string;
  /** What the user must not forget: `not recorded on the service`. */
  readonly notice?: string | undefined;
}

export type BodyView =
  /** Lines that are wrapped and styled already, each for a whole row. */
  | { readonly type: "lines"; readonly lines: readonly string[] }
  | { readonly type: "panel"; readonly panel: Panel }
  | { readonly type: "too-small"; readonly text: string };

export interface Panel {
  readonly title: string;
  readonly text?: readonly string[];
  /** Rows of two columns: a key and what it does, a name and its value. */
  readonly rows: readonly PanelRow[];
  readonly after?: readonly string[];
}

export interface PanelRow {
  readonly name: string;
  readonly value: string;
  readonly strong?: boolean;
}

export interface KeyHint {
  readonly key: string;
  readonly does: string;
  /** Where it leads, dimmer than what it does. */
  readonly leads?: string;
}

export interface BottomView {
  readonly keys: readonly KeyHint[];
  /** What just happened, instead of the keys: one line, or as many as a longer text takes, over the end of the body. */
  readonly message?: readonly string[] | undefined;
  /** What goes on: answers kept here, more lines below. */
  readonly notice?: string | undefined;
  /** A line being typed, instead of all else; `cursor` counts columns. */
  readonly input?: { readonly prompt: string; readonly text: string; readonly cursor: number } | undefined;
}

/** Columns between the name and the value of a panel's row. */
const panelGap = 3;

/** Columns of the names of a panel, none of which is wider, and the gap after them. */
export const nameColumns = (width: number): number => (width === 0 ? 0 : width + panelGap);

/** Draws views. Lives in the ES-module build, since Ink does. */
export interface Painter {
  /** The rows of the screen for a view. */
  paint(view: ScreenView): readonly string[];
  close(): void;
}

/** Rows that hold this character and nothing else are filled with the lines of the body. */
export const lineMark = "\ue000";

/** Columns beside the rows of a panel: a margin on both sides. */
const margins = 4;

/**
 * The panel in rows and lines that fit the screen: what is longer goes on below. Names are as wide as the widest, so
 * that values stand below one another whichever rows are shown. What comes after the rows stays one line, cut, where it
 * does not fit beside them in whole.
 */
export function wrapPanel(panel: Panel, { columns, rows }: { columns: number; rows: number }): Panel {
  const width = Math.max(0, ...panel.rows.map(({ name }) => name.length));
  const wrapped = panel.rows.flatMap((row) =>
    wrapText(row.value, columns - margins - nameColumns(width)).map((value, index) => ({
      ...row,
      name: (index === 0 ? row.name : "").padEnd(width),
      value,
    })),
  );
  const whole = { ...panel, rows: wrapped };
  if (panel.after === undefined) return whole;
  const after = panel.after.flatMap((line) => wrapText(line, columns - margins));
  return panelHeight({ ...whole, after }, rows) < wrapped.length ? whole : { ...whole, after };
}

/** How many rows of a panel fit below its title and above what comes after it. */
export function panelHeight(panel: Panel, rows: number): number {
  return Math.max(1, rows - 2 - 3 - (panel.after === undefined ? 0 : panel.after.length + 1));
}

/** Text in lines that fit; at least one. */
export function wrapText(text: string, width: number): string[] {
  const lines = wrapRuns([run(text)], width).map((line) => line.map((part) => part.text).join(""));
  return lines.length === 0 ? [""] : lines;
}

/** The keys that fit the bottom line. @param dispensable those that may be left out, the first first, after where keys lead */
export function fittingKeys(
  keys: readonly KeyHint[],
  room: number,
  dispensable: readonly string[],
): readonly KeyHint[] {
  const width = (hints: readonly KeyHint[]) =>
    hints.reduce(
      (sum, { key, does, leads = "" }) => sum + displayWidth(`${key}${does}${leads}`) + (leads ? 4 : 3),
      -2,
    );
  let result = keys;
  const drop = (key: string) => {
    if (width(result) > room) result = result.filter((hint) => hint.key !== key);
  };
  // With where the grades lead, the keys that every user knows by now may go.
  if (keys.some(({ leads }) => leads !== undefined)) for (const key of ["q", "?", "u"]) drop(key);
  if (width(result) > room) result = keys.map(({ key, does }) => ({ key, does }));
  for (const key of dispensable) drop(key);
  return result;
}
