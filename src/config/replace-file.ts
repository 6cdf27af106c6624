import { renameSync, rmSync, writeFileSync } from "node:fs";
import { removeLeftOver, temporaryBeside } from "./temporary.ts";

/**
 * Writes a file that can be made again, in one step: readers see the old text or the new. Not synced to the disk, so
 * after a power cut it may be empty; what must not be lost goes through write-file-atomic.
 */
export function replaceFile(path: string, text: string): void {
  removeLeftOver(path, Date.now());
  const temporary = temporaryBeside(path);
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
