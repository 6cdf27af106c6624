import { type Db, type ReviewRow, same } from "./tables.ts";

/** The reviews of a card, oldest first. */
export const reviewsOf = (db: Db, account: string, card_id: string): Promise<ReviewRow[]> =>
  db.selectFrom("review").selectAll().where(same({ account, card_id })).orderBy("date").execute();

/** As a scheduler replays them. */
export const pastOf = (reviews: readonly Pick<ReviewRow, "date" | "remembered">[]) =>
  reviews.map(({ date, remembered }) => ({
    date: new Date(date).toISOString(),
    "remembered?": remembered === 1,
  }));

// A statement has at most 32,766 values in SQLite.
const batch = 500;

/** Inserts reviews, and sets when those that are there are due; many with one statement. */
export async function putReviews(db: Db, rows: readonly ReviewRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += batch)
    await db
      .insertInto("review")
      .values(rows.slice(at, at + batch))
      .onConflict((conflict) =>
        conflict.columns(["account", "card_id", "date"]).doUpdateSet({
          due: (eb) => eb.ref("excluded.due"),
          due_given: (eb) => eb.ref("excluded.due_given"),
        }),
      )
      .execute();
}

/** @returns whether there was such a review. */
export async function deleteReview(db: Db, account: string, card_id: string, date: number): Promise<boolean> {
  const result = await db.deleteFrom("review").where(same({ account, card_id, date })).executeTakeFirst();
  return result.numDeletedRows > 0n;
}
