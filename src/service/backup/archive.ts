import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Header } from "tar/header";
import { Parser } from "tar/parse";
import type { ReadEntry } from "tar/read-entry";
import type { AtomicFile } from "../../files/atomic-write.ts";

/**
 * The file of a backup (docs/design/reliability.md): a tar archive whose last part, `SHA256SUMS`, has the hash of each
 * other part in the form of sha256sum(1). So a backup can be unpacked and verified without deckhand. What is read is
 * compared with what the writer would write, to the byte: every wrong bit is found, also in headers and padding.
 */

const sumsName = "SHA256SUMS";
const block = 512;
const end = Buffer.alloc(2 * block);

/** Why a file is not a whole backup, part by part. */
export class DamagedBackup extends Error {
  override readonly name = "DamagedBackup";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join("; "));
    this.problems = problems;
  }
}

/** Writes the parts of a backup one after the other, in constant memory. */
export class ArchiveWriter {
  readonly #file: AtomicFile;
  readonly #time: Date;
  readonly #sums: string[] = [];

  /** @param now epoch milliseconds: the time of all parts */
  constructor(file: AtomicFile, now: number) {
    this.#file = file;
    this.#time = new Date(Math.floor(now / 1000) * 1000);
  }

  /**
   * @param size of the pieces together; there may be more, which are left out
   * @returns SHA-256 of the part, in hex
   * @throws Error if there are fewer
   */
  async add(
    name: string,
    size: number,
    pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<string> {
    await this.#file.write(headerOf(name, size, this.#time));
    const hash = createHash("sha256");
    let left = size;
    if (size > 0)
      for await (const each of pieces) {
        const bytes = each.subarray(0, left);
        hash.update(bytes);
        await this.#file.write(bytes);
        left -= bytes.length;
        if (left === 0) break;
      }
    if (left > 0) throw new Error(`${name} has become shorter while it was read`);
    await this.#file.write(Buffer.alloc(padding(size)));
    const digest = hash.digest("hex");
    if (name !== sumsName) this.#sums.push(`${digest}  ${name}\n`);
    return digest;
  }

  /** Writes the hashes and the end. */
  async end(): Promise<void> {
    const sums = Buffer.from(this.#sums.join(""));
    await this.add(sumsName, sums.length, [sums]);
    await this.#file.write(end);
  }
}

export interface Part {
  readonly name: string;
  readonly size: number;
  /** May be read once, or not at all. */
  readonly pieces: AsyncIterable<Buffer>;
}

/**
 * Reads a backup to its end and hands out its parts, each before it is verified. What was read is written again for
 * comparison: the file has to be that to the byte.
 *
 * @param visit what to do with a part
 * @throws DamagedBackup, or what the file system says
 */
export async function readArchive(
  path: string,
  visit: (part: Part) => Promise<void> = async () => {},
): Promise<void> {
  const reading = new Reading(visit);
  const file = createReadStream(path);
  try {
    await new Promise<void>((resolve, reject) => {
      let parts = Promise.resolve();
      const parser = new Parser({
        strict: true,
        onReadEntry(entry) {
          parts = parts.then(() => reading.take(entry));
          parts.catch(reject);
        },
      });
      file.on("error", reject);
      file.on("data", (bytes) => reading.file.update(bytes as Buffer));
      parser.on("error", (error: Error) => reject(new DamagedBackup([...reading.problems, error.message])));
      parser.on("end", () => parts.then(resolve, reject));
      file.pipe(parser as unknown as NodeJS.WritableStream);
    });
  } finally {
    file.destroy();
  }
  reading.end();
}

/** Bytes that are counted and summed up. */
class Sum {
  readonly #hash = createHash("sha256");
  length = 0;

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.length += bytes.length;
  }

  digest = () => this.#hash.digest("hex");
}

class Reading {
  readonly file = new Sum();
  readonly problems: string[] = [];
  /** What a writer would have written. */
  readonly #expected = new Sum();
  readonly #visit: (part: Part) => Promise<void>;
  /** The hash of each part, as it is. */
  readonly #found = new Map<string, string>();
  #sums = "";

  constructor(visit: (part: Part) => Promise<void>) {
    this.#visit = visit;
  }

  async take(entry: ReadEntry): Promise<void> {
    const { path: name, size, mtime = new Date(0) } = entry;
    this.#expected.update(writable(name) ? headerOf(name, size, mtime) : Buffer.alloc(block));
    const hash = new Sum();
    const pieces = this.#pieces(entry, hash);
    if (name === sumsName) for await (const bytes of pieces) this.#sums += bytes.toString("latin1");
    else {
      await this.#visit({ name, size, pieces });
      for await (const _ of pieces);
      this.#found.set(name, hash.digest());
    }
    this.#expected.update(Buffer.alloc(padding(size)));
  }

  async *#pieces(entry: ReadEntry, hash: Sum): AsyncGenerator<Buffer, void> {
    for await (const piece of entry as AsyncIterable<Buffer>) {
      hash.update(piece);
      this.#expected.update(piece);
      yield piece;
    }
  }

  /** @throws DamagedBackup */
  end(): void {
    this.#compare(Buffer.from(this.#sums, "latin1").toString("utf8"));
    this.#expected.update(end);
    const more = this.file.length - this.#expected.length;
    if (more !== 0) this.problems.push(more > 0 ? "there is something after the end" : "it is cut off");
    else if (this.file.digest() !== this.#expected.digest())
      this.problems.push("what is between its parts is damaged");
    if (this.problems.length > 0) throw new DamagedBackup(this.problems);
  }

  #compare(sums: string): void {
    const lines = sums.split("\n").slice(0, -1);
    const listed = new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
    const written = [...this.#found.keys()].map((name) => `${listed.get(name)}  ${name}\n`).join("");
    if (written !== sums || sums === "") this.problems.push(`${sumsName} is damaged`);
    for (const [name, hash] of this.#found)
      if (listed.get(name) !== hash) this.problems.push(`${name} has another hash than ${sumsName} says`);
  }
}

/** A longer name would need a part of its own before it. */
const writable = (path: string) => Buffer.byteLength(path) <= 100;

function headerOf(path: string, size: number, mtime: Date): Buffer {
  const header = new Header({ path, size, mtime, mode: 0o600, type: "File" });
  header.encode();
  if (!writable(path) || header.block === undefined) throw new Error(`${path} cannot be the name of a part`);
  return header.block;
}

const padding = (size: number) => (block - (size % block)) % block;
