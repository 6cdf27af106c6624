import { type RawBuilder, sql } from "kysely";
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
  content_id: string,
  part: number,
  bytes: Uint8Array,
): Promise<void> {
  await db.insertInto("content_part").values({ account, content_id, part, bytes }).execute();
}

/** Records that a content is still being received. @returns false if it was swept */
export const touchContent = (db: Db, account: string, id: string, now: number): Promise<boolean> =>
  changeUnfinished(db, account, id, sql`touched_at = ${now}`);

/** Gives a content its hash, which no other one may have. @returns false if it was swept */
export const nameContent = (db: Db, account: string, id: string, hash: string): Promise<boolean> =>
  changeUnfinished(db, account, id, sql`hash = ${hash}`);

/** Marks a content as one to be deleted unless it has a hash. @returns whether it is one, from before or now */
export const discardUnfinished = (db: Db, account: string, id: string): Promise<boolean> =>
  changeUnfinished(db, account, id, sql`touched_at = ${discarded}`, discarded - 1);

/** Changes a content that is being received. @param after when it was touched at least @returns whether it is */
async function changeUnfinished(
  db: Db,
  account: string,
  id: string,
  change: RawBuilder<unknown>,
  after: number = discarded,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update content set ${change}
    where ${same({ account, id })} and hash is null and touched_at > ${after}`.execute(db);
  return numAffectedRows === 1n;
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
  content_id: string,
  part: number,
): Promise<Uint8Array | undefined> {
  const query = db.selectFrom("content_part").select("bytes").where(same({ account, content_id, part }));
  return (await query.executeTakeFirst())?.bytes;
}

/** Marks the contents that a condition names as ones to be deleted. */
async function discard(db: Db, which: RawBuilder<unknown>): Promise<void> {
  await sql`update content set hash = null, touched_at = ${discarded} where ${which}`.execute(db);
}

/** The content that has a hash: no request finds it from then on. */
export const discardNamed = (db: Db, account: string, hash: string): Promise<void> =>
  discard(db, same({ account, hash }));

/** Those of the hashes that no attachment names. */
export async function discardUnnamed(db: Db, account: string, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  const ofThese = sql`${same({ account })} and hash in (${sql.join(hashes)})`;
  await discard(db, sql`${ofThese} and hash not in (select hash from attachment where ${ofThese})`);
}

/** Contents, of all accounts, that were not finished and have received nothing since an instant. */
export const discardAbandoned = (db: Db, before: number): Promise<void> =>
  discard(db, sql`hash is null and touched_at < ${before}`);

/** The marked contents. @param account undefined for all */
export async function discardedContents(
  db: Db,
  account: string | undefined,
): Promise<readonly { account: string; id: string }[]> {
  const marked = same({ touched_at: discarded, ...(account === undefined ? {} : { account }) });
  return db.selectFrom("content").select(["account", "id"]).where(marked).where("hash", "is", null).execute();
}

/** Deletes a content unless it has a hash, with its parts in the database. */
export async function deleteContent(db: Db, account: string, id: string): Promise<void> {
  await db.deleteFrom("content").where(same({ account, id })).where("hash", "is", null).execute();
}
