import { sql } from "kysely";
import { beyond } from "./documents.ts";
import { type AttachmentRow, type Db, type Place, same } from "./tables.ts";

export const attachmentByName = (db: Db, account: string, card_id: string, file_name: string) =>
  db.selectFrom("attachment").selectAll().where(same({ account, card_id, file_name })).executeTakeFirst();

/** The attachments of a card, by file name. */
export const attachmentsOf = (db: Db, account: string, card_id: string): Promise<AttachmentRow[]> =>
  db.selectFrom("attachment").selectAll().where(same({ account, card_id })).orderBy("file_name").execute();

/** Attachments of all cards after a place, by card and file name. */
export async function attachmentsAfter(
  db: Db,
  account: string,
  { after, limit }: { after: Place | undefined; limit: number },
): Promise<readonly AttachmentRow[]> {
  const further = after && sql`and ${beyond(["card_id", "file_name"], after)}`;
  const { rows } = await sql<AttachmentRow>`
    select * from attachment where account = ${account} ${further ?? sql``}
    order by card_id, file_name limit ${limit}`.execute(db);
  return rows;
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

export async function deleteAttachment(
  db: Db,
  { account, card_id, file_name }: AttachmentRow,
): Promise<void> {
  await db.deleteFrom("attachment").where(same({ account, card_id, file_name })).execute();
}

export type Content = Pick<AttachmentRow, "account" | "hash" | "size">;

/** Each content that cards have, once for each account. */
export const allContents = (db: Db): Promise<Content[]> =>
  db.selectFrom("attachment").select(["account", "hash", "size"]).distinct().orderBy("hash").execute();

/** The attachments that have a content. */
export const attachmentsWith = (db: Db, content: Content): Promise<AttachmentRow[]> =>
  db
    .selectFrom("attachment")
    .selectAll()
    .where(same(content))
    .orderBy("card_id")
    .orderBy("file_name")
    .execute();

/** Whether any card of any account has this content. */
export async function isNamed(db: Db, hash: string): Promise<boolean> {
  const query = db.selectFrom("attachment").select("hash").where(same({ hash })).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}
