import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CsvError, type InfoRecord, type Options, Parser } from "csv-parse";
import { limits } from "../../limits.ts";
import type { Skip } from "../../model.ts";
import { at, broken } from "../../place.ts";
import { readText, type TextOptions } from "../text.ts";
import { type AnkiPreamble, preambleOf } from "./preamble.ts";

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

/** A csv or tsv file. */
export interface CsvFile {
  readonly name: string;
  readonly anki: AnkiPreamble | undefined;
  readonly delimiter: string;
  /** The cells of the first row; none where there is no row. */
  readonly first: readonly string[];
  /**
   * The rows as they are read: RFC 4180, any line ends, blank lines left out.
   *
   * @param header whether the first one is left out
   * @throws UsageError naming the line where a quote is not closed, or a row is larger than the limit.
   */
  rows(header: boolean): AsyncGenerator<CsvRow>;
}

export async function openRows(path: string, options: CsvOptions): Promise<CsvFile> {
  const { name, quotes = true } = options;
  let begin = "";
  for await (const piece of readText(path, options)) {
    begin = piece;
    break;
  }
  const { anki, length, lines, ...above } = preambleOf(begin);
  const text = begin.slice(length);
  // Anki takes tabs before all else.
  const guess = () => (anki && text.includes("\t") ? "\t" : guessDelimiter(text, path, quotes));
  const delimiter = options.delimiter ?? above.delimiter ?? guess();
  const format = { delimiter, quote: quotes, record_delimiter: lineEnds(text, quotes) };
  async function* below() {
    let skipped = length;
    for await (const piece of readText(path, options)) {
      yield piece.slice(skipped);
      skipped = 0;
    }
  }
  async function* rows(header: boolean) {
    let first = header;
    for await (const row of parsed(below(), format, name, lines)) {
      if (!first) yield row;
      first = false;
    }
  }
  let first: readonly string[] = [];
  for await (const { cells } of rows(false)) {
    first = cells.map((cell) => cell.trim());
    break;
  }
  return { name, anki, delimiter, first, rows };
}

/** @param above the lines above the rows */
async function* parsed(
  pieces: AsyncIterable<string>,
  format: Options,
  name: string,
  above: number,
): AsyncGenerator<CsvRow> {
  // Counted where rows are parsed: those before a broken one may not come out any more.
  let [next, twice] = [above + 1, 0];
  const rowOf = (cells: string[], { lines }: InfoRecord): CsvRow => {
    const ends = cells.flatMap((cell) => cell.match(/\r?\n|\r/g) ?? []);
    // The parser counts a CR and LF inside a cell twice.
    twice += ends.filter((end) => end.length === 2).length;
    next = above + lines - twice + 1;
    return { cells, line: next - 1 - ends.length };
  };
  const parser = new Parser({
    ...format,
    max_record_size: limits.itemLength,
    // Its types take a row to be a list of cells for ever.
    on_record: rowOf as unknown as () => string[],
    relax_column_count: true,
    // A quote in a cell that does not begin with one is a character, as for spreadsheets and Anki.
    relax_quotes: true,
    skip_empty_lines: true,
  });
  // The failure also ends the loop over the parser, which tells it.
  const done = pipeline(Readable.from(pieces, { objectMode: true, highWaterMark: 1 }), parser).catch(
    () => {},
  );
  try {
    for await (const row of parser) yield row as CsvRow;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { lines } = error as { lines?: unknown };
    throw explained(error, name, next, typeof lines === "number" ? above + lines - twice : next);
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
function guessDelimiter(text: string, path: string, quotes: boolean): string {
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
function lineEnds(text: string, quotes: boolean): string[] {
  const first = (quotes ? text.replace(quotedCell, "") : text).match(/\r?\n|\r/)?.[0];
  return first === "\r" ? ["\r\n", "\n", "\r"] : ["\r\n", "\n"];
}

/** @param next where the row begins, @param line where the parser is */
function explained(error: CsvError, name: string, next: number, line: number): Error {
  if (error.code === "CSV_QUOTE_NOT_CLOSED")
    return broken(at(name, next), "a quote that begins in this row is never closed", quotesHint);
  if (error.code === "CSV_MAX_RECORD_SIZE")
    return broken(at(name, line), `a row has more than ${limits.itemLength / 1024 / 1024} MiB`);
  return broken(at(name, line), error.message);
}

const quotesHint =
  'A cell with quotes in it begins and ends with one, and each of its own is written twice: "5"" nails". ' +
  "Where quotes are characters like any other, give --no-quotes.";

/** Whether a row has no more cells than there are columns, which is reported: it means that a quote went wrong. */
export function fits({ cells, line }: CsvRow, columns: readonly string[], name: string, skip: Skip): boolean {
  if (!cells.slice(columns.length).some((cell) => cell.trim() !== "")) return true;
  const why = `the row has ${cells.length} cells, the first row ${columns.length}`;
  skip({ place: at(name, line), what: "rows that do not fit the columns", why });
  return false;
}
