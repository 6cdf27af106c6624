import { type FileHandle, open } from "node:fs/promises";

/** A file that is written from its beginning to its end, in pieces of a good size. */
export class FileSink {
  readonly #file: FileHandle;
  #parts: Uint8Array[] = [];
  #length = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** @param flags "a" to go on after what is there */
  static async create(path: string, flags: "w" | "a" = "w"): Promise<FileSink> {
    return new FileSink(await open(path, flags, 0o600));
  }

  async write(part: string | Uint8Array): Promise<void> {
    const bytes = typeof part === "string" ? Buffer.from(part) : part;
    this.#parts.push(bytes);
    this.#length += bytes.length;
    if (this.#length > 256 * 1024) await this.#flush();
  }

  async writeAll(parts: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>): Promise<void> {
    for await (const part of parts) await this.write(part);
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
    const [first = new Uint8Array(), ...more] = this.#parts;
    const bytes = more.length === 0 ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    for (let at = 0; at < bytes.length; ) at += (await this.#file.write(bytes, at)).bytesWritten;
  }
}

/** Writes a file, and waits until it is on the disk. */
export async function intoFile(
  path: string,
  fill: (sink: FileSink) => Promise<void>,
  flags?: "w" | "a",
): Promise<void> {
  const sink = await FileSink.create(path, flags);
  try {
    await fill(sink);
  } catch (error) {
    await sink.abandon();
    throw error;
  }
  await sink.close();
}
