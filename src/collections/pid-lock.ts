import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { UsageError } from "../errors.ts";
import { broken, fileProblem } from "./place.ts";

const lockPath = (path: string) => `${path}.lock`;

/**
 * Takes a file for this process alone. A process that was killed lets go of it: the lock names its holder.
 *
 * @param what as it is named in the message: `this journal`
 * @throws UsageError if a process that lives has it
 */
export function lockFile(path: string, what: string): void {
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      const file = openSync(lockPath(path), "wx", 0o600);
      writeSync(file, String(process.pid));
      closeSync(file);
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code !== "EEXIST")
        throw broken(path, `it can't be written: ${fileProblem(error)}`, undefined, error);
    }
    const holder = holderOf(path);
    if (holder !== undefined)
      throw new UsageError(`${path}: another process (${holder}) is using ${what}`, {
        hint: `If that is not so, remove ${lockPath(path)}.`,
      });
    unlockFile(path);
  }
  throw new UsageError(`${path}: another process is using ${what}`);
}

/** The process that holds the lock, if it lives. */
function holderOf(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(lockPath(path), "utf8"));
    if (!Number.isInteger(pid) || pid <= 0) return undefined;
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    return (error as { code?: unknown }).code === "EPERM" ? -1 : undefined;
  }
}

export function unlockFile(path: string): void {
  try {
    unlinkSync(lockPath(path));
  } catch {
    // It is gone already.
  }
}
