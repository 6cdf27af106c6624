import { closeSync, openSync, readFileSync, rmSync, statSync, unlinkSync, writeSync } from "node:fs";
import { UsageError } from "../../errors.ts";
import { fileProblem } from "../../files/errors.ts";
import { processLives } from "../../files/process-lives.ts";
import { broken } from "../place.ts";

const lockPath = (path: string) => `${path}.lock`;

/** This process and no other: in a container the next run may well have the same number. */
const ownMark = () => `${process.pid} ${performance.timeOrigin}`;

/** A lock that names nobody was made this moment, or its maker was killed in it. In ms. */
const nameless = 10_000;

/**
 * Takes a file for this process alone. A process that was killed lets go of it: the lock names its holder.
 *
 * @param what as it is named in the message: `this journal`
 * @throws UsageError if a process that lives has it
 */
export function lockFile(path: string, what: string): void {
  for (let attempt = 0; attempt < 50; attempt++) {
    if (made(path)) return;
    const found = read(path);
    if (found === undefined) continue;
    const holder = holderOf(found);
    if (holder !== undefined)
      throw new UsageError(
        `${path}: another process${holder === "" ? "" : ` (${holder})`} is using ${what}`,
        {
          hint: `If that is not so, remove ${lockPath(path)}.`,
        },
      );
    takeAway(path, found.mark);
  }
  throw new UsageError(`${path}: another process is using ${what}`);
}

function made(path: string): boolean {
  let file: number | undefined;
  try {
    file = openSync(lockPath(path), "wx", 0o600);
    writeSync(file, ownMark());
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === "EEXIST") return false;
    // A full disk: a lock that names nobody would be in the way of the next run.
    if (file !== undefined) unlockFile(path);
    throw broken(path, `it can't be written: ${fileProblem(error)}`, undefined, error);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

interface Found {
  readonly mark: string;
  /** Milliseconds since it was made. */
  readonly age: number;
}

function read(path: string): Found | undefined {
  try {
    const mark = readFileSync(lockPath(path), "utf8");
    return { mark, age: Math.abs(Date.now() - statSync(lockPath(path)).mtimeMs) };
  } catch {
    return undefined;
  }
}

/** The process that holds the lock, if it lives; "" for one that has not said which it is. */
function holderOf({ mark, age }: Found): number | "" | undefined {
  if (mark === "" && age < nameless) return "";
  const pid = Number(mark.split(" ", 1)[0]);
  if (pid === process.pid) return mark === ownMark() ? pid : undefined;
  return processLives(pid) ? pid : undefined;
}

/**
 * Removes a lock whose holder is dead. Another process may be about to do the same, or have done so and made its own: only
 * who has made a second file may remove the first, and looks at it again.
 */
function takeAway(path: string, mark: string): void {
  const right = `${lockPath(path)}.take`;
  try {
    closeSync(openSync(right, "wx", 0o600));
  } catch {
    // Someone has it, for a moment; unless it was killed then.
    const age = Math.abs(Date.now() - (statSync(right, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()));
    if (age > nameless) rmSync(right, { force: true });
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    return;
  }
  try {
    if (read(path)?.mark === mark) unlockFile(path);
  } finally {
    rmSync(right, { force: true });
  }
}

export function unlockFile(path: string): void {
  try {
    unlinkSync(lockPath(path));
  } catch {
    // It is gone already.
  }
}
