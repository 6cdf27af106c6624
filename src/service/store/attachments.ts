import type { Place } from "../bookmarks.ts";
import { inChunks } from "./chunks.ts";
import type { AttachmentRow, Db } from "./tables.ts";

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

/** The attachments of cards, by file name, by the card's id. */
export async function attachmentsOf(
  db: Db,
  account: string,
  cardIds: readonly string[],
): Promise<ReadonlyMap<string, readonly AttachmentRow[]>> {
  const byCard = new Map<string, AttachmentRow[]>();
  if (cardIds.length > 1 && !(await hasAny(db, account))) return byCard;
  await inChunks(cardIds, async (chunk) => {
    const query = db
      .selectFrom("attachment")
      .selectAll()
      .where("account", "=", account)
      .where("card_id", "in", chunk)
      .orderBy("card_id")
      .orderBy("file_name");
    for (const row of await query.execute()) {
      const known = byCard.get(row.card_id);
      if (known === undefined) byCard.set(row.card_id, [row]);
      else known.push(row);
    }
  });
  return byCard;
}

/** Attachments of all cards after a place, by card and file name. */
export function attachmentsAfter(
  db: Db,
  account: string,
  options: { after: Place | undefined; limit: number },
): Promise<AttachmentRow[]> {
  let query = db.selectFrom("attachment").selectAll().where("account", "=", account);
  if (options.after !== undefined) {
    const [card = "", name = ""] = options.after.map(String);
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("card_id", "file_name"), ">", tuple(card, name)),
    );
  }
  return query.orderBy("card_id").orderBy("file_name").limit(options.limit).execute();
}

export const attachmentPlace = (row: AttachmentRow): Place => [row.card_id, row.file_name];

async function hasAny(db: Db, account: string): Promise<boolean> {
  const query = db.selectFrom("attachment").select("card_id").where("account", "=", account).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Records an attachment, instead of one that had the name. */
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
