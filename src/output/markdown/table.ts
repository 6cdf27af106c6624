import type { Block } from "../../cards/nodes.ts";
import { type InlineOptions, inlineRuns } from "./inline.ts";
import { type Line, lineWidth, type Run, run } from "./runs.ts";
import { wrapRuns } from "./wrap.ts";

/** A word that is longer than this may be cut where its column has no room. */
const longWord = 20;

type Table = Block & { type: "table" };
type Align = Table["align"][number];

/** A table in columns that fit the width, its cells wrapped at words; as records where that does not fit, and in plain text. */
export function tableLines(table: Table, options: InlineOptions, width: number): Line[] {
  const header = table.header.map((cell) => inlineRuns(cell, options, { bold: true }));
  const rows = table.rows.map((row) => row.map((cell) => inlineRuns(cell, options)));
  const natural = header.map((_, column) =>
    Math.max(1, ...[header, ...rows].map((row) => naturalWidth(row[column] ?? []))),
  );
  const least = header.map((_, column) =>
    Math.min(longWord, Math.max(1, ...[header, ...rows].map((row) => longestWord(row[column] ?? [])))),
  );
  const widths = options.plain ? undefined : columnWidths(natural, least, width - 3 * (header.length - 1));
  if (!widths) return records(header, rows, width);
  return [
    ...rowLines(header, widths, table.align),
    [run(widths.map((columns) => "─".repeat(columns)).join("─┼─"), { dim: true })],
    ...rows.flatMap((row) => rowLines(row, widths, table.align)),
  ];
}

const naturalWidth = (cell: readonly Run[]) =>
  wrapRuns(cell, Number.POSITIVE_INFINITY).reduce((widest, line) => Math.max(widest, lineWidth(line)), 0);

/** The columns of the widest piece that is not broken, over changes of style. */
const longestWord = (cell: readonly Run[]) =>
  wrapRuns(cell, 1, { cut: false }).reduce((widest, line) => Math.max(widest, lineWidth(line)), 0);

/**
 * The natural widths, or as wide as fits, the widest columns cut down first and none below its longest word; undefined
 * if the words do not fit.
 */
function columnWidths(
  natural: readonly number[],
  least: readonly number[],
  available: number,
): number[] | undefined {
  const sum = (widths: readonly number[]) => widths.reduce((total, width) => total + width, 0);
  const widths = natural.map((wanted, column) => Math.min(wanted, least[column] ?? wanted));
  if (sum(widths) > available) return undefined;
  let left = available - sum(widths);
  while (left > 0) {
    // The narrowest of the columns that are still cut gets the next column of the terminal.
    const cut = [...widths.keys()].filter((column) => (widths[column] ?? 0) < (natural[column] ?? 0));
    const [narrowest] = cut.toSorted((a, b) => (widths[a] ?? 0) - (widths[b] ?? 0));
    if (narrowest === undefined) break;
    widths[narrowest] = (widths[narrowest] ?? 0) + 1;
    left--;
  }
  return widths;
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

/** A line `name: value` for each cell, with a blank line between rows. */
function records(header: readonly Run[][], rows: readonly Run[][][], width: number): Line[] {
  return rows.flatMap((row, index) => [
    ...(index > 0 ? [[]] : []),
    ...row.flatMap((cell, column) => {
      const name = header[column] ?? [];
      const hasName = name.some(({ text }) => text.trim() !== "");
      return wrapRuns(hasName ? [...name, run(": "), ...cell] : cell, width);
    }),
  ]);
}
