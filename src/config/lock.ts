import { dirname, join } from "node:path";
import { LockUnusable, withLock } from "../files/lock.ts";
import { unwritable } from "./folders.ts";

/**
 * Does something while no other process changes that file, or another of the settings.
 * @throws NotConfiguredError if the lock can't be created
 */
export async function withFileLock<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await withLock(join(dirname(path), ".settings"), work);
  } catch (error) {
    throw error instanceof LockUnusable ? unwritable(path, error.cause) : error;
  }
}
