import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CsvError, type InfoRecord, Parser } from "csv-parse";
import { limits } from "../../limits.ts";
import { at, broken } from "../../place.ts";
import { readText, type TextOptions } from "../text.ts";
import { type Preamble, preambleOf } from "./preamble.ts";

export interface CsvRow {
  readonly cells: readonly string[];
  /** The line it begins on, from 1. */
  readonly line: number;
}

export interface CsvOptions extends TextOptions {
  /** Found out from the first line if not given. */
  readonly delimiter?: string | undefined;
  /** False if quotes are characters like any other. */
  readonly quotes?: boolean | undefined;
}

/** The lines above the rows, and what separates the cells. */
export async function readPreamble(
  path: string,
  options: CsvOptions,
): Promise<Preamble & { readonly delimiter: string }> {
  for await (const text of readText(path, options)) return above(text, path, options);
  return above("", path, options);
}

function above(text: string, path: string, options: CsvOptions) {
  const preamble = preambleOf(text);
  const rows = text.slice(preamble.length);
  // Anki takes tabs before all else.
  const guess = () =>
    preamble.anki && rows.includes("\t") ? "\t" : guessDelimiter(rows, path, options.quotes);
  return { ...preamble, delimiter: options.delimiter ?? preamble.delimiter ?? guess() };
}

/**
 * The rows of a csv or tsv file as they are read: RFC 4180, any line ends, blank lines left out.
 *
 * @throws UsageError naming the line where a quote is not closed, or a row is larger than the limit.
 */
export async function* csvRows(path: string, options: CsvOptions): AsyncGenerator<CsvRow> {
  const pieces = readText(path, options)[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done) return;
  const preamble = above(first.value, path, options);
  const begin = first.value.slice(preamble.length);
  // Counted where rows are parsed: those before a broken one may not come out any more.
  const lines = new LineCount(preamble.lines);
  const rowOf = (cells: string[], { lines: read }: InfoRecord): CsvRow => ({
    cells,
    line: lines.begin(cells, read),
  });
  const parser = new Parser({
    delimiter: preamble.delimiter,
    max_record_size: limits.itemLength,
    quote: options.quotes !== false,
    record_delimiter: lineEnds(begin, options.quotes),
    // Its types take a row to be a list of cells for ever.
    on_record: rowOf as unknown as () => string[],
    relax_column_count: true,
    // A quote in a cell that does not begin with one is a character, as for spreadsheets and Anki.
    relax_quotes: true,
    skip_empty_lines: true,
  });
  const text = Readable.from(
    (async function* () {
      yield begin;
      yield* { [Symbol.asyncIterator]: () => pieces };
    })(),
    { objectMode: true, highWaterMark: 1 },
  );
  // The failure also ends the loop over the parser, which tells it.
  const done = pipeline(text, parser).catch(() => {});
  try {
    for await (const row of parser) yield row as CsvRow;
  } catch (error) {
    throw error instanceof CsvError ? explained(error, options.name, lines) : error;
  } finally {
    parser.destroy();
    await done;
  }
}

/** Cells in quotes, which begin where a cell begins. */
const quotedCell = /(?<=^|[,;\t|\r\n])"(?:[^"]|"")*"/g;

/** So many rows tell what separates their cells. */
const rowsRead = 20;

/** The character that separates the first row into as many cells as most others, and into most cells; quoted text left out. */
function guessDelimiter(text: string, path: string, quotes = true): string {
  if (/\.(?:tsv|tab)$/i.test(path)) return "\t";
  const rows = (quotes ? text.replace(quotedCell, "") : text).split(/\r?\n|\r/, rowsRead);
  let best = { delimiter: ",", alike: 0, count: 0 };
  for (const delimiter of [",", ";", "\t", "|"]) {
    const counts = rows.map((row) => row.split(delimiter).length - 1);
    const [count = 0] = counts;
    const alike = counts.filter((each) => each === count).length;
    if (count > 0 && (alike > best.alike || (alike === best.alike && count > best.count)))
      best = { delimiter, alike, count };
  }
  return best.delimiter;
}

/** How rows may end; as the first one does only where that is by CR alone, since elsewhere that is text. */
function lineEnds(text: string, quotes = true): string[] {
  const first = (quotes ? text.replace(quotedCell, "") : text).match(/\r?\n|\r/)?.[0];
  return first === "\r" ? ["\r\n", "\n", "\r"] : ["\r\n", "\n"];
}

/** The lines of a file, in which the parser counts a CR and LF inside a cell twice. */
class LineCount {
  readonly #above: number;
  #twice = 0;
  /** The line on which the next row begins. */
  next: number;

  /** @param above the lines above the rows */
  constructor(above: number) {
    this.#above = above;
    this.next = above + 1;
  }

  /** The line on which a row begins. @param read how many the parser has counted to its end */
  begin(cells: readonly string[], read: number): number {
    let inside = 0;
    for (const cell of cells)
      for (const [end] of /[\r\n]/.test(cell) ? cell.matchAll(/\r?\n|\r/g) : []) {
        inside++;
        if (end.length === 2) this.#twice++;
      }
    this.next = this.of(read) + 1;
    return this.of(read) - inside;
  }

  of(read: number): number {
    return this.#above + read - this.#twice;
  }
}

function explained(error: CsvError, name: string, lines: LineCount): Error {
  if (error.code === "CSV_QUOTE_NOT_CLOSED")
    return broken(at(name, lines.next), "a quote that begins in this row is never closed", quotesHint);
  const place = at(name, typeof error["lines"] === "number" ? lines.of(error["lines"]) : lines.next);
  if (error.code === "CSV_MAX_RECORD_SIZE")
    return broken(place, `a row has more than ${limits.itemLength / 1024 / 1024} MiB`);
  return broken(place, error.message);
}

const quotesHint =
  'A cell with quotes in it begins and ends with one, and each of its own is written twice: "5"" nails". ' +
  "Where quotes are characters like any other, give --no-quotes.";

/** The rows below the header, if there is one. */
export async function* rowsOf(
  path: string,
  options: CsvOptions & { readonly header?: boolean | undefined },
): AsyncGenerator<CsvRow> {
  let first = options.header;
  for await (const row of csvRows(path, options)) {
    if (!first) yield row;
    first = false;
  }
}

/** Cells that are missing at the end of a row are blank; more of them than columns mean that a quote went wrong. */
export const fits = (row: CsvRow, columns: { readonly names: readonly string[] }) =>
  !row.cells.slice(columns.names.length).some((cell) => cell.trim() !== "");
