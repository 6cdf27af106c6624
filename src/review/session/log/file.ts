import { readFile } from "node:fs/promises";
import { AppendLog } from "../../../files/append-log.ts";
import { emptyHistory, type LogHistory, readHistory } from "./history.ts";
import { type LogLine, parseLine } from "./lines.ts";

/** The file of a review log. Written synchronously: the next card must not appear before the answer is on the disk. */
export interface LogFile {
  /**
   * Appends a line in one write and syncs it to the disk. Throws what the file system says if it could not be written:
   * nothing of it is then in the log. Returns the error of a disk that took the line but did not confirm it.
   */
  append(line: LogLine): Error | undefined;
  /** Appends a line that may be lost in a power cut, since it only repeats what the service knows. */
  note(line: LogLine): void;
  close(): void;
}

/** Reads a log; a missing file is an empty log. */
export async function readLog(path: string): Promise<LogHistory> {
  try {
    return readHistory(await readFile(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return emptyHistory;
    throw error;
  }
}

/** Opens a log for appending; the file and its folder are created on the first line, for the owner only. */
export function openLog(path: string): LogFile {
  const log = new AppendLog(path, {
    // What is damaged is reported once.
    afterDamage: (line) =>
      parseLine(line) === undefined ? `${JSON.stringify({ type: "damage-noted" })}\n` : "",
  });
  return {
    append(line) {
      log.append(line);
      try {
        log.sync();
      } catch (error) {
        return error instanceof Error ? error : new Error(String(error));
      }
      return undefined;
    },
    note: (line) => log.append(line),
    close: () => log.close(),
  };
}
