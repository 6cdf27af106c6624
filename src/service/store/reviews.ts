import { inChunks } from "./chunks.ts";
import type { Db, ReviewRow } from "./tables.ts";

/** The reviews of cards, oldest first, by the card's id. */
export async function reviewsOf(
  db: Db,
  account: string,
  cardIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ReviewRow[]>> {
  const byCard = new Map<string, ReviewRow[]>();
  await inChunks(cardIds, async (chunk) => {
    const query = db
      .selectFrom("review")
      .selectAll()
      .where("account", "=", account)
      .where("card_id", "in", chunk)
      .orderBy("card_id")
      .orderBy("date");
    for (const row of await query.execute()) {
      const known = byCard.get(row.card_id);
      if (known === undefined) byCard.set(row.card_id, [row]);
      else known.push(row);
    }
  });
  return byCard;
}

/** The reviews of one card, oldest first. */
export async function reviewsOfCard(db: Db, account: string, cardId: string): Promise<readonly ReviewRow[]> {
  return (await reviewsOf(db, account, [cardId])).get(cardId) ?? [];
}

export async function insertReview(db: Db, row: ReviewRow): Promise<void> {
  await db.insertInto("review").values(row).execute();
}

export async function setReviewDue(db: Db, row: ReviewRow, due: number): Promise<void> {
  await db
    .updateTable("review")
    .set({ due })
    .where("account", "=", row.account)
    .where("card_id", "=", row.card_id)
    .where("date", "=", row.date)
    .execute();
}

/** @returns whether there was such a review. */
export async function deleteReview(db: Db, account: string, cardId: string, date: number): Promise<boolean> {
  const result = await db
    .deleteFrom("review")
    .where("account", "=", account)
    .where("card_id", "=", cardId)
    .where("date", "=", date)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}
