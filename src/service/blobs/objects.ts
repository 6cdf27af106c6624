import { Buffer } from "node:buffer";
import { DeckhandError } from "../../errors.ts";
import { type RandomBytes, randomText } from "../../schema/ids.ts";
import { knownContents } from "../store/contents.ts";
import type { Store } from "../store/index.ts";
import { bucketSetting, setting, settingOr } from "../store/keys.ts";
import type { LeftOver } from "./blobs.ts";
import type { Bucket } from "./bucket.ts";

const removedAtOnce = 16;

/** The object that says to which database the others belong. */
const marker = "deckhand";

/** Parts of contents as objects of a bucket, with the keys `<content>/<part>`: each is written once and never changed. */
export class Objects {
  readonly #bucket: Bucket;
  readonly #store: Store;

  constructor(bucket: Bucket, store: Store) {
    this.#bucket = bucket;
    this.#store = store;
  }

  put(content: string, part: number, bytes: Uint8Array): Promise<void> {
    return this.#bucket.put(`${content}/${part}`, bytes);
  }

  get(content: string, part: number): Promise<Uint8Array | undefined> {
    return this.#bucket.get(`${content}/${part}`);
  }

  /** The parts that are there, in their order. */
  async numbers(content: string): Promise<readonly number[]> {
    const numbers: number[] = [];
    for await (const keys of this.#bucket.list(`${content}/`))
      numbers.push(...keys.map((key) => Number(key.split("/")[1])));
    // The bucket lists part 10 before part 2.
    return numbers.sort((one, other) => one - other);
  }

  async remove(content: string): Promise<void> {
    for await (const keys of this.#bucket.list(`${content}/`))
      for (let at = 0; at < keys.length; at += removedAtOnce)
        await Promise.all(keys.slice(at, at + removedAtOnce).map((key) => this.#bucket.remove(key)));
  }

  async *leftOver(): AsyncGenerator<LeftOver, void> {
    for await (const page of this.#bucket.list("")) {
      const keys = page.filter((key) => key !== marker);
      // An upload has a row before it has an object.
      const ids = keys.map((key) => key.split("/")[0] ?? "");
      const known = await this.#store.read((db) => knownContents(db, ids));
      for (const [at, key] of keys.entries())
        if (!known.has(ids[at] ?? ""))
          yield { name: `${this.#bucket.name}/${key}`, of: "object", remove: () => this.#bucket.remove(key) };
    }
  }
}

/**
 * The parts of attachments in a bucket, which is then the one of this database.
 *
 * @throws DeckhandError for the bucket of another database, BucketError for one that cannot be used
 */
export async function openObjects(bucket: Bucket, store: Store, random: RandomBytes): Promise<Objects> {
  const known = await store.read((db) => setting(db, bucketSetting));
  const id = known ?? (await claim(bucket, store, random));
  if ((await bucket.get(marker))?.toString() !== id)
    throw new DeckhandError("refused", `${bucket.name} does not hold the attachments of this database`, {
      hint: `If they were moved there, the object ${marker} must be moved, too.`,
    });
  return new Objects(bucket, store);
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
