import { visible } from "../output/sanitize.ts";
import { clusters, displayWidth } from "../output/width.ts";
import type { Key } from "./keys.ts";
import { editLine, type LineInput } from "./line-input.ts";

/** A text of several lines that is being typed: as a line, and Enter, up and down. Undefined for a key that edits nothing. */
export function editText({ text, cursor }: LineInput, key: Key): LineInput | undefined {
  const begin = text.lastIndexOf("\n", cursor - 1) + 1;
  const next = text.indexOf("\n", cursor);
  const end = next < 0 ? text.length : next;
  const insert = (typed: string) => ({
    text: text.slice(0, cursor) + typed + text.slice(cursor),
    cursor: cursor + typed.length,
  });
  switch (key.name) {
    case "enter":
      return insert("\n");
    case "paste":
      return insert((key.text ?? "").replace(/\r\n?/g, "\n").replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]+/g, " "));
    case "up":
      if (begin === 0) return { text, cursor: 0 };
      return { text, cursor: placeIn(text, text.lastIndexOf("\n", begin - 2) + 1, cursor - begin) };
    case "down":
      return { text, cursor: next < 0 ? text.length : placeIn(text, next + 1, cursor - begin) };
  }
  const joins = key.name === "backspace" || key.name === "left";
  // At the ends of a line the neighbour is the break.
  if (joins && cursor === begin && begin > 0)
    return key.name === "left"
      ? { text, cursor: cursor - 1 }
      : { text: text.slice(0, begin - 1) + text.slice(begin), cursor: begin - 1 };
  if (cursor === end && end < text.length) {
    if (key.name === "right") return { text, cursor: cursor + 1 };
    if (key.name === "delete") return { text: text.slice(0, end) + text.slice(end + 1), cursor };
  }
  const line = editLine({ text: text.slice(begin, end), cursor: cursor - begin }, key);
  if (line === undefined) return undefined;
  return { text: text.slice(0, begin) + line.text + text.slice(end), cursor: begin + line.cursor };
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
