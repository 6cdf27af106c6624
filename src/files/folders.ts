import { closeSync, copyFileSync, fsyncSync, linkSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "./errors.ts";

/**
 * Creates a folder with its parents, for its owner only, so that they outlive a crash of the machine: syncing a file or
 * folder does not sync the name of the folder that it is in.
 *
 * @throws what the file system says
 */
export function makeDurableFolder(path: string): void {
  // Not with Node's option `recursive`, which never ends in a folder that takes no new names, as /proc.
  try {
    createFolder(path);
  } catch (error) {
    const parent = dirname(path);
    if (systemCode(error) !== "ENOENT" || parent === path) throw error;
    makeDurableFolder(parent);
    createFolder(path);
  }
}

function createFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
    throw error;
  }
  syncFolder(dirname(path));
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

/** Waits until the content of a file is on the disk. */
export function syncFile(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Gives a file another name, or where the file system has no hard links, a copy, synced to the disk. */
export function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
    syncFile(to);
  }
}
