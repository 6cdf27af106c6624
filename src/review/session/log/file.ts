import {
  closeSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
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

/** Opens a log for appending; the file and its folder are made on the first line, for the owner only. */
export function openLog(path: string): LogFile {
  let fd: number | undefined;
  /** Whether the file is known to end in a whole line. */
  let whole = false;

  const write = (line: LogLine): number => {
    fd ??= open(path);
    const mend = whole ? "" : mendTail(fd);
    const before = fstatSync(fd).size;
    const bytes = Buffer.from(`${mend}${JSON.stringify(line)}\n`);
    whole = false;
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(fd, bytes, written);
    } catch (error) {
      // A full disk: half a line is taken back, unless another process has appended meanwhile.
      if (fstatSync(fd).size === before + written) ftruncateSync(fd, before);
      throw error;
    }
    whole = true;
    return fd;
  };

  return {
    append(line) {
      const opened = write(line);
      try {
        fdatasyncSync(opened);
      } catch (error) {
        return error instanceof Error ? error : new Error(String(error));
      }
      return undefined;
    },
    note(line) {
      write(line);
    },
    close() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
}

function open(path: string): number {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fd = openSync(path, "a+", 0o600);
  if (fstatSync(fd).size === 0 && process.platform !== "win32") {
    // The name of a new file has to reach the disk, too.
    const folderFd = openSync(folder, "r");
    try {
      fsyncSync(folderFd);
    } finally {
      closeSync(folderFd);
    }
  }
  return fd;
}

/** What has to be written first so that the next line stands alone, whatever the file ends in. Nothing is cut off. */
function mendTail(fd: number): string {
  const { size } = fstatSync(fd);
  if (size === 0) return "";
  const tail = Buffer.alloc(Math.min(size, 64 * 1024));
  const length = readSync(fd, tail, 0, tail.length, size - tail.length);
  const text = tail.toString("utf8", 0, length);
  const whole = text.endsWith("\n");
  const lastLine = (whole ? text.slice(0, -1) : text).split("\n").at(-1) ?? "";
  const noted = parseLine(lastLine) !== undefined ? "" : `${JSON.stringify({ type: "damage-noted" })}\n`;
  return (whole ? "" : "\n") + noted;
}
