import { sql } from "kysely";
import type { Db } from "./tables.ts";

/** Contents of attachments that the database holds, in parts. No request finds a content before it has a hash. */

export async function insertContent(db: Db, account: string, id: string, now: number): Promise<void> {
  await db.insertInto("content").values({ account, id, hash: null, touched_at: now }).execute();
}

/** Appends a part. @returns false if the content is gone: it was swept */
export async function insertPart(
  db: Db,
  account: string,
  id: string,
  { part, bytes, now }: { readonly part: number; readonly bytes: Uint8Array; readonly now: number },
): Promise<boolean> {
  const touched = await db
    .updateTable("content")
    .set({ touched_at: now })
    .where("account", "=", account)
    .where("id", "=", id)
    .executeTakeFirst();
  if (touched.numUpdatedRows === 0n) return false;
  await db.insertInto("content_part").values({ account, content_id: id, part, bytes }).execute();
  return true;
}

/** Makes a content the one of its hash, in place of any other. @returns false if it is gone */
export async function nameContent(db: Db, account: string, id: string, hash: string): Promise<boolean> {
  await db
    .deleteFrom("content")
    .where("account", "=", account)
    .where("hash", "=", hash)
    .where("id", "!=", id)
    .execute();
  const named = await db
    .updateTable("content")
    .set({ hash })
    .where("account", "=", account)
    .where("id", "=", id)
    .executeTakeFirst();
  return named.numUpdatedRows > 0n;
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

/** Deletes the contents with these hashes that no attachment names. */
export async function deleteUnnamed(db: Db, account: string, hashes: readonly string[]): Promise<void> {
  for (const hash of new Set(hashes))
    await db
      .deleteFrom("content")
      .where("account", "=", account)
      .where("hash", "=", hash)
      .where(({ not, exists }) =>
        not(
          exists((eb) =>
            eb
              .selectFrom("attachment")
              .select("attachment.hash")
              .where("attachment.account", "=", account)
              .where("attachment.hash", "=", hash),
          ),
        ),
      )
      .execute();
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
