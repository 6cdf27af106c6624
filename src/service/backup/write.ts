import { rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { type AtomicFile, writeFileWith } from "../../files/atomic-write.ts";
import { systemCode } from "../../files/errors.ts";
import { takeLock } from "../../files/lock.ts";
import { temporaryBeside } from "../../files/temporary.ts";
import { backupLock, contentPath } from "../blobs/paths.ts";
import { takeRestored } from "../restored.ts";
import { ArchiveWriter } from "./archive.ts";
import { attachmentHashes, snapshot, using, valuesOf } from "./snapshot.ts";

/** A file that belongs to a backup, by its name there: `reviews/local.jsonl`. */
export interface OwnFile {
  readonly name: string;
  readonly path: string;
}

export interface BackupOptions {
  /** The folder of the service's data: the store, and `attachments` beside it. */
  readonly folder: string;
  /** Where the backup goes. A file that is there is replaced when the new one is whole. */
  readonly target: string;
  /** The review logs, the settings and so on; those that are missing are left out. */
  readonly files?: readonly OwnFile[];
  /** Whether the contents of attachments are part of it. */
  readonly attachments: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly signal?: AbortSignal | undefined;
  /** In bytes. */
  progress?(written: number): void;
}

export interface BackupResult {
  /** In bytes. */
  readonly size: number;
  /** Hashes of attachments that are missing or damaged in the collection, and so in the backup. */
  readonly damaged: readonly string[];
}

/** What the first part of a backup says. */
export interface BackupHeader {
  readonly backup: 1;
  /** ISO 8601. */
  readonly created: string;
  /** The version of the store's schema. */
  readonly schema: number;
  readonly attachments: boolean;
}

export const headerName = "deckhand.json";
export const storeName = "store.sqlite";
export const settingsName = "config.json";

/**
 * Writes the collection in a folder to one file, as it is at one moment, while other processes use it. Killed at any
 * moment it leaves the old file or the new one.
 *
 * The files besides are read before the store: an answer of the review log is in it before it reaches the store, and
 * what a sync agreed on is in its state after both sides have it. So restoring them with the store repeats or finds
 * what they lack, and nothing is missed.
 *
 * @throws what the file system or SQLite says, or what the signal was aborted with
 */
export async function writeBackup(options: BackupOptions): Promise<BackupResult> {
  const { folder, target, signal } = options;
  takeRestored(folder);
  const lock = await takeLock(backupLock(folder), { signal });
  const copy = temporaryBeside(target);
  let damaged: readonly string[] = [];
  try {
    await writeFileWith(target, async (file) => {
      damaged = await writeParts(file, options, copy);
    });
    return { size: statSync(target).size, damaged };
  } finally {
    lock.release();
    for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(`${copy}${suffix}`, { force: true });
  }
}

/** @returns the hashes of attachments that are missing or damaged */
async function writeParts(file: AtomicFile, options: BackupOptions, copy: string): Promise<string[]> {
  const { folder, files = [], attachments, now, signal, progress } = options;
  const archive = new ArchiveWriter(file, now);
  let written = 0;
  async function* watched(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const bytes of pieces) {
      signal?.throwIfAborted();
      yield bytes;
      written += bytes.length;
      progress?.(written);
    }
  }
  /** @returns the hash of what was read; undefined if there is no such file */
  async function add(name: string, path: string): Promise<string | undefined> {
    const source = await open(path, "r").catch((error: unknown) => {
      if (systemCode(error) !== "ENOENT") throw error;
    });
    if (source === undefined) return undefined;
    try {
      // A log is appended to meanwhile: what is there now is taken.
      const { size } = await source.stat();
      const range = { start: 0, end: Math.max(size - 1, 0), highWaterMark: piece, autoClose: false };
      return await archive.add(name, size, watched(source.createReadStream(range)));
    } finally {
      await source.close();
    }
  }
  const store = join(folder, storeName);
  const created = new Date(now).toISOString();
  const header = { backup: 1, created, schema: schemaOf(store), attachments } satisfies BackupHeader;
  const text = Buffer.from(`${JSON.stringify(header)}\n`);
  await archive.add(headerName, text.length, [text]);
  for (const { name, path } of files) await add(name, path);
  snapshot(store, copy);
  await add(storeName, copy);
  const damaged: string[] = [];
  for (const hash of attachments ? attachmentHashes(copy) : []) {
    const name = `attachments/${contentPath(hash)}`;
    if ((await add(name, join(folder, name))) !== hash) damaged.push(hash);
  }
  await archive.end();
  return damaged;
}

const piece = 1024 * 1024;

/** The version of the schema of a store. */
function schemaOf(store: string): number {
  return using(store, (database) =>
    Number(valuesOf(database, "user_version", "pragma_user_version")[0] ?? 0),
  );
}
