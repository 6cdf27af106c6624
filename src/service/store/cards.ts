import { cardChecksum } from "./checksums.ts";
import { beyond, smallDocument } from "./documents.ts";
import { positionBytes, positionText } from "./positions.ts";
import { prepared } from "./prepared.ts";
import type { CardRow, Db, Place } from "./tables.ts";

/** Cards with a review, by id. @param after the id of the last one before; "" for the start */
export function reviewedCardsAfter(
  db: Db,
  account: string,
  after: string,
  limit: number,
): Promise<CardRow[]> {
  return db
    .selectFrom("card")
    .selectAll()
    .where("account", "=", account)
    .where("id", ">", after)
    .where("due_at", "is not", null)
    .orderBy("id")
    .limit(limit)
    .execute();
}

const insert = prepared((db, row: CardRow & { readonly checksum: number }) =>
  db.insertInto("card").values(row),
);

export async function insertCard(db: Db, row: CardRow): Promise<void> {
  await insert(db, { ...row, checksum: cardChecksum(row) });
}

export async function updateCard(db: Db, row: CardRow): Promise<void> {
  // Without the key: databases that are spread over machines by the account refuse to set it.
  const { account, id, ...values } = row;
  await db
    .updateTable("card")
    .set({ ...values, checksum: cardChecksum(row) })
    .where("account", "=", account)
    .where("id", "=", id)
    .execute();
}

/** Deletes a card; its reviews and attachment rows go with it. */
export async function deleteCard(db: Db, account: string, id: string): Promise<void> {
  await db.deleteFrom("card").where("account", "=", account).where("id", "=", id).execute();
}

const last = prepared((db, { account, deckId }: { readonly account: string; readonly deckId: string }) =>
  db
    .selectFrom("card")
    .select("pos")
    .where("account", "=", account)
    .where("deck_id", "=", deckId)
    .orderBy("pos", "desc")
    .limit(1),
);

/** The highest position in a deck; undefined if the deck has no cards. */
export async function lastCardPosition(db: Db, account: string, deckId: string): Promise<string | undefined> {
  const [row] = await last(db, { account, deckId });
  return row && positionText(row.pos);
}

/** A card in a list. Its document is null if it is large: then it is read by itself, when its turn comes. */
export interface ListedCard {
  readonly id: string;
  readonly document: string | null;
  readonly place: Place;
}

/** The cards after a place in the order of lists: by deck id, position, id. */
export async function cardsAfter(
  db: Db,
  account: string,
  options: {
    /** Only the cards of this deck. */
    readonly deckId: string | undefined;
    /** Undefined for the start. */
    readonly after: Place | undefined;
    readonly limit: number;
  },
): Promise<ListedCard[]> {
  const { deckId, after, limit } = options;
  let query = db
    .selectFrom("card")
    .select(["id", "deck_id", "pos"])
    .select(smallDocument("card"))
    .where("account", "=", account);
  if (deckId !== undefined) query = query.where("deck_id", "=", deckId);
  if (after !== undefined) {
    const [afterDeck, pos = "", id] = after.map(String);
    const place = [positionBytes(pos), id];
    query = query.where(
      deckId === undefined
        ? beyond(["deck_id", "pos", "id"], [afterDeck, ...place])
        : beyond(["pos", "id"], place),
    );
  }
  const rows = await query.orderBy("deck_id").orderBy("pos").orderBy("id").limit(limit).execute();
  return rows.map(({ id, deck_id, pos, document }) => ({
    id,
    document,
    place: [deck_id, positionText(pos), id],
  }));
}
