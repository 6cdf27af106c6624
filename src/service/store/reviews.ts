import type { Db, ReviewRow } from "./tables.ts";

/** The reviews of a card, oldest first. */
export function reviewsOf(db: Db, account: string, cardId: string): Promise<ReviewRow[]> {
  return db
    .selectFrom("review")
    .selectAll()
    .where("account", "=", account)
    .where("card_id", "=", cardId)
    .orderBy("date")
    .execute();
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
