import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CsvError, Parser } from "csv-parse";
import { limits } from "../limits.ts";
import { at, broken } from "../place.ts";
import { readText, type TextOptions } from "./text.ts";

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

/** A first line that tells programs for tables what separates the cells, and is none itself. */
const separatorLine = /^sep=(.)\r?\n/i;

/**
 * The rows of a csv or tsv file as they are read: RFC 4180, any line ends, blank lines left out.
 *
 * @throws UsageError naming the line where a quote is not closed, or a row is larger than the limit.
 */
export async function* csvRows(path: string, options: CsvOptions): AsyncGenerator<CsvRow> {
  const pieces = readText(path, options)[Symbol.asyncIterator]();
  const first = await pieces.next();
  if (first.done) return;
  const named = separatorLine.exec(first.value)?.[1];
  const parser = new Parser({
    delimiter: options.delimiter ?? named ?? guessDelimiter(first.value, path, options.quotes),
    from_line: named === undefined ? 1 : 2,
    info: true,
    max_record_size: limits.itemLength,
    quote: options.quotes !== false,
    relax_column_count: true,
    skip_empty_lines: true,
  });
  const text = Readable.from(
    (async function* () {
      yield first.value;
      yield* { [Symbol.asyncIterator]: () => pieces };
    })(),
    { objectMode: true, highWaterMark: 1 },
  );
  // The failure also ends the loop over the parser, which tells it.
  const done = pipeline(text, parser).catch(() => {});
  let next = 1;
  try {
    for await (const row of parser) {
      const { record, info } = row as { record: string[]; info: { lines: number } };
      next = info.lines + 1;
      yield { cells: record, line: info.lines - linesInside(record) };
    }
  } catch (error) {
    throw error instanceof CsvError ? explained(error, options.name, next) : error;
  } finally {
    parser.destroy();
    await done;
  }
}

/** The character that separates the cells of the first line most often, quoted text left out. */
export function guessDelimiter(text: string, path: string, quotes = true): string {
  if (/\.(?:tsv|tab)$/i.test(path)) return "\t";
  const counts = new Map([",", ";", "\t", "|"].map((delimiter) => [delimiter, 0]));
  let quoted = false;
  for (const character of text) {
    if (quotes && character === '"') quoted = !quoted;
    else if (!quoted && (character === "\n" || character === "\r")) break;
    else if (!quoted) counts.set(character, (counts.get(character) ?? Number.NaN) + 1);
  }
  let best = ",";
  for (const [delimiter, count] of counts) if (count > (counts.get(best) ?? 0)) best = delimiter;
  return best;
}

function linesInside(cells: readonly string[]): number {
  let lines = 0;
  for (const cell of cells) if (cell.includes("\n")) lines += cell.split("\n").length - 1;
  return lines;
}

/** @param line where the row begins that could not be read. */
function explained(error: CsvError, name: string, line: number): Error {
  if (error.code === "CSV_QUOTE_NOT_CLOSED")
    return broken(at(name, line), "a quote that begins in this row is never closed", quotesHint);
  // Rows that were read before the error may not have come yet: the parser knows better where it is.
  const place = at(name, typeof error["lines"] === "number" ? error["lines"] : line);
  if (error.code === "CSV_MAX_RECORD_SIZE")
    return broken(place, `a row has more than ${limits.itemLength / 1024 / 1024} MiB`);
  if (error.code === "INVALID_OPENING_QUOTE")
    return broken(place, "a quote stands in a cell that does not begin with one", quotesHint);
  if (error.code === "CSV_INVALID_CLOSING_QUOTE")
    return broken(place, "there is text behind the quote that closes a cell", quotesHint);
  return broken(place, error.message);
}

const quotesHint =
  'A cell with quotes in it begins and ends with one, and each of its own is written twice: "5"" nails". ' +
  "Where quotes are characters like any other, give --no-quotes.";
