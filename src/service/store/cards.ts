import { type CardRow, type Db, same } from "./tables.ts";

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
    .where(same({ account }))
    .where("id", ">", after)
    .where("due_at", "is not", null)
    .orderBy("id")
    .limit(limit)
    .execute();
}

const counted = (db: Db, values: Parameters<typeof same>[0]) =>
  db
    .selectFrom("card")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where(same(values));

/** The number of cards in the deck itself, archived and trashed ones included. */
export async function cardCount(db: Db, account: string, deck_id: string): Promise<number> {
  const row = await counted(db, { account, deck_id }).executeTakeFirst();
  return Number(row?.count ?? 0);
}

/** How many cards are made with a template. Reads all cards of the account: it is asked before a deletion only. */
export async function cardsOfTemplate(db: Db, account: string, id: string): Promise<number> {
  const row = await counted(db, { account })
    .where("document", "like", `%"template-id":${JSON.stringify(id)}%`)
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}
