import { lstatSync } from "node:fs";
import { hashAt } from "./hash.ts";
import { scannedEntries } from "./steady-scan.ts";
import type { BaseFile, FolderFile } from "./types.ts";

/** A file that was recorded so soon after it was written, in ms, could have been written once more since. */
export const justWritten = 1000;

export interface Stat {
  readonly mtime: number;
  readonly size: number;
}

/** Recorded of a file that has to be read by the next sync: no file has this time and size. */
export const neverUnchanged: Stat = { mtime: 0, size: -1 };

/** Zeros for a file that is not there. */
export function statOf(path: string): Stat {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return { mtime: found?.mtimeMs ?? 0, size: found?.size ?? 0 };
}

/**
 * The files of a card, in the folder beside its file. Those that have not changed since the last sync are not read.
 *
 * @param known what the last sync recorded, by path
 */
export function scanFiles(
  root: string,
  folder: string,
  ignored: (path: string) => boolean,
  known: ReadonlyMap<string, BaseFile>,
): FolderFile[] {
  const files: FolderFile[] = [];
  for (const entry of scannedEntries(root, folder)) {
    const path = `${folder}/${entry.name}`;
    if (!entry.isFile() || entry.name.startsWith(".") || ignored(path)) continue;
    const stat = statOf(`${root}/${path}`);
    const before = known.get(path);
    const isSame =
      before?.mtime === stat.mtime && before.size === stat.size && before.at > stat.mtime + justWritten;
    const hash = before !== undefined && isSame ? before.hash : hashIfThere(`${root}/${path}`);
    if (hash !== undefined) files.push({ file: entry.name, hash, ...stat });
  }
  return files;
}

/** Undefined for a file that cannot be read: it is not synced. */
function hashIfThere(path: string): string | undefined {
  try {
    return hashAt(path);
  } catch {
    return undefined;
  }
}
