import { promises, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { NotConfiguredError } from "../errors.ts";
import { fileProblem } from "./errors.ts";
import { ownProcess, processName, processState } from "./process-id.ts";

/**
 * Temporary files and folders. Their names contain the process that made them, so that the next one to create some there
 * removes what killed processes left and nothing that is in use.
 */

const day = 86_400_000;

/** What distinguishes the temporary files of this process from each other and from those of others. */
const mark = () => `${ownProcess()}-${process.hrtime.bigint().toString(36)}`;

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
const rest = new RegExp(`^(${processName.source})-[0-9a-z]+(?:\\.tmp(?:\\.tmp-\\d{10}[0-9a-f]{6})?)?$`);

/** Removes the temporary files and folders with that prefix whose process is dead. Never fails. */
function sweep(folder: string, prefix: string, now: number): void {
  try {
    for (const name of readdirSync(folder)) {
      const owner = name.startsWith(prefix) ? rest.exec(name.slice(prefix.length))?.[1] : undefined;
      if (owner === undefined) continue;
      const state = processState(owner);
      const path = join(folder, name);
      // Of a process of another host, or of an earlier boot, nothing is known: a day is long enough.
      const lost = state === "dead" || (state === "unknown" && modified(path, now) < now - day);
      if (lost) rmSync(path, { recursive: true, force: true });
    }
  } catch {
    // It can be done another time.
  }
}

const modified = (path: string, now: number) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now;
