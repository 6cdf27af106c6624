import { existsSync, mkdirSync, statSync } from "node:fs";
import { basename, dirname, extname, resolve } from "node:path";
import { UsageError } from "../../errors.ts";
import { AtomicFile } from "../../files/atomic-write.ts";
import { fileProblem, isFileError } from "../../files/errors.ts";
import { Collection, type CollectionOptions } from "../collection.ts";
import type { Sink } from "../model.ts";
import { type ExportFormat, exportFormats } from "../model.ts";
import { broken } from "../place.ts";

export interface ExportOptions extends CollectionOptions {
  readonly target: string;
  readonly format: ExportFormat;
  /** Names the account without its key: a folder of one account is not overwritten by another's unasked. */
  readonly account: string;
}

export type ExportSummary = Collection["counts"] &
  Pick<Collection, "missing" | "adapted" | "leftOut"> & {
    /** Whether the file that was there is kept for those that failed: it may be the last that has them. */
    readonly kept: boolean;
    /** Files of a folder that were edited since its last export: they were moved to its `.deckhand/trash`. */
    readonly setAside: readonly string[];
  };

/** Writes a collection into a file of a format. */
type Write = (collection: Collection, sink: Sink) => Promise<void>;

const endings: Readonly<Record<string, ExportFormat>> = {
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".csv": "csv",
  ".mochi": "mochi",
  ".zip": "mochi",
  ".apkg": "apkg",
  "": "markdown",
};

/** The format that the name of a target implies; a name without an ending is a folder of markdown. */
export function formatOf(target: string): ExportFormat {
  const format = endings[extname(target).toLowerCase()];
  if (format !== undefined) return format;
  if (existsSync(target) && statSync(target).isDirectory()) return "markdown";
  throw new UsageError(`${basename(target)}: which format? Its ending does not say`, {
    hint: `Name one with --format: ${exportFormats.join(", ")}.`,
  });
}

/**
 * Exports a collection. A file is written beside its target and renamed when it is complete; a folder is changed file by
 * file.
 *
 * @throws UsageError for a target that cannot be written
 */
export async function exportCollection(options: ExportOptions): Promise<ExportSummary> {
  const target = resolve(options.target);
  try {
    assertKind(target, options);
    mkdirSync(dirname(target), { recursive: true });
    const folder = isFolder(options.format) ? await openFolder(target, options) : undefined;
    const collection = await Collection.open(options);
    try {
      const kept = folder === undefined && !(await writeFile(collection, target, options));
      if (folder !== undefined) {
        const { writeMarkdown } = await import("../formats/markdown/write.ts");
        await writeMarkdown(collection, folder);
      }
      const { counts, missing, adapted, leftOut } = collection;
      return { ...counts, missing, adapted, leftOut, kept, setAside: folder?.setAside ?? [] };
    } finally {
      await folder?.close();
      await collection.close();
    }
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw broken(options.target, `it can't be written: ${fileProblem(error)}`, undefined, error);
  }
}

function assertKind(target: string, { format, target: name }: ExportOptions): void {
  const there = statSync(target, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder(format) && there === false) throw new UsageError(`${name} is a file; ${format} is a folder`);
  if (!isFolder(format) && there) throw new UsageError(`${name} is a folder; ${format} is a file`);
}

async function openFolder(target: string, { account, deck }: ExportOptions) {
  const { ExportFolder } = await import("../formats/markdown/folder.ts");
  return ExportFolder.open(target, { account, deck });
}

/** @returns false if the file that was there is kept, since attachments could not be fetched this time */
async function writeFile(collection: Collection, target: string, options: ExportOptions): Promise<boolean> {
  const write = await writerOf(options);
  const file = await AtomicFile.create(target);
  try {
    await write(collection, file);
    if (collection.counts.failed > 0 && isFilled(target)) return false;
    await file.commit();
    return true;
  } finally {
    await file.discard();
  }
}

const isFilled = (path: string) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

async function writerOf({ format }: ExportOptions): Promise<Write> {
  switch (format) {
    case "ndjson":
      return (await import("../formats/ndjson/write.ts")).writeNdjson;
    case "csv":
      return (await import("../formats/csv/write.ts")).writeCsv;
    case "mochi":
      return (await import("../formats/mochi/write.ts")).writeMochi;
    case "apkg":
      return (await import("../formats/anki/write.ts")).writeAnki;
    default:
      throw new UsageError(`${format} is a folder, not a file`);
  }
}

/** Whether a format is a folder of files. */
export const isFolder = (format: ExportFormat): boolean => format === "markdown";
