import { existsSync, readdirSync, renameSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemCode } from "../files/errors.ts";
import { makeDurableFolder, syncFolder } from "../files/folders.ts";

/** The name that a restored collection has until it gets that of the service's folder (backup/restore.ts). */
export const restoredFolder = (folder: string): string => `${folder}.restored`;

/** Gives a restored collection its name and its logs their places: after a restore, or after one that was killed in between. */
export function takeRestored(folder: string): void {
  const ready = restoredFolder(folder);
  if (!existsSync(folder) && existsSync(ready)) {
    renameSync(ready, folder);
    syncFolder(dirname(folder));
  }
  placeLogs(folder);
}

/** Moves the review logs that came in a restored folder to those of the user. */
export function placeLogs(folder: string): void {
  const [from, to] = [join(folder, "reviews"), join(dirname(folder), "reviews")];
  if (!existsSync(from)) return;
  makeDurableFolder(to);
  try {
    for (const name of readdirSync(from)) renameSync(join(from, name), join(to, name));
    syncFolder(to);
    syncFolder(from);
    rmdirSync(from);
  } catch (error) {
    // Another process does it at the same time.
    if (systemCode(error) !== "ENOENT") throw error;
  }
}
