import { type FileHandle, open } from "node:fs/promises";

/** A file that is written from its beginning to its end, in pieces of a good size. */
export class FileSink {
  readonly #file: FileHandle;
  #parts: (string | Uint8Array)[] = [];
  #length = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(path: string): Promise<FileSink> {
    return new FileSink(await open(path, "w", 0o600));
  }

  async write(part: string | Uint8Array): Promise<void> {
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length > 256 * 1024) await this.#flush();
  }

  /** Waits until all is on the disk. */
  async close(): Promise<void> {
    try {
      await this.#flush();
      await this.#file.sync();
    } finally {
      await this.#file.close();
    }
  }

  /** Gives up. */
  async abandon(): Promise<void> {
    await this.#file.close().catch(() => {});
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(
      this.#parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)),
    );
    this.#parts = [];
    this.#length = 0;
    for (let at = 0; at < bytes.length; ) at += (await this.#file.write(bytes, at)).bytesWritten;
  }
}
