import { makeFolder } from "../config/folders.ts";
import { replaceFile } from "../files/atomic-write.ts";
import { cachePath, type NameCache } from "./cache.ts";

/** Writes the cache. Never fails: everything works without it. Completion reads the cache and does not load this. */
export function writeNameCache(folder: string, account: string, cache: NameCache): void {
  try {
    makeFolder(folder);
    replaceFile(cachePath(folder, account), JSON.stringify(cache), { synced: false });
  } catch {
    // Names are then requested each time.
  }
}
