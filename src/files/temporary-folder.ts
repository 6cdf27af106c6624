import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NotConfiguredError } from "../errors.ts";
import { fileProblem } from "./errors.ts";

/**
 * A new folder for what is only needed for a while; whoever makes it removes it.
 *
 * @throws NotConfiguredError where the system's folder for such things is missing or can't be written
 */
export async function makeTemporaryFolder(prefix: string): Promise<string> {
  return await mkdtemp(join(tmpdir(), prefix)).catch((cause) => Promise.reject(temporaryProblem(cause)));
}

/** The error for something that could not be kept for a while. */
export const temporaryProblem = (cause: unknown): NotConfiguredError =>
  new NotConfiguredError(`could not write to ${tmpdir()}: ${fileProblem(cause)}`, {
    hint: "Set TMPDIR to a folder that can be written and has room.",
    cause,
  });
