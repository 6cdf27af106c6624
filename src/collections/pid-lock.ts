import { closeSync, openSync, readFileSync, unlinkSync, writeSync } from "node:fs";
import { UsageError } from "../errors.ts";
import { broken, fileProblem } from "./place.ts";

const lockPath = (path: string) => `${path}.lock`;

/** This process and no other: in a container the next run may well have the same number. */
const ownMark = () => `${process.pid} ${performance.timeOrigin}`;

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
      writeSync(file, ownMark());
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
  const mark = readMark(path);
  const pid = Number(mark.split(" ", 1)[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  if (pid === process.pid) return mark === ownMark() ? pid : undefined;
  try {
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    return (error as { code?: unknown }).code === "EPERM" ? pid : undefined;
  }
}

function readMark(path: string): string {
  try {
    return readFileSync(lockPath(path), "utf8");
  } catch {
    return "";
  }
}

export function unlockFile(path: string): void {
  try {
    unlinkSync(lockPath(path));
  } catch {
    // It is gone already.
  }
}
