import { Buffer } from "node:buffer";
import { DeckhandError } from "../../errors.ts";
import { type RandomBytes, randomText } from "../../schema/ids.ts";
import type { Store } from "../store/index.ts";
import { bucketSetting, setting, settingOr } from "../store/keys.ts";
import type { Bucket } from "./bucket.ts";

const removedAtOnce = 16;

/** The object that says to which database the others belong. */
const marker = "deckhand";

/** Parts of contents as objects of a bucket, with the keys `<content>/<part>`: each is written once and never changed. */
export class Objects {
  readonly #bucket: Bucket;

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  put(content: string, part: number, bytes: Uint8Array): Promise<void> {
    return this.#bucket.put(`${content}/${part}`, bytes);
  }

  get(content: string, part: number): Promise<Uint8Array | undefined> {
    return this.#bucket.get(`${content}/${part}`);
  }

  async remove(content: string): Promise<void> {
    for await (const keys of this.#bucket.list(`${content}/`))
      for (let at = 0; at < keys.length; at += removedAtOnce)
        await Promise.all(keys.slice(at, at + removedAtOnce).map((key) => this.#bucket.remove(key)));
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
  return new Objects(bucket);
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
