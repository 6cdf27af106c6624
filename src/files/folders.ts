import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { syncFolder } from "./atomic-write.ts";

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
