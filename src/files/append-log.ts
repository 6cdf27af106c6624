import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { withChecksum } from "./checksum.ts";
import { makeDurableFolder, syncFolder } from "./folders.ts";

interface AppendLogOptions {
  /** A line to write before the next one if the last one in the file, given without its break, is damaged. */
  readonly afterDamage?: (lastLine: string) => object | undefined;
}

/**
 * A file of lines to which processes only append (docs/design/files.md): private, created with its folder on the first
 * line. Writes are synchronous, so that what follows a line happens after it. A last line that was cut off by a crash
 * is ended before the next is written, so that it damages no other: readers skip lines that they cannot parse.
 */
export class AppendLog {
  readonly #path: string;
  readonly #afterDamage: (lastLine: string) => object | undefined;
  #file: number | undefined;
  /** Whether the file is known to end with a whole line. */
  #whole = false;

  constructor(path: string, { afterDamage = () => undefined }: AppendLogOptions = {}) {
    this.#path = path;
    this.#afterDamage = afterDamage;
  }

  /**
   * Appends values as lines of JSON with their checksums, in one write.
   *
   * @throws what the file system says; nothing of the lines is then in the file
   */
  append(...values: readonly object[]): void {
    const file = this.#open();
    const mend = this.#whole ? "" : this.#mend(file);
    const bytes = Buffer.from(mend + values.map(lineOf).join(""));
    const before = fstatSync(file).size;
    this.#whole = false;
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(file, bytes, written);
    } catch (error) {
      // A full disk: half a line is removed, unless another process has appended meanwhile.
      if (fstatSync(file).size === before + written) ftruncateSync(file, before);
      throw error;
    }
    this.#whole = true;
  }

  /** Waits until all lines are on the disk. @throws what the file system says */
  sync(): void {
    if (this.#file !== undefined) fdatasyncSync(this.#file);
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#whole = false;
  }

  #open(): number {
    if (this.#file !== undefined) return this.#file;
    makeDurableFolder(dirname(this.#path));
    this.#file = openSync(this.#path, "a+", 0o600);
    // The name of a new file has to reach the disk, too.
    if (fstatSync(this.#file).size === 0) syncFolder(dirname(this.#path));
    return this.#file;
  }

  /** What has to be written first so that the next line is a line of its own, whatever the file ends in. */
  #mend(file: number): string {
    const { size } = fstatSync(file);
    if (size === 0) return "";
    const tail = Buffer.alloc(Math.min(size, 64 * 1024));
    const length = readSync(file, tail, 0, tail.length, size - tail.length);
    const text = tail.toString("utf8", 0, length);
    const whole = text.endsWith("\n");
    const lastLine = (whole ? text.slice(0, -1) : text).split("\n").at(-1) ?? "";
    const note = this.#afterDamage(lastLine);
    return (whole ? "" : "\n") + (note === undefined ? "" : lineOf(note));
  }
}

/** A value as a line of a log, with its checksum. */
const lineOf = (value: object) => `${withChecksum(JSON.stringify(value))}\n`;
