import { displayWidth, pad } from "../../width.ts";

/** A piece of a formula: one or more rows of text; the row at `base` lines up with the text beside it. */
export interface Box {
  readonly rows: readonly string[];
  readonly base: number;
}

export const text = (row: string): Box => ({ rows: [row], base: 0 });

const widthOf = ({ rows }: Box) => Math.max(0, ...rows.map((row) => displayWidth(row)));

/** Boxes side by side. */
export function beside(boxes: readonly Box[]): Box {
  if (boxes.every(({ rows }) => rows.length === 1)) return text(boxes.map(({ rows }) => rows[0]).join(""));
  const above = Math.max(...boxes.map(({ base }) => base));
  const below = Math.max(...boxes.map(({ rows, base }) => rows.length - base));
  const columns = boxes.map((box) => {
    const width = widthOf(box);
    return Array.from({ length: above + below }, (_, row) =>
      pad(box.rows[row - above + box.base] ?? "", width),
    );
  });
  return {
    rows: Array.from({ length: above + below }, (_, row) => columns.map((column) => column[row]).join("")),
    base: above,
  };
}

export type Align = "left" | "center" | "right";

/** Rows of cells below each other, with `gaps[n]` spaces before column n. */
export function grid(
  cells: readonly (readonly Box[])[],
  align: (column: number) => Align,
  gap: (column: number) => number,
): Box {
  const count = Math.max(0, ...cells.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(0, ...cells.map((row) => (row[column] ? widthOf(row[column]) : 0))),
  );
  const rows = cells.flatMap((row) => {
    const padded = widths.map((width, column) => {
      const box = row[column] ?? text("");
      const before = " ".repeat(column === 0 ? 0 : gap(column));
      return { rows: box.rows.map((line) => before + pad(line, width, align(column))), base: box.base };
    });
    return beside(padded).rows;
  });
  return { rows: rows.length === 0 ? [""] : rows, base: Math.floor((rows.length - 1) / 2) };
}

/** The pieces of tall delimiters: first row, middle, last row, and the row at the middle of a brace. */
const tall: Readonly<Record<string, readonly [string, string, string, string?]>> = {
  "(": ["⎛", "⎜", "⎝"],
  ")": ["⎞", "⎟", "⎠"],
  "[": ["⎡", "⎢", "⎣"],
  "]": ["⎤", "⎥", "⎦"],
  "{": ["⎧", "⎪", "⎩", "⎨"],
  "}": ["⎫", "⎪", "⎭", "⎬"],
  "|": ["│", "│", "│"],
  "‖": ["║", "║", "║"],
};
const twoRows: Readonly<Record<string, readonly [string, string]>> = { "{": ["⎰", "⎱"], "}": ["⎱", "⎰"] };

/** A delimiter as high as a box of so many rows. */
export function delimiter(sign: string, { rows: { length }, base }: Box): Box {
  const parts = tall[sign];
  if (length === 1 || sign === "" || parts === undefined) return { rows: [sign], base: 0 };
  if (length === 2 && twoRows[sign]) return { rows: twoRows[sign], base };
  const middle = Math.floor((length - 1) / 2);
  const rows = Array.from({ length }, (_, row) => {
    if (row === 0) return parts[0];
    if (row === length - 1) return parts[2];
    return row === middle && parts[3] ? parts[3] : parts[1];
  });
  return { rows, base };
}
