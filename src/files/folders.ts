import { closeSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder with its parents, for its owner only, so that they outlive a crash of the machine: syncing a file or
 * folder does not sync the name of the folder that it is in.
 *
 * @throws what the file system says
 */
export function makeDurableFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let folder = path; folder.length >= first.length; folder = dirname(folder))
    syncFolder(dirname(folder));
}

/** Makes new names in a folder outlive a crash of the machine, where folders can be synced at all. */
export function syncFolder(folder: string): void {
  try {
    const file = openSync(folder, "r");
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch {
    // Windows does not sync folders.
  }
}
