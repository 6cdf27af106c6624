import type { Format } from "../config/settings.ts";
import { PartialError } from "../errors.ts";
import type { Listing } from "../schema/resources.ts";
import { type Document, parseColumns } from "./columns.ts";
import { openSink, type Place, type Sink } from "./sink.ts";
import type { Output } from "./stream.ts";

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
  /** Takes the JSON of the whole result, which then is not printed (`--jq`). */
  readonly filter?: ((json: string) => Promise<void>) | undefined;
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
  const { listing, isTerminal, filter } = settings;
  const format = filter === undefined ? settings.format : "json";
  const columnsAsked = settings.columns !== undefined;
  const columns =
    settings.columns === undefined ? listing.columns : parseColumns(settings.columns, listing.kind);
  const open = async (chosen: Format, several: boolean): Promise<Sink> => {
    let json = "";
    const collected: Output = {
      async write(data) {
        json += data;
      },
    };
    const stdout = filter === undefined ? settings.stdout : collected;
    const { kind } = listing;
    const sink = await openSink({
      ...{ ...settings, stdout, format: chosen, several },
      ...{ columns, columnsAsked, kind },
    });
    // JSON documents are those of the API unless columns were asked for.
    const derives = columnsAsked || isTabular(chosen, several);
    return {
      write: (documents) =>
        sink.write(derives ? documents.map((each) => withDerived(each, listing, columns)) : documents),
      async end() {
        await sink.end();
        await filter?.(json || "null");
      },
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
 * A list is completed after the error of some of several items. One that was cut short stays without its end, so that no
 * reader takes it for the whole.
 */
async function pour(documents: Documents, sink: Sink): Promise<number> {
  let count = 0;
  try {
    for await (const next of documents) {
      const page = (Array.isArray(next) ? next : [next]) as readonly Document[];
      count += page.length;
      await sink.write(page);
    }
  } catch (error) {
    // The first failure is the one to report.
    if (count > 0 && error instanceof PartialError) await sink.end().catch(() => {});
    throw error;
  }
  await sink.end();
  return count;
}
