import { sql } from "kysely";
import type { Db } from "./tables.ts";

/**
 * Contents of attachments: each is in parts, in the database or as objects of a bucket. No request finds a content before
 * it has a hash.
 */

/** When a content was touched that is to be deleted together with its objects: it cannot be finished any more. */
const discarded = 0;

export async function insertContent(db: Db, account: string, id: string, now: number): Promise<void> {
  await db.insertInto("content").values({ account, id, hash: null, touched_at: now }).execute();
}

/** Appends a part. @returns false if the content was swept */
export async function insertPart(
  db: Db,
  account: string,
  id: string,
  { part, bytes, now }: { readonly part: number; readonly bytes: Uint8Array; readonly now: number },
): Promise<boolean> {
  if (!(await touchContent(db, account, id, now))) return false;
  await db.insertInto("content_part").values({ account, content_id: id, part, bytes }).execute();
  return true;
}

/** Records that a content is still being received. @returns false if it was swept */
export async function touchContent(db: Db, account: string, id: string, now: number): Promise<boolean> {
  const touched = await unfinished(db, account, id).set({ touched_at: now }).executeTakeFirst();
  return touched.numUpdatedRows > 0n;
}

/** Gives a content its hash, which no other one may have. @returns false if it was swept */
export async function nameContent(db: Db, account: string, id: string, hash: string): Promise<boolean> {
  const named = await unfinished(db, account, id).set({ hash }).executeTakeFirst();
  return named.numUpdatedRows > 0n;
}

/** A content that is being received. */
const unfinished = (db: Db, account: string, id: string) =>
  db
    .updateTable("content")
    .where("account", "=", account)
    .where("id", "=", id)
    .where("hash", "is", null)
    .where("touched_at", ">", discarded);

/** Deletes the contents that have these hashes, if there are any. */
export async function deleteNamed(db: Db, account: string, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  await db.deleteFrom("content").where("account", "=", account).where("hash", "in", hashes).execute();
}

/** The id of the content with a hash. */
export async function contentWithHash(db: Db, account: string, hash: string): Promise<string | undefined> {
  const query = db.selectFrom("content").select("id").where("account", "=", account).where("hash", "=", hash);
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
    .where("account", "=", account)
    .where("content_id", "=", id)
    .where("part", "=", part);
  return (await query.executeTakeFirst())?.bytes;
}

/** The numbers of the parts of a content that are in the database, in their order. */
export async function partNumbers(db: Db, account: string, id: string): Promise<number[]> {
  const query = db
    .selectFrom("content_part")
    .select("part")
    .where("account", "=", account)
    .where("content_id", "=", id)
    .orderBy("part");
  return (await query.execute()).map(({ part }) => part);
}

/** Those of the hashes that no attachment names. */
export async function unnamedHashes(db: Db, account: string, hashes: readonly string[]): Promise<string[]> {
  if (hashes.length === 0) return [];
  const naming = db.selectFrom("attachment").select("hash").where("account", "=", account);
  const rows = await naming.where("hash", "in", hashes).distinct().execute();
  const named = new Set(rows.map(({ hash }) => hash));
  return hashes.filter((hash) => !named.has(hash));
}

/** Deletes a content unless it has a hash. */
export async function deleteUnfinished(db: Db, account: string, id: string): Promise<void> {
  await db
    .deleteFrom("content")
    .where("account", "=", account)
    .where("id", "=", id)
    .where("hash", "is", null)
    .execute();
}

/** Deletes contents, of all accounts, that were not finished and have received nothing since an instant. */
export async function sweepUnfinished(db: Db, before: number): Promise<void> {
  await db
    .deleteFrom("content")
    .where("hash", "is", null)
    .where("touched_at", "<", sql.val(before))
    .execute();
}

/** Whether the database itself holds parts of a content. */
export async function hasParts(db: Db, account: string, id: string): Promise<boolean> {
  const query = db
    .selectFrom("content_part")
    .select("part")
    .where("account", "=", account)
    .where("content_id", "=", id);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/** Marks the contents that have these hashes as ones to be deleted. No request finds them from then on. */
export async function discardNamed(db: Db, account: string, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  await db
    .updateTable("content")
    .set({ hash: null, touched_at: discarded })
    .where("account", "=", account)
    .where("hash", "in", hashes)
    .execute();
}

/** Marks a content as one to be deleted unless it has a hash. @returns whether it did */
export async function discardUnfinished(db: Db, account: string, id: string): Promise<boolean> {
  const marked = await db
    .updateTable("content")
    .set({ touched_at: discarded })
    .where("account", "=", account)
    .where("id", "=", id)
    .where("hash", "is", null)
    .executeTakeFirst();
  return marked.numUpdatedRows > 0n;
}

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
  return (account === undefined ? query : query.where("account", "=", account))
    .where("hash", "is", null)
    .where("touched_at", "=", discarded)
    .execute();
}

/** Those of the ids that are contents of any account. */
export async function knownContents(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db.selectFrom("content").select("id").where("id", "in", ids).execute();
  return new Set(rows.map(({ id }) => id));
}
