import { writeSync } from "node:fs";

/** Room for some pages of cards. */
const size = 512 * 1024;

/** What came longer ago than this is not kept back until more comes. In ms. */
const longest = 500;

/**
 * Appends to a file, and to a log what that was: the log never tells of bytes that are not in the file. Both are gathered to
 * a good size: a page at a time, writing takes as long as what is written takes to make.
 */
export class LoggedFile {
  readonly #file: number;
  readonly #log: number;
  // One buffer for all: a fresh one for each page takes longer than what is written.
  #buffer = Buffer.allocUnsafeSlow(size);
  #length = 0;
  #notes = "";
  #since = performance.now();

  /** @param file and `log`: descriptors of files that are open for appending, and stay so */
  constructor(file: number, log: number) {
    this.#file = file;
    this.#log = log;
  }

  /** @returns how many bytes that will be */
  add(text: string): number {
    const most = 3 * text.length;
    const full = this.#buffer.length - this.#length < most;
    if (full || performance.now() - this.#since > longest) this.write();
    if (this.#buffer.length < most) this.#buffer = Buffer.allocUnsafeSlow(most);
    const bytes = this.#buffer.write(text, this.#length);
    this.#length += bytes;
    return bytes;
  }

  /** Takes down what was added so far. */
  note(text: string): void {
    this.#notes += text;
  }

  /** Writes what was gathered. What fails half-way is not tried again: it would come behind a part of itself. */
  write(): void {
    const [bytes, notes] = [this.#buffer.subarray(0, this.#length), Buffer.from(this.#notes)];
    this.drop();
    writeAll(this.#file, bytes);
    writeAll(this.#log, notes);
  }

  /** Forgets what is not written yet. */
  drop(): void {
    this.#length = 0;
    this.#notes = "";
    this.#since = performance.now();
  }
}

export function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}
