import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { tooLarge } from "../errors.ts";
import { type RandomBytes, randomText } from "../ids.ts";
import {
  contentPart,
  contentWithHash,
  deleteUnfinished,
  deleteUnnamed,
  insertContent,
  insertPart,
  nameContent,
  sweepUnfinished,
} from "../store/contents.ts";
import type { Store } from "../store/index.ts";
import type { Db } from "../store/tables.ts";
import type { Blobs, Received } from "./blobs.ts";
import { DamagedError, verifiedStream } from "./verified.ts";

const partLength = 1024 * 1024;
// An upload that has received no part for so long belongs to a process that was killed, in milliseconds.
const abandoned = 3_600_000;

interface DatabaseBlobsOptions {
  readonly store: Store;
  now(): number;
  readonly random: RandomBytes;
}

/**
 * Attachments in the database, in parts of 1 MiB: each part is a transaction of its own, so that memory stays constant and
 * a slow client holds no connection. The rows that name a content change together with it, so nothing needs settling.
 */
export class DatabaseBlobs implements Blobs {
  readonly #options: DatabaseBlobsOptions;

  constructor(options: DatabaseBlobsOptions) {
    this.#options = options;
  }

  async receive(account: string, content: Readable, limit: number): Promise<Received> {
    const { store, now, random } = this.#options;
    const id = randomText(16, random);
    const hash = createHash("sha256");
    let [size, part] = [0, 0];
    const checked = async function* () {
      for await (const chunk of content as AsyncIterable<Uint8Array>) {
        size += chunk.length;
        if (size > limit) throw tooLarge("the file", limit);
        hash.update(chunk);
        yield chunk;
      }
    };
    await store.write(account, (db) => insertContent(db, account, id, now()));
    try {
      for await (const bytes of inParts(checked())) {
        const next = { part: part++, bytes, now: now() };
        if (!(await store.write(account, (db) => insertPart(db, account, id, next)))) throw new Error(swept);
      }
    } catch (error) {
      await this.#delete(account, id).catch(() => {});
      throw error;
    }
    return { hash: hash.digest("hex"), size, at: id };
  }

  async announce(): Promise<void> {}

  async isAnnounced(): Promise<boolean> {
    return true;
  }

  async keep(db: Db, account: string, { at, hash }: Received): Promise<void> {
    if (!(await nameContent(db, account, at, hash))) throw new Error(swept);
  }

  release(db: Db, account: string, hashes: readonly string[]): Promise<void> {
    return deleteUnnamed(db, account, hashes);
  }

  async settle(): Promise<void> {}

  /** What was kept has a hash, and stays. */
  discard(account: string, { at }: Received): Promise<void> {
    return this.#delete(account, at);
  }

  async read(account: string, hash: string, size: number): Promise<Readable | undefined> {
    const id = await this.#options.store.read((db) => contentWithHash(db, account, hash));
    return id === undefined ? undefined : verifiedStream(this.#parts(account, id, size), hash);
  }

  sweep(now: number): Promise<void> {
    return this.#options.store.write(undefined, (db) => sweepUnfinished(db, now - abandoned));
  }

  async *#parts(account: string, id: string, size: number): AsyncGenerator<Buffer, void> {
    let read = 0;
    for (let part = 0; read < size; part++) {
      const bytes = await this.#options.store.read((db) => contentPart(db, account, id, part));
      if (bytes === undefined) throw new DamagedError("a part of the content is missing");
      read += bytes.length;
      yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    if (read > size) throw new DamagedError("the content has another size");
  }

  #delete(account: string, id: string): Promise<void> {
    return this.#options.store.write(account, (db) => deleteUnfinished(db, account, id));
  }
}

const swept = "the upload took too long and was removed";

/** The same bytes in parts of the same length, but for the last. */
async function* inParts(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let part = Buffer.allocUnsafe(partLength);
  let filled = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const taken = Math.min(partLength - filled, chunk.length - at);
      part.set(chunk.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
      if (filled < partLength) continue;
      yield part;
      part = Buffer.allocUnsafe(partLength);
      filled = 0;
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}
