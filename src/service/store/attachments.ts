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

export type Content = Pick<AttachmentRow, "account" | "hash" | "size">;

/** Each content that cards have, once for each account. */
export const allContents = (db: Db): Promise<Content[]> =>
  db.selectFrom("attachment").select(["account", "hash", "size"]).distinct().orderBy("hash").execute();

/** The attachments that have a content. */
export const attachmentsWith = (db: Db, { account, hash, size }: Content): Promise<AttachmentRow[]> =>
  db
    .selectFrom("attachment")
    .selectAll()
    .where("account", "=", account)
    .where("hash", "=", hash)
    .where("size", "=", size)
    .orderBy("card_id")
    .orderBy("file_name")
    .execute();

/** Whether any card of any account has this content. */
export async function isNamed(db: Db, hash: string): Promise<boolean> {
  const query = db.selectFrom("attachment").select("hash").where("hash", "=", hash).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}
