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
