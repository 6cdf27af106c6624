import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Header } from "tar/header";
import { Parser } from "tar/parse";
import type { ReadEntry } from "tar/read-entry";
import type { AtomicFile } from "../../files/atomic-write.ts";

/**
 * The file of a backup (docs/design/reliability.md): a tar archive whose last part, `SHA256SUMS`, has the hash of each
 * other part in the form of sha256sum(1). So a backup can be unpacked and verified without deckhand.
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
 * Reads a backup to its end and hands out its parts, each before it is verified. Then the hash of each has to be in
 * `SHA256SUMS`; the headers have a checksum of their own.
 *
 * @param visit what to do with a part
 * @throws DamagedBackup, or what the file system says
 */
export async function readArchive(
  path: string,
  visit: (part: Part) => Promise<void> = async () => {},
): Promise<void> {
  const file = createReadStream(path);
  const found: string[] = [];
  let sums = "";
  const take = async (entry: ReadEntry) => {
    const { path: name, size } = entry;
    const hash = createHash("sha256");
    const pieces = hashed(entry, hash);
    if (name === sumsName) for await (const bytes of pieces) sums += bytes.toString("latin1");
    else {
      await visit({ name, size, pieces });
      for await (const _ of pieces);
      found.push(`${hash.digest("hex")}  ${name}`);
    }
  };
  try {
    await new Promise<void>((resolve, reject) => {
      let parts = Promise.resolve();
      const parser = new Parser({
        strict: true,
        onReadEntry(entry) {
          parts = parts.then(() => take(entry));
          parts.catch(reject);
        },
      });
      file.on("error", reject);
      parser.on("error", ({ message }: Error) =>
        reject(new DamagedBackup([...problemsOf(found, sums), message])),
      );
      parser.on("end", () => parts.then(resolve, reject));
      file.pipe(parser as unknown as NodeJS.WritableStream);
    });
  } finally {
    file.destroy();
  }
  const problems = problemsOf(found, sums);
  if (problems.length > 0) throw new DamagedBackup(problems);
}

async function* hashed(entry: ReadEntry, hash: Hash): AsyncGenerator<Buffer, void> {
  for await (const piece of entry as AsyncIterable<Buffer>) {
    hash.update(piece);
    yield piece;
  }
}

/** @param found a line for each part, as `SHA256SUMS` has it @param sums its text */
function problemsOf(found: readonly string[], sums: string): string[] {
  if (sums === "") return ["it is cut off"];
  const listed = new Set(Buffer.from(sums, "latin1").toString("utf8").split("\n").slice(0, -1));
  const wrong = found.filter((line) => !listed.has(line));
  if (wrong.length === 0 && listed.size !== found.length) return [`${sumsName} lists other parts`];
  return wrong.map((line) => `${line.slice(66)} has another hash than ${sumsName} says`);
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
