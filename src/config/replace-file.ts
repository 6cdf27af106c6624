import {
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "./files.ts";
import { removeLeftOver, temporaryBeside } from "./temporary.ts";

/**
 * Writes a file in one step, for its owner alone: whatever happens, readers see the old text or the new. Where the path is
 * a link, the file that it names is written.
 *
 * The libraries for this take a short write for a whole one: on a disk with too little room left they put half a file in
 * the place of the old one, and report success.
 *
 * @param options.synced whether the text is on the disk when this returns; without it, a power cut may leave an empty file
 * @throws what the file system says; then nothing has changed
 */
export function replaceFile(path: string, text: string, options: { readonly synced: boolean }): void {
  const target = targetOf(path);
  removeLeftOver(target, Date.now());
  const temporary = temporaryBeside(target);
  try {
    const file = openSync(temporary, "wx", 0o600);
    try {
      writeFileSync(file, text);
      if (options.synced) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    keepOwner(target, temporary);
    rename(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (options.synced) syncFolder(dirname(target));
}

function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Root (sudo) leaves the file to whom it belonged. */
function keepOwner(target: string, temporary: string): void {
  const there = statSync(target, { throwIfNoEntry: false });
  if (there === undefined || process.getuid?.() !== 0) return;
  try {
    chownSync(temporary, there.uid, there.gid);
  } catch {
    // Some file systems have no owners.
  }
}

/** Windows refuses for a moment to replace a file that someone has open, a virus scanner for one. */
function rename(from: string, to: string): void {
  for (let attempt = 1; ; attempt++)
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      const busy = ["EPERM", "EACCES", "EBUSY"].includes(systemCode(error) ?? "");
      if (process.platform !== "win32" || !busy || attempt === 50) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
}

/** Makes a new name outlive a crash of the machine, where folders can be synced at all. */
function syncFolder(folder: string): void {
  try {
    const file = openSync(folder, "r");
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch {
    // Windows has no such thing.
  }
}
