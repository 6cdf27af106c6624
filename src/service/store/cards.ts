import type { Place } from "../bookmarks.ts";
import { positionBytes, positionText } from "../positions.ts";
import type { CardRow, Db } from "./tables.ts";

export function cardById(db: Db, account: string, id: string): Promise<CardRow | undefined> {
  return db
    .selectFrom("card")
    .selectAll()
    .where("account", "=", account)
    .where("id", "=", id)
    .executeTakeFirst();
}

export async function cardExists(db: Db, account: string, id: string): Promise<boolean> {
  const query = db.selectFrom("card").select("id").where("account", "=", account).where("id", "=", id);
  return (await query.executeTakeFirst()) !== undefined;
}

export async function insertCard(db: Db, row: CardRow): Promise<void> {
  await db.insertInto("card").values(row).execute();
}

export async function updateCard(db: Db, row: CardRow): Promise<void> {
  await db.updateTable("card").set(row).where("account", "=", row.account).where("id", "=", row.id).execute();
}

/** Removes a card; its reviews and attachment rows go with it. */
export async function deleteCard(db: Db, account: string, id: string): Promise<void> {
  await db.deleteFrom("card").where("account", "=", account).where("id", "=", id).execute();
}

/** The highest position in a deck; undefined if the deck has no cards. */
export async function lastCardPosition(db: Db, account: string, deckId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom("card")
    .select("pos")
    .where("account", "=", account)
    .where("deck_id", "=", deckId)
    .orderBy("pos", "desc")
    .limit(1)
    .executeTakeFirst();
  return row && positionText(row.pos);
}

/** The documents of the cards after a place, in the order of lists: by deck id, then position, then id. */
export async function cardsAfter(
  db: Db,
  account: string,
  options: { deckId: string | undefined; after: Place | undefined; limit: number },
): Promise<string[]> {
  // One column: each costs as much as finding the row.
  let query = db.selectFrom("card").select("document").where("account", "=", account);
  if (options.deckId !== undefined) query = query.where("deck_id", "=", options.deckId);
  if (options.after !== undefined) {
    const [deckId = "", pos = "", id = ""] = options.after.map(String);
    const bytes = positionBytes(pos);
    query = query.where(({ eb, refTuple, tuple }) =>
      options.deckId === undefined
        ? eb(refTuple("deck_id", "pos", "id"), ">", tuple(deckId, bytes, id))
        : eb(refTuple("pos", "id"), ">", tuple(bytes, id)),
    );
  }
  const rows = await query.orderBy("deck_id").orderBy("pos").orderBy("id").limit(options.limit).execute();
  return rows.map((row) => row.document);
}
