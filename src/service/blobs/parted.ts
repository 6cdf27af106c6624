import { Buffer } from "node:buffer";
import type { Readable } from "node:stream";
import { type RandomBytes, randomText } from "../../schema/ids.ts";
import {
  contentPart,
  contentWithHash,
  deleteContent,
  discardAbandoned,
  discardedContents,
  discardNamed,
  discardUnfinished,
  discardUnnamed,
  insertContent,
  insertPart,
  nameContent,
  touchContent,
} from "../store/contents.ts";
import type { Store } from "../store/index.ts";
import type { Db } from "../store/tables.ts";
import type { Blobs, Received } from "./blobs.ts";
import type { Bucket } from "./bucket.ts";
import { BucketError } from "./failure.ts";
import { receiveParts } from "./parts.ts";
import { DamagedError, verifiedStream } from "./verified.ts";

export interface PartedOptions {
  readonly store: Store;
  /**
   * Where the parts of contents are, as objects `<content>/<part>` that are written once and never changed; in the database
   * if absent, and those that were stored before there was a bucket.
   */
  readonly bucket?: Bucket | undefined;
  now(): number;
  readonly random: RandomBytes;
}

/** An upload that has received no part for so long belongs to a process that was killed, in milliseconds. */
const abandonedAfter = 3_600_000;

const swept = () => new Error("the upload took too long and was removed");

// In bytes.
const [rowLength, objectLength] = [1024 * 1024, 2 * 1024 * 1024];

/**
 * Attachments in parts, so that memory stays constant; the database has a row for each content. A part in the database is a
 * transaction of its own, so that a slow client holds no connection. The row of a content is there before the first part and until after the last one: what is to be deleted is marked in the row, by the transaction that stops naming
 * it, and deleted after its commit.
 */
export class PartedBlobs implements Blobs {
  readonly #options: PartedOptions;

  constructor(options: PartedOptions) {
    this.#options = options;
  }

  async receive(account: string, content: Readable, limit: number): Promise<Received> {
    const { store, bucket, now, random } = this.#options;
    const id = randomText(16, random);
    await store.write(account, (db) => insertContent(db, account, id, now()));
    try {
      const put = async (bytes: Uint8Array, part: number) => {
        if (!(await store.write(account, (db) => touchContent(db, account, id, now())))) throw swept();
        if (bucket !== undefined) await bucket.put(`${id}/${part}`, bytes);
        else await store.write(account, (db) => insertPart(db, account, id, part, bytes));
      };
      const partLength = bucket === undefined ? rowLength : objectLength;
      return { at: id, ...(await receiveParts(content, { limit, partLength }, put)) };
    } catch (error) {
      // An object whose answer was lost may arrive yet: the sweep deletes it later.
      if (!(error instanceof BucketError)) await this.#discard(account, id).catch(() => {});
      throw error;
    }
  }

  async keep(db: Db, account: string, { at, hash }: Received): Promise<void> {
    await discardNamed(db, account, hash);
    if (!(await nameContent(db, account, at, hash))) throw swept();
  }

  async release(db: Db, account: string, hashes: readonly string[]): Promise<void> {
    await discardUnnamed(db, account, hashes);
  }

  /** Deletes all that is marked: `keep` may have replaced a content, too. */
  settle(account: string): Promise<void> {
    return this.#removeDiscarded(account);
  }

  /** What was kept has a hash, and stays. */
  discard(account: string, { at }: Received): Promise<void> {
    return this.#discard(account, at);
  }

  async read(account: string, hash: string, size: number): Promise<Readable | undefined> {
    const id = await this.#options.store.read((db) => contentWithHash(db, account, hash));
    return id === undefined ? undefined : verifiedStream(this.#pieces(account, id, size), hash);
  }

  async sweep(now: number): Promise<void> {
    await this.#options.store.write(undefined, (db) => discardAbandoned(db, now - abandonedAfter));
    await this.#removeDiscarded(undefined);
  }

  async #part(account: string, id: string, part: number): Promise<Uint8Array | undefined> {
    const { store, bucket } = this.#options;
    const bytes = await bucket?.get(`${id}/${part}`);
    return bytes ?? store.read((db) => contentPart(db, account, id, part));
  }

  async *#pieces(account: string, id: string, size: number): AsyncGenerator<Buffer, void> {
    let read = 0;
    for (let part = 0; read < size; part++) {
      const bytes = await this.#part(account, id, part);
      if (bytes === undefined || bytes.length === 0)
        throw new DamagedError("a part of the content is missing");
      read += bytes.length;
      yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    if (read > size) throw new DamagedError("the content has another size");
  }

  /** Not by a look at the row alone: a transaction whose end is unknown may still name the content. Locking waits for it. */
  async #discard(account: string, id: string): Promise<void> {
    const isMarked = await this.#options.store.write(account, (db) => discardUnfinished(db, account, id));
    if (isMarked) await this.#remove(account, id);
  }

  /** @param of all accounts if absent */
  async #removeDiscarded(of: string | undefined): Promise<void> {
    const contents = await this.#options.store.read((db) => discardedContents(db, of));
    for (const { account, id } of contents) await this.#remove(account, id);
  }

  async #remove(account: string, id: string): Promise<void> {
    const { store, bucket } = this.#options;
    await bucket?.removeAll(`${id}/`);
    await store.write(account, (db) => deleteContent(db, account, id));
  }
}
