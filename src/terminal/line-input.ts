import { visible } from "../output/sanitize.ts";
import { clusters, displayWidth } from "../output/width.ts";
import type { Key } from "./keys.ts";

export interface LineInput {
  readonly text: string;
  /** In UTF-16 units, never within a cluster. */
  readonly cursor: number;
}

export const lineInput = (text: string): LineInput => ({ text, cursor: text.length });

/**
 * The text after a key, or undefined for a key that edits nothing. Of a text of several lines the keys that go to an end, or
 * delete up to it, mean the line that the cursor is in.
 */
export function editLine({ text, cursor }: LineInput, key: Key): LineInput | undefined {
  const [begin, end] = lineAt(text, cursor);
  // At the ends of a line the neighbour is the break.
  const previous = clusters(text.slice(Math.max(0, begin - 1), cursor)).at(-1)?.length ?? 0;
  const next = clusters(text.slice(cursor, end + 1))[0]?.length ?? 0;
  const without = (from: number, to: number) => ({
    text: text.slice(0, from) + text.slice(to),
    cursor: from,
  });
  switch (key.name) {
    case "left":
      return { text, cursor: cursor - previous };
    case "right":
      return { text, cursor: cursor + next };
    case "home":
    case "ctrl-a":
      return { text, cursor: begin };
    case "end":
    case "ctrl-e":
      return { text, cursor: end };
    case "backspace":
      return without(cursor - previous, cursor);
    case "delete":
    case "ctrl-d":
      return without(cursor, cursor + next);
    case "ctrl-u":
      return without(begin, cursor);
    case "ctrl-k":
      return without(cursor, end);
    case "ctrl-w":
      return without(begin + text.slice(begin, cursor).replace(/\S+\s*$/, "").length, cursor);
    default:
      return key.text === undefined
        ? undefined
        : insert({ text, cursor }, key.text.replace(/[\0-\x1f\x7f-\x9f]+/g, " "));
  }
}

/** The same for a text of several lines: Enter breaks a line, up and down go to others. */
export function editText({ text, cursor }: LineInput, key: Key): LineInput | undefined {
  const [begin, end] = lineAt(text, cursor);
  switch (key.name) {
    case "enter":
      return insert({ text, cursor }, "\n");
    case "paste": {
      const pasted = (key.text ?? "").replace(/\r\n?/g, "\n");
      return insert({ text, cursor }, pasted.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]+/g, " "));
    }
    case "up":
      if (begin === 0) return { text, cursor: 0 };
      return { text, cursor: placeIn(text, lineAt(text, begin - 1)[0], cursor - begin) };
    case "down":
      return { text, cursor: end === text.length ? end : placeIn(text, end + 1, cursor - begin) };
    default:
      return editLine({ text, cursor }, key);
  }
}

const insert = ({ text, cursor }: LineInput, typed: string): LineInput => ({
  text: text.slice(0, cursor) + typed + text.slice(cursor),
  cursor: cursor + typed.length,
});

/** Where the line begins and ends that a place is in. */
function lineAt(text: string, place: number): readonly [begin: number, end: number] {
  const end = text.indexOf("\n", place);
  return [text.slice(0, place).lastIndexOf("\n") + 1, end < 0 ? text.length : end];
}

/** The place so many units into the line that begins there, not within a cluster. */
function placeIn(text: string, begin: number, units: number): number {
  let at = begin;
  for (const piece of clusters(text.slice(begin).split("\n", 1)[0] ?? "")) {
    if (at + piece.length > begin + units) break;
    at += piece.length;
  }
  return at;
}

/** The part of a line that fits, safe to print, and the column of the cursor in it: the cursor is always to be seen. */
export function visiblePart({ text, cursor }: LineInput, width: number): { text: string; cursor: number } {
  const pieces = clusters(text.slice(0, cursor));
  let used = 0;
  let from = cursor;
  // One column is left for the cursor itself.
  for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) {
    used += displayWidth(safe(piece));
    if (used > Math.max(0, width - 1)) break;
    from -= piece.length;
  }
  return { text: safe(text.slice(from)), cursor: displayWidth(safe(text.slice(from, cursor))) };
}

/** Only what is shown: what was there before it was edited may hold anything. */
const safe = (text: string): string => visible(text.replace(/\s/g, " "));

/** The text in rows that fit, safe to print, and where the cursor is in them. */
export function textRows(
  { text, cursor }: LineInput,
  width: number,
): { readonly rows: readonly string[]; readonly row: number; readonly column: number } {
  const rows: string[] = [];
  let [at, row, column] = [0, 0, 0];
  let line = "";
  let used = 0;
  const note = () => {
    if (at === cursor) [row, column] = [rows.length, used];
  };
  for (const piece of [
    ...text.split("\n").flatMap((each, index) => [...(index > 0 ? ["\n"] : []), ...clusters(each)]),
  ]) {
    const shown = piece === "\t" ? " " : visible(piece);
    const columns = displayWidth(shown);
    // One column is left for the cursor.
    if (piece !== "\n" && used + columns > width - 1) {
      rows.push(line);
      [line, used] = ["", 0];
    }
    note();
    at += piece.length;
    if (piece === "\n") {
      rows.push(line);
      [line, used] = ["", 0];
    } else {
      line += shown;
      used += columns;
    }
  }
  note();
  rows.push(line);
  return { rows, row, column };
}
