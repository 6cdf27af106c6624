import type { Block, Inline } from "../../cards/nodes.ts";
import { columnWidths } from "../layout.ts";
import { type InlineOptions, inlineRuns } from "./inline.ts";
import { type Line, lineWidth, plain, type Run, run, type Style } from "./runs.ts";
import { wrapRuns } from "./wrap.ts";

/** A word that is longer than this may be cut where its column has no room. */
const longWord = 20;

type Table = Block & { type: "table" };
type Align = Table["align"][number];
type Cell = readonly Run[];

/** A table in columns that fit the width, its cells wrapped at words; as records where that does not fit, and in plain text. */
export function tableLines(table: Table, options: InlineOptions, width: number): readonly Line[] {
  const cellsOf = (row: readonly (readonly Inline[])[], style: Style): Cell[] =>
    row.map((nodes) => inlineRuns(nodes, options, style));
  const header = cellsOf(table.header, { bold: true });
  const rows = table.rows.map((row) => cellsOf(row, plain));
  const widest = (measure: (cell: Cell) => number) =>
    header.map((_, column) =>
      Math.max(1, ...[header, ...rows].map((row) => (row[column] ? measure(row[column]) : 0))),
    );
  const natural = widest((cell) => widthOf(wrapRuns(cell, Number.POSITIVE_INFINITY)));
  // The columns of the longest piece that is not broken, over changes of style.
  const least = widest((cell) => Math.min(longWord, widthOf(wrapRuns(cell, 1, { cut: false }))));
  const widths = options.plain ? undefined : columnWidths(natural, least, width - 3 * (header.length - 1));
  if (!widths) return records(header, rows, width);
  return [
    ...rowLines(header, widths, table.align),
    [run(widths.map((columns) => "─".repeat(columns)).join("─┼─"), { dim: true })],
    ...rows.flatMap((row) => rowLines(row, widths, table.align)),
  ];
}

const widthOf = (lines: readonly Line[]) =>
  lines.reduce((widest, line) => Math.max(widest, lineWidth(line)), 0);

function rowLines(row: readonly Cell[], widths: readonly number[], align: readonly Align[]): Line[] {
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

/** A line `name: value` for each cell, with a blank line between rows. */
const records = (header: readonly Cell[], rows: readonly Cell[][], width: number): Line[] =>
  rows.flatMap((row, index) => [
    ...(index > 0 ? [[]] : []),
    ...row.flatMap((cell, column) => {
      const name = header[column] ?? [];
      const hasName = name.some(({ text }) => text.trim() !== "");
      return wrapRuns(hasName ? [...name, run(": "), ...cell] : cell, width);
    }),
  ]);
