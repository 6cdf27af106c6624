import {
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "./errors.ts";
import { removeLeftOver, temporaryBeside } from "./temporary.ts";

export interface ReplaceOptions {
  /** Whether the text is on the disk when this returns; without it, a power cut may leave an empty file. */
  readonly synced: boolean;
  /** Writes the text to a path where nothing is; Node's own way if absent. */
  readonly write?: (path: string, text: string) => void;
}

/**
 * Writes a file in one step, for its owner alone: whatever happens, readers see the old text or the new. Where the path is
 * a link, the file that it names is written.
 *
 * Libraries that do this take a short write for a whole one: on a disk with too little room left they put half a file in
 * the place of the old one, and report success. So what was written is read again before it becomes the file.
 *
 * @throws what the file system says; then nothing has changed
 */
export function replaceFile(path: string, text: string, options: ReplaceOptions): void {
  const { synced, write = writeNew } = options;
  const target = targetOf(path);
  removeLeftOver(target, Date.now());
  const temporary = temporaryBeside(target);
  try {
    write(temporary, text);
    if (readFileSync(temporary, "utf8") !== text) throw new Error("no space left on device");
    if (synced) sync(temporary);
    keepOwner(target, temporary);
    rename(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (synced) syncFolder(dirname(target));
}

const writeNew = (path: string, text: string) => writeFileSync(path, text, { mode: 0o600, flag: "wx" });

function sync(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
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
