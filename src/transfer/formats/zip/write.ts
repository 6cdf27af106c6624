import { pipeline, Readable } from "node:stream";
import { crc32, createDeflateRaw } from "node:zlib";
import { Zip, type ZipInputFile } from "fflate";
import { UsageError } from "../../../errors.ts";
import type { Sink } from "../../model.ts";

/** Larger archives need zip64, which some apps cannot read. */
const largest = 0xffff_ffff - 1024 * 1024;
const mostFiles = 65_000;
const pieceSize = 256 * 1024;

/** Writes a zip archive in one pass, entry by entry: compressed by zlib, put together by fflate. */
export class ZipWriter {
  readonly #sink: Sink;
  readonly #zip: Zip;
  #ready: Uint8Array[] = [];
  #written = 0;
  #files = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
    this.#zip = new Zip((error, chunk) => {
      if (error) throw error;
      this.#ready.push(chunk);
    });
  }

  /** @param packed whether to compress it; pictures and sounds are compressed already */
  async add(
    name: string,
    pieces: AsyncIterable<string | Uint8Array<ArrayBuffer>>,
    packed: boolean,
  ): Promise<void> {
    if (++this.#files > mostFiles) throw new UsageError(`an archive holds at most ${mostFiles} files`);
    const entry: ZipInputFile = {
      filename: name,
      size: 0,
      crc: 0,
      compression: packed ? 8 : 0,
      // The same collection is the same archive.
      mtime: new Date(1980, 0, 1),
    };
    this.#zip.add(entry);
    const bytes = Readable.from(
      (async function* () {
        for await (const piece of pieces) {
          const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
          entry.crc = crc32(bytes, entry.crc);
          entry.size += bytes.length;
          yield bytes;
        }
      })(),
    );
    const stored = packed ? pipeline(bytes, createDeflateRaw({ chunkSize: pieceSize }), () => {}) : bytes;
    for await (const chunk of stored) {
      entry.ondata?.(null, chunk, false);
      await this.#drain();
    }
    entry.ondata?.(null, new Uint8Array(), true);
    await this.#drain();
  }

  async end(): Promise<void> {
    this.#zip.end();
    await this.#drain();
  }

  async #drain(): Promise<void> {
    const ready = this.#ready;
    this.#ready = [];
    for (const chunk of ready) {
      this.#written += chunk.length;
      if (this.#written > largest)
        throw new UsageError("the archive would be larger than 4 GiB: export as ndjson");
      await this.#sink.write(chunk);
    }
  }
}
