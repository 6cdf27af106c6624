import { hashAt, isSameStat, statOf } from "../folder/stat.ts";
import { scannedEntries } from "./steady-scan.ts";
import type { BaseFile, FolderFile } from "./types.ts";

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
    const isSame = before !== undefined && isSameStat(before, stat);
    const hash = isSame ? before.hash : hashIfThere(`${root}/${path}`);
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
