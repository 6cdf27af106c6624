import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { replaceFile } from "./atomic-write.ts";
import { makeDurableFolder } from "./folders.ts";

/** What is kept as JSON in a file, and found out again where it is not there or cannot be read: then undefined. */
export function readCache(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** Never fails: what cannot be kept is found out again. */
export function writeCache(path: string, value: unknown): void {
  try {
    makeDurableFolder(dirname(path));
    replaceFile(path, JSON.stringify(value), { synced: false });
  } catch {}
}
