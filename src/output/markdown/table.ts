import type { Block } from "../../cards/nodes.ts";
import { type InlineOptions, inlineRuns } from "./inline.ts";
import { type Line, lineWidth, type Run, run } from "./runs.ts";
import { wrapRuns } from "./wrap.ts";

/** A column that would have to be narrower than this makes the table a list of its rows. */
const narrowest = 5;

type Table = Block & { type: "table" };
type Align = Table["align"][number];

/** A table in columns that fit the width, its cells wrapped; where they cannot fit, row by row with names before values. */
export function tableLines(table: Table, options: InlineOptions, width: number): Line[] {
  const header = table.header.map((cell) => inlineRuns(cell, options, { bold: true }));
  const rows = table.rows.map((row) => row.map((cell) => inlineRuns(cell, options)));
  const natural = header.map((_, column) =>
    Math.max(1, ...[header, ...rows].map((row) => naturalWidth(row[column] ?? []))),
  );
  const widths = columnWidths(natural, width - 3 * (header.length - 1));
  if (!widths) return rowByRow(header, rows, width);
  return [
    ...rowLines(header, widths, table.align),
    [run(widths.map((columns) => "─".repeat(columns)).join("─┼─"), { dim: true })],
    ...rows.flatMap((row) => rowLines(row, widths, table.align)),
  ];
}

const naturalWidth = (cell: readonly Run[]) =>
  wrapRuns(cell, Number.POSITIVE_INFINITY).reduce((widest, line) => Math.max(widest, lineWidth(line)), 0);

/** The natural widths, or with the widest columns cut down to one common width; undefined if that is too narrow. */
function columnWidths(natural: readonly number[], available: number): number[] | undefined {
  let left = available;
  let columns = natural.length;
  for (const width of natural.toSorted((a, b) => a - b)) {
    const share = Math.floor(left / columns);
    if (width > share)
      return share < narrowest ? undefined : natural.map((wanted) => Math.min(wanted, share));
    left -= width;
    columns--;
  }
  return [...natural];
}

function rowLines(row: readonly Run[][], widths: readonly number[], align: readonly Align[]): Line[] {
  const cells = widths.map((width, column) => wrapRuns(row[column] ?? [], width));
  const height = Math.max(1, ...cells.map((cell) => cell.length));
  return Array.from({ length: height }, (_, at) =>
    widths.flatMap((width, column) => {
      const divider = column === 0 ? [] : [run(" │ ", { dim: true })];
      return [...divider, ...padded(cells[column]?.[at] ?? [], width, align[column] ?? "left")];
    }),
  );
}

function padded(line: Line, width: number, align: Align): Line {
  const missing = Math.max(0, width - lineWidth(line));
  const before = align === "left" ? 0 : align === "right" ? missing : missing >> 1;
  return [run(" ".repeat(before)), ...line, run(" ".repeat(missing - before))];
}

function rowByRow(header: readonly Run[][], rows: readonly Run[][][], width: number): Line[] {
  return rows.flatMap((row, index) => [
    ...(index > 0 ? [[]] : []),
    ...row.flatMap((cell, column) => wrapRuns([...(header[column] ?? []), run(": "), ...cell], width)),
  ]);
}
