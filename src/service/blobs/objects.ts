import { Buffer } from "node:buffer";
import { DeckhandError } from "../../errors.ts";
import { type RandomBytes, randomText } from "../../schema/ids.ts";
import type { Store } from "../store/index.ts";
import { bucketSetting, setting, settingOr } from "../store/keys.ts";
import type { Bucket } from "./bucket.ts";

/** The object that says to which database the others belong. */
const marker = "deckhand";

/**
 * Makes a bucket the one of this database, unless it is. @returns the bucket
 *
 * @throws DeckhandError for the bucket of another database, BucketError for one that cannot be used
 */
export async function openObjects(bucket: Bucket, store: Store, random: RandomBytes): Promise<Bucket> {
  const known = await store.read((db) => setting(db, bucketSetting));
  const id = known ?? (await claim(bucket, store, random));
  if ((await bucket.get(marker))?.toString() !== id)
    throw new DeckhandError("refused", `${bucket.name} does not hold the attachments of this database`, {
      hint: `If they were moved there, the object ${marker} must be moved, too.`,
    });
  return bucket;
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
