import type { Format } from "../config/settings.ts";
import { PartialError } from "../errors.ts";
import type { Listing } from "../schema/resources.ts";
import { type Document, parseColumns } from "./columns.ts";
import { openSink, type Place, type Sink } from "./sink.ts";

/** The document with the derived columns among those asked for. */
export function withDerived(document: Document, listing: Listing, columns: readonly string[]): Document {
  const { derived = {} } = listing;
  const wanted = columns.filter(
    (column) => Object.hasOwn(derived, column) && !Object.hasOwn(document, column),
  );
  if (wanted.length === 0) return document;
  return {
    ...document,
    ...Object.fromEntries(wanted.map((column) => [column, derived[column]?.(document)])),
  };
}

export interface PrinterSettings extends Place {
  /** The format asked for, undefined if none was. */
  readonly format: Format | undefined;
  /** `--columns` as given, undefined if it was not. */
  readonly columns: string | undefined;
  readonly listing: Listing;
}

/** Documents one by one, or in pages, each of which is printed when it comes. */
export type Documents = Iterable<unknown | readonly unknown[]> | AsyncIterable<unknown | readonly unknown[]>;

/** Prints documents in the format asked for, or in the default of where they go (docs/design/cli.md, Output). */
export interface Printer {
  /** A list. @returns how many documents it had */
  list(documents: Documents): Promise<number>;
  /** What was asked for by id: one document, or a list of them if `several` ids were given. */
  documents(documents: Documents, several: boolean): Promise<number>;
  /**
   * Opens the output for what is created, changed or removed, one by one: ids in a pipe, nothing on a terminal (where a
   * sentence on stderr reports it), documents if a format asks for them. The caller writes each and ends it.
   */
  changes(several: boolean): Promise<Sink>;
}

/** @throws UsageError if the columns name a field that the documents do not have */
export function createPrinter(settings: PrinterSettings): Printer {
  const { listing, isTerminal, format } = settings;
  const columns =
    settings.columns === undefined ? listing.columns : parseColumns(settings.columns, listing.kind);
  const columnsAsked = settings.columns !== undefined;
  /** Adds derived columns. JSON documents are those of the API unless columns were asked for. */
  const open = async (chosen: Format, several: boolean): Promise<Sink> => {
    const { kind } = listing;
    const sink = await openSink({ ...settings, format: chosen, several, columns, columnsAsked, kind });
    if (!columnsAsked && !isTabular(chosen, several)) return sink;
    return {
      write: (documents) => sink.write(documents.map((document) => withDerived(document, listing, columns))),
      end: () => sink.end(),
    };
  };
  return {
    async list(documents) {
      return pour(documents, await open(format ?? (isTerminal ? "table" : "tsv"), true));
    },
    async documents(documents, several) {
      return pour(documents, await open(format ?? (isTerminal ? "table" : "json"), several));
    },
    async changes(several) {
      if (format === undefined && isTerminal) return silent;
      return open(format ?? "id", several);
    },
  };
}

/** Whether a document is a row: a single one is a list of its fields in a table. */
const isTabular = (format: Format, several: boolean) =>
  format === "tsv" || format === "csv" || (format === "table" && several);

const silent: Sink = { write: async () => {}, end: async () => {} };

/**
 * Whether a list is completed after an error: yes if some of several items failed. A list that was cut short stays
 * without its end, so that no reader takes it for the whole.
 */
export const endsList = (error: unknown): boolean => error instanceof PartialError;

async function pour(documents: Documents, sink: Sink): Promise<number> {
  let count = 0;
  try {
    for await (const next of documents) {
      const page = (Array.isArray(next) ? next : [next]) as readonly Document[];
      count += page.length;
      await sink.write(page);
    }
  } catch (error) {
    if (count > 0 && endsList(error)) await sink.end();
    throw error;
  }
  await sink.end();
  return count;
}
