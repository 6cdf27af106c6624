import { Buffer } from "node:buffer";
import type { Readable } from "node:stream";
import { type RandomBytes, randomText } from "../../schema/ids.ts";
import {
  contentPart,
  contentWithHash,
  deleteNamed,
  deleteUnfinished,
  insertContent,
  insertPart,
  nameContent,
  partNumbers,
  sweepUnfinished,
  unnamedHashes,
} from "../store/contents.ts";
import type { Store } from "../store/index.ts";
import type { Db } from "../store/tables.ts";
import type { Blobs, Received } from "./blobs.ts";
import { abandonedAfter, receiveParts, SweptError } from "./parts.ts";
import { DamagedError, verifiedStream } from "./verified.ts";

const partLength = 1024 * 1024;

export interface DatabaseBlobsOptions {
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
    await store.write(account, (db) => insertContent(db, account, id, now()));
    try {
      const put = async (bytes: Uint8Array, part: number) => {
        const next = { part, bytes, now: now() };
        if (!(await store.write(account, (db) => insertPart(db, account, id, next)))) throw new SweptError();
      };
      return { at: id, ...(await receiveParts(content, { limit, partLength }, put)) };
    } catch (error) {
      await this.#delete(account, id).catch(() => {});
      throw error;
    }
  }

  async announce(): Promise<void> {}

  async isAnnounced(): Promise<boolean> {
    return true;
  }

  async keep(db: Db, account: string, { at, hash }: Received): Promise<void> {
    await deleteNamed(db, account, [hash]);
    if (!(await nameContent(db, account, at, hash))) throw new SweptError();
  }

  async release(db: Db, account: string, hashes: readonly string[]): Promise<void> {
    await deleteNamed(db, account, await unnamedHashes(db, account, hashes));
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

  async remains(account: string, hash: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const { store } = this.#options;
    const id = await store.read((db) => contentWithHash(db, account, hash));
    const parts = id === undefined ? [] : await store.read((db) => partNumbers(db, account, id));
    return id === undefined || parts.length === 0 ? undefined : this.#rest(account, id, parts);
  }

  async *#rest(account: string, id: string, parts: readonly number[]): AsyncGenerator<Uint8Array, void> {
    for (const part of parts)
      yield (await this.#options.store.read((db) => contentPart(db, account, id, part))) ?? new Uint8Array();
  }

  sweep(now: number): Promise<void> {
    return this.#options.store.write(undefined, (db) => sweepUnfinished(db, now - abandonedAfter));
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
