import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, extname, join, resolve } from "node:path";
import { UsageError } from "../../errors.ts";
import { fileProblem } from "../../files/errors.ts";
import { markerName } from "../../folder/layout.ts";
import type { ImportFormat, Source } from "../model.ts";
import { broken } from "../place.ts";
import type { CsvSourceOptions } from "./csv/columns.ts";
import { openCsv } from "./csv/read.ts";
import { firstColumns } from "./csv/sheet.ts";
import { listFolder } from "./list-folder.ts";
import { markOf, readStart } from "./text.ts";
import type { Archive } from "./zip/read.ts";

export interface OpenOptions extends Partial<Omit<CsvSourceOptions, "name" | "format">> {
  /** Found out from the content if not given. */
  readonly format?: ImportFormat | undefined;
  /** Between the cards of a markdown file. */
  readonly separator?: string | undefined;
}

/**
 * Opens a collection, whatever it is in. What is not asked for is found out from the first bytes, not from the name.
 *
 * @throws UsageError for what can't be read; the message names the place
 */
export async function openSource(path: string, options: OpenOptions = {}): Promise<Source> {
  const name = basename(resolve(path));
  const found = await stat(path).catch((error: unknown) => {
    throw broken(path, fileProblem(error), undefined, error);
  });
  // It is read more than once: what a pipe gave is gone.
  if (!found.isFile() && !found.isDirectory())
    throw broken(
      path,
      "it is neither a file nor a folder",
      "Write what it gives to a file, and import that.",
    );
  if (found.isDirectory()) await listFolder(path, path);
  const format =
    options.format ??
    (found.isDirectory() ? await recogniseFolder(path) : await recognise(path, name, options));
  if (format === "obsidian" || format === "hashcards") {
    const { openNotes } = await import("./notes/read.ts");
    return openNotes(path, name, format);
  }
  if (found.isDirectory()) {
    if (format !== "markdown")
      throw new UsageError(`${name} is a folder; only markdown and notes are read from folders`);
    const { openMarkdownFolder } = await import("./markdown/read.ts");
    return openMarkdownFolder(path, name);
  }
  switch (format) {
    case "csv":
    case "tsv":
      return openCsv(path, {
        ...{ ...options, name, format },
        delimiter: options.delimiter ?? (format === "tsv" ? "\t" : undefined),
      });
    case "markdown": {
      const { openMarkdownFile } = await import("./markdown/read-file.ts");
      return openMarkdownFile(path, { name, encoding: options.encoding, separator: options.separator });
    }
    case "ndjson": {
      const { openNdjson } = await import("./ndjson/read.ts");
      return openNdjson(path, name);
    }
    case "mochi":
    case "apkg":
      return openArchive(path, name, format);
    case "archive":
      return openArchive(path, name, undefined);
  }
}

/** @param given undefined to find it out from the entries */
async function openArchive(path: string, name: string, given: "mochi" | "apkg" | undefined): Promise<Source> {
  const { openZip } = await import("./zip/read.ts");
  const archive = await openZip(path, name);
  try {
    if ((given ?? archiveFormat(archive)) === "mochi") {
      const { openMochi } = await import("./mochi/read.ts");
      return await openMochi(archive);
    }
    const { openAnki } = await import("./anki/read.ts");
    return await openAnki(archive);
  } catch (error) {
    archive.close();
    throw error;
  }
}

function archiveFormat({ name, entries }: Archive): "mochi" | "apkg" {
  const names = [...entries.keys()];
  if (names.some((each) => /^collection\.anki2/.test(each))) return "apkg";
  if (entries.has("data.json") || entries.has("data.edn")) return "mochi";
  throw broken(
    name,
    "the archive is neither a .mochi archive (data.json) nor a package of Anki (collection.anki2)",
    entries.has("xl/workbook.xml") || entries.has("content.xml")
      ? "If it is a spreadsheet, save it as CSV, and import that."
      : "Unpack it first, and import the file or folder in it.",
  );
}

/** What a file is, by its first bytes; by its name only where text could be either. */
async function recognise(
  path: string,
  name: string,
  options: OpenOptions,
): Promise<ImportFormat | "archive"> {
  const { encoding, separator } = options;
  const start = await readStart(path, name);
  if (start.length === 0) throw broken(name, "the file is empty");
  const bytes = Buffer.from(start);
  if (/^PK(?:\x03\x04|\x05\x06|\x07\x08)/.test(bytes.toString("latin1", 0, 4))) return "archive";
  if (bytes.subarray(0, 15).toString("latin1") === "SQLite format 3")
    throw broken(name, "this is a database, not a package", "Export the collection from Anki as .apkg.");
  // Text of two bytes for each character has zeros, too, and the cells of our own spreadsheets may.
  const isText = encoding !== undefined || markOf(bytes) !== undefined || isOwnSheet(bytes);
  if (!isText && bytes.subarray(0, 4096).includes(0))
    throw broken(
      name,
      "this is no file that can be imported",
      `Formats: csv, tsv, markdown, obsidian, hashcards, ndjson, mochi, apkg.`,
    );
  const text = bytes
    .toString("latin1")
    .replace(/^\xef\xbb\xbf/, "")
    .trimStart();
  if (/^\{\s*"(?:schedule|deck|template|card|attachment)"\s*:/.test(text)) return "ndjson";
  if (/^[{[]/.test(text) && !/\.(?:csv|tsv|md|markdown|txt)$/i.test(name))
    throw broken(
      name,
      "this is JSON, but no exported collection",
      "Documents are created by `deckhand cards create --from`.",
    );
  if (ankiText.test(text)) return "csv";
  const container = containers[extname(name).toLowerCase()];
  if (container !== undefined)
    throw broken(
      name,
      `this is text, not ${container}`,
      "If it is a spreadsheet all the same, import it with --format csv.",
    );
  const isMarkdown = /\.(?:md|markdown)$/i.test(name);
  if (isMarkdown && (separator !== undefined || encoding !== undefined || /^\*{3}\r?$/m.test(text)))
    return "markdown";
  if (isMarkdown || /\.txt$/i.test(name)) {
    const { notesFormat } = await import("./notes/recognise.ts");
    const notes = notesFormat(bytes.toString("utf8"));
    if (notes !== undefined) return notes;
  }
  if (isMarkdown) return "markdown";
  if (/\.(?:tsv|tab)$/i.test(name)) return "tsv";
  if (/\.csv$/i.test(name)) return "csv";
  if (/^---\r?\n/.test(text) || /^#{1,6} /.test(text)) return "markdown";
  return !namesColumns(options) && hasLineBetweenSides(text) ? "markdown" : "csv";
}

/** Whether an option is of tables only. */
const namesColumns = ({ delimiter, quotes, front, back, tags, deckColumn, header, template }: OpenOptions) =>
  quotes === false ||
  [delimiter, front, back, tags, deckColumn, header, template].some((each) => each !== undefined);

/** Whether a text has a line of exactly three dashes, which is no row of a table; in quotes it is part of a cell. */
function hasLineBetweenSides(text: string): boolean {
  const { index } = /^---\r?$/m.exec(text) ?? {};
  return index !== undefined && (text.slice(0, index).split('"').length - 1) % 2 === 0;
}

/** What files with these endings hold: one that is text was damaged, or is the page of an error instead of a download. */
const containers: Readonly<Record<string, string>> = {
  ".apkg": "a package of Anki",
  ".colpkg": "a package of Anki",
  ".mochi": "a Mochi archive",
  ".zip": "an archive",
};

/** The first line of notes that Anki wrote as text. */
const ankiText = /^#(?:separator|html|columns|notetype|(?:guid|notetype|deck|tags) column):/i;

const isOwnSheet = (bytes: Buffer) =>
  bytes.toString("latin1", 0, 100).startsWith(`${firstColumns.join(",")},`);

/** A folder that an export wrote, or one of notes. */
async function recogniseFolder(path: string): Promise<ImportFormat> {
  if (existsSync(join(path, markerName))) return "markdown";
  const { folderFormat } = await import("./notes/recognise.ts");
  return (await folderFormat(path)) ?? "markdown";
}
