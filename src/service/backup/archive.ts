import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { Header } from "tar/header";
import type { AtomicFile } from "../../files/atomic-write.ts";

/**
 * The file of a backup (docs/design/reliability.md): a tar archive whose last part, `SHA256SUMS`, has the hash of each
 * other part in the form of sha256sum(1). So a backup can be unpacked and verified without deckhand. The reader accepts
 * only what the writer writes, to the byte: every wrong bit is found, also in headers and padding.
 */

const sumsName = "SHA256SUMS";
const block = 512;
const piece = 256 * 1024;
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
  async add(name: string, size: number, pieces: AsyncIterable<Uint8Array>): Promise<string> {
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
    await this.add(sumsName, Buffer.byteLength(this.#sums.join("")), text(this.#sums.join("")));
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
 * Reads a backup to its end and hands out its parts, each before it is verified.
 *
 * @param visit what to do with a part
 * @throws DamagedBackup, or what the file system says
 */
export async function readArchive(
  path: string,
  visit: (part: Part) => Promise<void> = async () => {},
): Promise<void> {
  const file = await open(path, "r");
  try {
    await new Reader(file, (await file.stat()).size).read(visit);
  } finally {
    await file.close();
  }
}

class Reader {
  readonly #file: FileHandle;
  readonly #size: number;
  readonly #problems: string[] = [];
  /** The hash of each part, as it is. */
  readonly #found = new Map<string, string>();
  #time: Date | undefined;

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.#size = size;
  }

  async read(visit: (part: Part) => Promise<void>): Promise<void> {
    let sums = "";
    for (let at = 0; ; ) {
      const { name, size } = await this.#header(at);
      const hash = createHash("sha256");
      const pieces = this.#pieces(at + block, size, (bytes) => hash.update(bytes));
      if (name === sumsName) for await (const bytes of pieces) sums += bytes.toString("latin1");
      else {
        await visit({ name, size, pieces });
        for await (const _ of pieces);
        this.#found.set(name, hash.digest("hex"));
      }
      const next = at + block + size + padding(size);
      await this.#expectZeros(at + block + size, next, `the padding after ${name}`);
      at = next;
      if (name !== sumsName) continue;
      await this.#expectZeros(at, at + end.length, "the end");
      if (at + end.length !== this.#size) this.#problems.push("there is something after the end");
      break;
    }
    this.#compare(Buffer.from(sums, "latin1").toString("utf8"));
    if (this.#problems.length > 0) throw new DamagedBackup(this.#problems);
  }

  async #header(at: number): Promise<{ name: string; size: number }> {
    const bytes = await this.#bytes(at, block);
    const part = this.#parse(bytes);
    if (part !== undefined && at + block + part.size <= this.#size) return part;
    // Without its size it is not known where the next part begins.
    throw new DamagedBackup([...this.#problems, `byte ${at} is not the beginning of a part`]);
  }

  /** What a header says, if it is to the byte as it is written here. */
  #parse(bytes: Buffer): { name: string; size: number } | undefined {
    try {
      const { path: name, size, mtime } = new Header(bytes, 0);
      this.#time ??= mtime;
      if (name === undefined || size === undefined || this.#time === undefined) return undefined;
      return headerOf(name, size, this.#time).equals(bytes) ? { name, size } : undefined;
    } catch {
      // Numbers that no header has.
      return undefined;
    }
  }

  async *#pieces(from: number, size: number, seen: (bytes: Buffer) => void): AsyncGenerator<Buffer, void> {
    for (let left = size; left > 0; ) {
      const bytes = await this.#bytes(from + size - left, Math.min(piece, left));
      seen(bytes);
      left -= bytes.length;
      yield bytes;
    }
  }

  async #expectZeros(from: number, to: number, what: string): Promise<void> {
    const bytes = await this.#bytes(from, to - from);
    if (bytes.some((byte) => byte !== 0)) this.#problems.push(`${what} is damaged`);
  }

  #compare(sums: string): void {
    const listed = new Map(
      sums
        .split("\n")
        .slice(0, -1)
        .map((line) => [line.slice(66), line.slice(0, 64)]),
    );
    const written = [...this.#found.keys()].map((name) => `${listed.get(name)}  ${name}\n`).join("");
    if (written !== sums) this.#problems.push(`${sumsName} is damaged`);
    for (const [name, hash] of this.#found)
      if (listed.get(name) !== hash) this.#problems.push(`${name} has another hash than ${sumsName} says`);
  }

  async #bytes(at: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length);
    let read = 0;
    while (read < length) {
      const { bytesRead } = await this.#file.read(bytes, read, length - read, at + read);
      if (bytesRead === 0) throw new DamagedBackup([...this.#problems, "it is cut off"]);
      read += bytesRead;
    }
    return bytes;
  }
}

function headerOf(path: string, size: number, mtime: Date): Buffer {
  const header = new Header({ path, size, mtime, mode: 0o600, type: "File" });
  header.encode();
  // A longer name would need a part of its own before it.
  if (Buffer.byteLength(path) > 100 || header.block === undefined)
    throw new Error(`${path} cannot be the name of a part`);
  return header.block;
}

const padding = (size: number) => (block - (size % block)) % block;

async function* text(content: string): AsyncGenerator<Buffer> {
  yield Buffer.from(content);
}
