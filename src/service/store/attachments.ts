import { beyond } from "./documents.ts";
import type { AttachmentRow, Db, Place } from "./tables.ts";

export function attachmentByName(
  db: Db,
  account: string,
  cardId: string,
  fileName: string,
): Promise<AttachmentRow | undefined> {
  return db
    .selectFrom("attachment")
    .selectAll()
    .where("account", "=", account)
    .where("card_id", "=", cardId)
    .where("file_name", "=", fileName)
    .executeTakeFirst();
}

/** The attachments of a card, by file name. */
export function attachmentsOf(db: Db, account: string, cardId: string): Promise<AttachmentRow[]> {
  return db
    .selectFrom("attachment")
    .selectAll()
    .where("account", "=", account)
    .where("card_id", "=", cardId)
    .orderBy("file_name")
    .execute();
}

/** Attachments of all cards after a place, by card and file name. */
export function attachmentsAfter(
  db: Db,
  account: string,
  options: { after: Place | undefined; limit: number },
): Promise<AttachmentRow[]> {
  let query = db.selectFrom("attachment").selectAll().where("account", "=", account);
  if (options.after !== undefined) query = query.where(beyond(["card_id", "file_name"], options.after));
  return query.orderBy("card_id").orderBy("file_name").limit(options.limit).execute();
}

export const attachmentPlace = (row: AttachmentRow): Place => [row.card_id, row.file_name];

/** Records an attachment; it replaces one of the same name. */
export async function putAttachment(db: Db, row: AttachmentRow): Promise<void> {
  const { size, type, hash } = row;
  await db
    .insertInto("attachment")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["account", "card_id", "file_name"]).doUpdateSet({ size, type, hash }),
    )
    .execute();
}

export async function deleteAttachment(db: Db, row: AttachmentRow): Promise<void> {
  await db
    .deleteFrom("attachment")
    .where("account", "=", row.account)
    .where("card_id", "=", row.card_id)
    .where("file_name", "=", row.file_name)
    .execute();
}

/** Whether any card of any account has this content. */
export async function isNamed(db: Db, hash: string): Promise<boolean> {
  const query = db.selectFrom("attachment").select("hash").where("hash", "=", hash).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

/**
 * Notes contents that may be on the disk without a row that names them. The note is committed before the content is
 * moved into place, or together with the deletion of the row, and deleted once the two agree. So a crash at any point
 * leaves no content that the next start does not know of, and the folder need not be searched.
 */
export async function noteUnsettled(db: Db, hashes: readonly string[]): Promise<void> {
  for (const hash of new Set(hashes)) {
    await db
      .insertInto("unsettled_blob")
      .values({ hash })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Deletes the note. @returns whether there was one: another process may have settled it. */
export async function takeUnsettled(db: Db, hash: string): Promise<boolean> {
  const result = await db.deleteFrom("unsettled_blob").where("hash", "=", hash).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function allUnsettled(db: Db): Promise<string[]> {
  return (await db.selectFrom("unsettled_blob").select("hash").execute()).map(({ hash }) => hash);
}
