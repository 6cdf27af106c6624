import { write } from "node:fs";
import { promisify } from "node:util";

const writeTo = promisify(write);

/** Room for some pages of cards. */
const size = 512 * 1024;

/** What came longer ago than this is not kept back until more comes. In ms. */
const longest = 500;

/**
 * Appends to a file, and to a log what that was: the log never tells of bytes that are not in the file. Both are gathered to
 * a good size, and written by another thread while more is gathered.
 */
export class LoggedFile {
  readonly #file: number;
  readonly #log: number;
  // Two buffers for all: a fresh one for each page takes longer than what is written.
  #buffer = Buffer.allocUnsafeSlow(size);
  #spare = Buffer.allocUnsafeSlow(size);
  #length = 0;
  #notes = "";
  #since = performance.now();
  #writing: Promise<void> = Promise.resolve();

  /** @param file and `log`: descriptors of files that are open for appending, and stay so */
  constructor(file: number, log: number) {
    this.#file = file;
    this.#log = log;
  }

  /** @returns how many bytes that will be */
  async add(text: string): Promise<number> {
    const most = 3 * text.length;
    const full = this.#buffer.length - this.#length < most;
    if (full || performance.now() - this.#since > longest) await this.#handOver();
    if (this.#buffer.length < most) this.#buffer = Buffer.allocUnsafeSlow(most);
    const bytes = this.#buffer.write(text, this.#length);
    this.#length += bytes;
    return bytes;
  }

  /** Takes down what was added so far. */
  note(text: string): void {
    this.#notes += text;
  }

  /** Waits until all is written. */
  async settle(): Promise<void> {
    await this.#handOver();
    await this.#writing;
  }

  /** Forgets what is not written yet. */
  async drop(): Promise<void> {
    this.#length = 0;
    this.#notes = "";
    await this.#writing;
  }

  /** Lets what was gathered be written, once what was before it is. */
  async #handOver(): Promise<void> {
    await this.#writing;
    const [bytes, notes] = [this.#buffer.subarray(0, this.#length), Buffer.from(this.#notes)];
    [this.#buffer, this.#spare] = [this.#spare, this.#buffer];
    this.#length = 0;
    this.#notes = "";
    this.#since = performance.now();
    this.#writing = writeAll(this.#file, bytes).then(() => writeAll(this.#log, notes));
    // Told to whoever waits for it next; until then it is nobody's.
    this.#writing.catch(() => {});
  }
}

async function writeAll(file: number, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await writeTo(file, bytes, at)).bytesWritten;
}
