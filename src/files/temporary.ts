import { createHash } from "node:crypto";
import { promises, readdirSync, rmSync, statSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { NotConfiguredError } from "../errors.ts";
import { fileProblem, systemCode } from "./errors.ts";

/**
 * Temporary files and folders. Their names contain the host and process that made them, so that the next one to create some
 * there removes what killed processes left and nothing that is in use.
 */

const day = 86_400_000;

/** A process id means something only on its host. Containers have names of their own. */
const host = () => createHash("sha256").update(hostname()).digest("hex").slice(0, 10);

/** What distinguishes the temporary files of this process from each other and from those of others. */
const mark = () => `${host()}-${process.pid}-${process.hrtime.bigint().toString(36)}`;

/** A hidden file beside the one that it will replace; it does not exist yet. */
export function temporaryBeside(path: string): string {
  return join(dirname(path), `.${stem(path)}.${mark()}.tmp`);
}

/** Removes the temporary files that dead processes left beside a file. Never fails. */
export function removeLeftOver(path: string, now: number): void {
  sweep(dirname(path), `.${stem(path)}.`, now);
}

/**
 * Creates a private folder for temporary files, which the caller removes, and removes those of dead processes.
 *
 * @param prefix of its name, which tells what it is for
 * @throws NotConfiguredError if the system's folder for temporary files is missing or can't be written
 */
export async function makeTemporaryFolder(prefix: string): Promise<string> {
  sweep(tmpdir(), prefix, Date.now());
  const folder = join(tmpdir(), `${prefix}${mark()}`);
  await promises.mkdir(folder, { mode: 0o700 }).catch((cause) => Promise.reject(temporaryProblem(cause)));
  return folder;
}

/** The error for something that could not be written to the system's folder for temporary files. */
export const temporaryProblem = (cause: unknown): NotConfiguredError =>
  new NotConfiguredError(`could not write to ${tmpdir()}: ${fileProblem(cause)}`, {
    hint: "Set TMPDIR to a folder that can be written and has room.",
    cause,
  });

/** Short enough for any file system, in any alphabet, and without half a character at its end. */
const stem = (path: string) =>
  basename(path)
    .slice(0, 40)
    .replace(/[\ud800-\udbff]$/, "");

/** What follows the prefix; `conf` writes first to a file of its own beside what it writes. */
const rest = /^([0-9a-f]{10})-(\d+)-[0-9a-z]+(?:\.tmp(?:\.tmp-\d{10}[0-9a-f]{6})?)?$/;

/** Removes the temporary files and folders with that prefix whose process is dead. Never fails. */
function sweep(folder: string, prefix: string, now: number): void {
  try {
    for (const name of readdirSync(folder)) {
      const owner = name.startsWith(prefix) ? rest.exec(name.slice(prefix.length)) : null;
      if (owner === null) continue;
      const path = join(folder, name);
      // Of a process of another host nothing is known: a day is long enough.
      const isLost = owner[1] === host() ? !isRunning(Number(owner[2])) : modified(path, now) < now - day;
      if (isLost) rmSync(path, { recursive: true, force: true });
    }
  } catch {
    // It can be done another time.
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: a process of another user.
    return systemCode(error) === "EPERM";
  }
}

const modified = (path: string, now: number) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now;
