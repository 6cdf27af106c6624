import { type Db, same } from "./tables.ts";

/**
 * Contents of attachments: each is in parts, in the database or as objects of a bucket. No request finds a content before
 * it has a hash.
 */

/** When a content was touched that is to be deleted together with its objects: it cannot be finished any more. */
const discarded = 0;

export async function insertContent(db: Db, account: string, id: string, now: number): Promise<void> {
  await db.insertInto("content").values({ account, id, hash: null, touched_at: now }).execute();
}

/** @throws the engine's error where the content was swept meanwhile */
export async function insertPart(
  db: Db,
  account: string,
  id: string,
  part: number,
  bytes: Uint8Array,
): Promise<void> {
  await db.insertInto("content_part").values({ account, content_id: id, part, bytes }).execute();
}

/** Records that a content is still being received. @returns false if it was swept */
export const touchContent = (db: Db, account: string, id: string, now: number): Promise<boolean> =>
  changeUnfinished(db, account, id, { touched_at: now });

/** Gives a content its hash, which no other one may have. @returns false if it was swept */
export const nameContent = (db: Db, account: string, id: string, hash: string): Promise<boolean> =>
  changeUnfinished(db, account, id, { hash });

/** Marks a content as one to be deleted unless it has a hash. @returns whether it is one, from before or now */
export const discardUnfinished = (db: Db, account: string, id: string): Promise<boolean> =>
  changeUnfinished(db, account, id, { touched_at: discarded }, discarded - 1);

/** Changes a content that is being received. @param after when it was touched at least @returns whether it is */
async function changeUnfinished(
  db: Db,
  account: string,
  id: string,
  values: { readonly touched_at: number } | { readonly hash: string },
  after: number = discarded,
): Promise<boolean> {
  const changed = await db
    .updateTable("content")
    .set(values)
    .where(same({ account, id }))
    .where("hash", "is", null)
    .where("touched_at", ">", after)
    .executeTakeFirst();
  return changed.numUpdatedRows > 0n;
}

/** The id of the content with a hash. */
export async function contentWithHash(db: Db, account: string, hash: string): Promise<string | undefined> {
  const query = db.selectFrom("content").select("id").where(same({ account, hash }));
  return (await query.executeTakeFirst())?.id;
}

/** One part; undefined after the last one. */
export async function contentPart(
  db: Db,
  account: string,
  id: string,
  part: number,
): Promise<Uint8Array | undefined> {
  const query = db
    .selectFrom("content_part")
    .select("bytes")
    .where(same({ account, content_id: id, part }));
  return (await query.executeTakeFirst())?.bytes;
}

/** Marks the content that has a hash as one to be deleted. No request finds it from then on. */
export async function discardNamed(db: Db, account: string, hash: string): Promise<void> {
  await named(db, account, [hash]).execute();
}

/** The same for those of the hashes that no attachment names. */
export async function discardUnnamed(db: Db, account: string, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  const naming = db.selectFrom("attachment").select("hash").where(same({ account }));
  await named(db, account, hashes)
    .where("hash", "not in", naming.where("hash", "in", hashes))
    .execute();
}

const named = (db: Db, account: string, hashes: readonly string[]) =>
  db
    .updateTable("content")
    .set({ hash: null, touched_at: discarded })
    .where(same({ account }))
    .where("hash", "in", hashes);

/** Marks contents, of all accounts, that were not finished and have received nothing since an instant. */
export async function discardAbandoned(db: Db, before: number): Promise<void> {
  await db
    .updateTable("content")
    .set({ touched_at: discarded })
    .where("hash", "is", null)
    .where("touched_at", "<", before)
    .execute();
}

/** The marked contents. @param account undefined for all */
export function discardedContents(
  db: Db,
  account: string | undefined,
): Promise<{ account: string; id: string }[]> {
  const query = db.selectFrom("content").select(["account", "id"]);
  return (account === undefined ? query : query.where(same({ account })))
    .where("hash", "is", null)
    .where(same({ touched_at: discarded }))
    .execute();
}

/** Deletes a content unless it has a hash, with its parts in the database. */
export async function deleteContent(db: Db, account: string, id: string): Promise<void> {
  await db.deleteFrom("content").where(same({ account, id })).where("hash", "is", null).execute();
}
