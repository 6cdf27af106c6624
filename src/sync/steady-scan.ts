import { type Dirent, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../errors.ts";
import { fileProblem, systemCode } from "../files/errors.ts";

/** How often a folder is scanned again because a part of it was removed meanwhile. */
const scans = 5;

/** Whether a path is missing, or a part of it is no folder any more. */
export const isMissing = (error: unknown) => ["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "");

/**
 * The result of a scan in which nothing vanished: what was removed meanwhile is read as missing by the next one, and what
 * was moved is found.
 *
 * @throws UsageError if the folder itself is missing, or changes each time
 */
export async function steadyScan<T>(root: string, scan: () => Promise<T>): Promise<T> {
  for (let number = 1; ; number++) {
    try {
      return await scan();
    } catch (error) {
      if (!isMissing(error)) throw error;
      if (!existsSync(root))
        throw new UsageError(`there is no folder ${root}`, { hint: "Is it mounted?", cause: error });
      if (number === scans)
        throw new UsageError(`the folder ${root} was changed each time that it was read`, {
          hint: "Sync again when nothing else writes to it.",
          cause: error,
        });
    }
  }
}

/** The entries of a folder below the one that is scanned. */
export function scannedEntries(root: string, path: string): Dirent[] {
  try {
    return readdirSync(join(root, path), { withFileTypes: true });
  } catch (cause) {
    if (isMissing(cause)) throw cause;
    throw new UsageError(`could not read the folder ${join(root, path)}: ${fileProblem(cause)}`, {
      hint: "Allow it to be read, or add it to .deckhandignore.",
      cause,
    });
  }
}
