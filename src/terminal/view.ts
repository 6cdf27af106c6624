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
  /** Lines that are wrapped and styled already, each for a whole row. */
  readonly body: readonly string[];
  readonly bottom: BottomView;
  /** Where something is typed in the body; in a line that is typed at the bottom it is where that says. */
  readonly cursor?: Cursor | undefined;
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
  const top = { deck: text, position: "", again: "", elapsed: "" };
  return { columns, rows, colour, top, body: [], bottom: { keys: [] } };
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

/** What takes the place of the card for a while. */
export interface Panel {
  readonly title: string;
  /** Rows of two columns: a key and what it does, a name and its value. */
  readonly rows: readonly PanelRow[];
  readonly after?: string | undefined;
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

/** Draws views. Lives in the ES-module build, since Ink does. */
export interface Painter {
  /** The rows of the screen for a view. */
  paint(view: ScreenView): readonly string[];
  close(): void;
}

/** The margin on both sides of a panel, and the gap between the name and the value of a row. */
const [margin, gap] = [2, 3];

/** A panel as lines of its own. Names are as wide as the widest, so that values stand below one another. */
export function panelLines(
  { title, rows, after }: Panel,
  { columns, colour }: Pick<ScreenView, "columns" | "colour">,
): string[] {
  const bold = (text: string) => (colour ? `\u001b[1m${text}\u001b[22m` : text);
  const widest = Math.max(0, ...rows.map(({ name }) => name.length));
  const indent = widest === 0 ? 0 : widest + gap;
  const values = rows.flatMap(({ name, value, strong }) =>
    wrapText(value, columns - 2 * margin - indent).map((line, index) => {
      const label = index === 0 ? name : "";
      return `${strong ? bold(label) : label}${" ".repeat(indent - label.length)}${line}`;
    }),
  );
  const end = after === undefined ? [] : ["", ...wrapText(after, columns - 2 * margin)];
  return ["", bold(title), "", ...values, ...end].map((line) => `${" ".repeat(margin)}${line}`.trimEnd());
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
