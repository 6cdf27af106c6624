import { Buffer } from "node:buffer";
import type { Readable } from "node:stream";
import { DeckhandError } from "../../errors.ts";
import { type RandomBytes, randomText } from "../../schema/ids.ts";
import {
  contentWithHash,
  deleteUnfinished,
  discardAbandoned,
  discardedContents,
  discardNamed,
  discardUnfinished,
  hasParts,
  insertContent,
  knownContents,
  nameContent,
  touchContent,
  unnamedHashes,
} from "../store/contents.ts";
import type { Store } from "../store/index.ts";
import { bucketSetting, setting, settingOr } from "../store/keys.ts";
import type { Db } from "../store/tables.ts";
import type { Blobs, LeftOver, Received } from "./blobs.ts";
import type { Bucket } from "./bucket.ts";
import { DatabaseBlobs, type DatabaseBlobsOptions } from "./database.ts";
import { BucketError } from "./failure.ts";
import { abandonedAfter, receiveParts, SweptError } from "./parts.ts";
import { DamagedError, verifiedStream } from "./verified.ts";

// At the slowest rate that an upload may have (1 KiB a second) one takes half of `abandonedAfter`.
const partLength = 2 * 1024 * 1024;
const removedAtOnce = 16;

/** The object that says to which database the others belong. */
const marker = "deckhand";

interface ObjectBlobsOptions extends DatabaseBlobsOptions {
  readonly bucket: Bucket;
}

/**
 * Attachments as objects of a bucket, in parts of 2 MiB with the keys `<content>/<part>`; the database has a row for each
 * content. An object is written once and never changed. The row is there before the first object and until after the last
 * one: what is to be deleted is marked in the row, by the transaction that stops naming it, and deleted after its commit.
 */
export class ObjectBlobs implements Blobs {
  readonly #options: ObjectBlobsOptions;
  /** Contents that were stored before there was a bucket. */
  readonly #inDatabase: DatabaseBlobs;

  constructor(options: ObjectBlobsOptions) {
    this.#options = options;
    this.#inDatabase = new DatabaseBlobs(options);
  }

  async receive(account: string, content: Readable, limit: number): Promise<Received> {
    const { store, bucket, now, random } = this.#options;
    const id = randomText(16, random);
    await store.write(account, (db) => insertContent(db, account, id, now()));
    try {
      const put = async (bytes: Uint8Array, part: number) => {
        if (!(await store.write(account, (db) => touchContent(db, account, id, now()))))
          throw new SweptError();
        await bucket.put(partKey(id, part), bytes);
      };
      return { at: id, ...(await receiveParts(content, { limit, partLength }, put)) };
    } catch (error) {
      // An object whose answer was lost may arrive yet: the sweep deletes it later.
      if (!(error instanceof BucketError)) await this.#discard(account, id).catch(() => {});
      throw error;
    }
  }

  async announce(): Promise<void> {}

  async isAnnounced(): Promise<boolean> {
    return true;
  }

  async keep(db: Db, account: string, { at, hash }: Received): Promise<void> {
    await discardNamed(db, account, [hash]);
    if (!(await nameContent(db, account, at, hash))) throw new SweptError();
  }

  async release(db: Db, account: string, hashes: readonly string[]): Promise<void> {
    await discardNamed(db, account, await unnamedHashes(db, account, hashes));
  }

  /** Deletes all that is marked: `keep` may have replaced a content, too. */
  async settle(account: string): Promise<void> {
    await this.#removeDiscarded(account);
  }

  discard(account: string, { at }: Received): Promise<void> {
    return this.#discard(account, at);
  }

  async read(account: string, hash: string, size: number): Promise<Readable | undefined> {
    const { store } = this.#options;
    const id = await store.read((db) => contentWithHash(db, account, hash));
    if (id === undefined) return undefined;
    if (await store.read((db) => hasParts(db, account, id)))
      return this.#inDatabase.read(account, hash, size);
    return verifiedStream(this.#parts(id, size), hash);
  }

  async remains(account: string, hash: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const { store, bucket } = this.#options;
    const id = await store.read((db) => contentWithHash(db, account, hash));
    if (id === undefined) return undefined;
    const keys: string[] = [];
    for await (const page of bucket.list(`${id}/`)) keys.push(...page);
    if (keys.length === 0) return this.#inDatabase.remains(account, hash);
    // The bucket lists part 10 before part 2.
    const inOrder = keys.toSorted((one, other) => partOf(one) - partOf(other));
    return this.#rest(inOrder);
  }

  async *#rest(keys: readonly string[]): AsyncGenerator<Uint8Array, void> {
    for (const key of keys) yield (await this.#options.bucket.get(key)) ?? new Uint8Array();
  }

  async sweep(now: number): Promise<void> {
    await this.#options.store.write(undefined, (db) => discardAbandoned(db, now - abandonedAfter));
    await this.#removeDiscarded(undefined);
  }

  async *leftOver(): AsyncGenerator<LeftOver, void> {
    const { bucket, store } = this.#options;
    for await (const page of bucket.list("")) {
      const keys = page.filter((key) => key !== marker);
      // An upload has a row before it has an object.
      const ids = keys.map((key) => key.split("/")[0] ?? "");
      const known = await store.read((db) => knownContents(db, ids));
      for (const [at, key] of keys.entries())
        if (!known.has(ids[at] ?? ""))
          yield { name: `${bucket.name}/${key}`, remove: () => bucket.remove(key) };
    }
  }

  async *#parts(id: string, size: number): AsyncGenerator<Buffer, void> {
    let read = 0;
    for (let part = 0; read < size; part++) {
      const bytes = await this.#options.bucket.get(partKey(id, part));
      if (bytes === undefined || bytes.length === 0)
        throw new DamagedError("a part of the content is missing");
      read += bytes.length;
      yield bytes;
    }
    if (read > size) throw new DamagedError("the content has another size");
  }

  /** Not by a look at the row alone: a transaction whose end is unknown may still name the content. Locking waits for it. */
  async #discard(account: string, id: string): Promise<void> {
    const isMarked = await this.#options.store.write(account, (db) => discardUnfinished(db, account, id));
    if (isMarked) await this.#remove([{ account, id }]);
  }

  async #removeDiscarded(account: string | undefined): Promise<void> {
    const contents = await this.#options.store.read((db) => discardedContents(db, account));
    for (const some of inGroups(contents)) await this.#remove(some);
  }

  /** Deletes the objects of marked contents, then their rows. */
  async #remove(contents: readonly { readonly account: string; readonly id: string }[]): Promise<void> {
    await Promise.all(contents.map(({ id }) => this.#removeObjects(id)));
    await this.#options.store.write(undefined, async (db) => {
      for (const { account, id } of contents) await deleteUnfinished(db, account, id);
    });
  }

  async #removeObjects(id: string): Promise<void> {
    const { bucket } = this.#options;
    for await (const keys of bucket.list(`${id}/`))
      for (const some of inGroups(keys)) await Promise.all(some.map((key) => bucket.remove(key)));
  }
}

function* inGroups<T>(all: readonly T[]): Generator<readonly T[], void> {
  for (let at = 0; at < all.length; at += removedAtOnce) yield all.slice(at, at + removedAtOnce);
}

const partKey = (content: string, part: number) => `${content}/${part}`;
const partOf = (key: string) => Number(key.split("/")[1]);

/**
 * The attachments in a bucket, which is then the one of this database.
 *
 * @throws DeckhandError for the bucket of another database, BucketError for one that cannot be used
 */
export async function openObjects(options: ObjectBlobsOptions): Promise<ObjectBlobs> {
  const { bucket, store, random } = options;
  const known = await store.read((db) => setting(db, bucketSetting));
  const id = known ?? (await claim(bucket, store, random));
  if ((await bucket.get(marker))?.toString() !== id)
    throw new DeckhandError("refused", `${bucket.name} does not hold the attachments of this database`, {
      hint: `If they were moved there, the object ${marker} must be moved, too.`,
    });
  return new ObjectBlobs(options);
}

/** Marks a bucket as the one of this database. Of several servers that start at once the first one does so. */
function claim(bucket: Bucket, store: Store, random: RandomBytes): Promise<string> {
  const own = randomText(16, random);
  return store.write(undefined, async (db) => {
    const id = await settingOr(db, bucketSetting, () => own);
    if (id !== own) return id;
    const found = (await bucket.get(marker))?.toString() ?? own;
    if (found !== own)
      throw new DeckhandError("refused", `${bucket.name} holds the attachments of another database`, {
        hint: `Choose another prefix. If no database uses it, delete the object ${marker} there.`,
      });
    await bucket.put(marker, Buffer.from(own));
    return own;
  });
}
