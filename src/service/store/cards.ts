import { type RawBuilder, sql } from "kysely";
import { type CardRow, type Db, same } from "./tables.ts";

/** Cards with a review, by id. @param after the id of the last one before; "" for the start */
export async function reviewedCardsAfter(
  db: Db,
  account: string,
  after: string,
  limit: number,
): Promise<readonly CardRow[]> {
  const { rows } = await sql<CardRow>`
    select * from card where account = ${account} and id > ${after} and due_at is not null
    order by id limit ${limit}`.execute(db);
  return rows;
}

async function counted(db: Db, which: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from card where ${which}`.execute(
    db,
  );
  return Number(rows[0]?.count);
}

/** The number of cards in the deck itself, archived and trashed ones included. */
export const cardCount = (db: Db, account: string, deck_id: string): Promise<number> =>
  counted(db, same({ account, deck_id }));

/** How many cards are made with a template. Reads all cards of the account: it is asked before a deletion only. */
export const cardsOfTemplate = (db: Db, account: string, id: string): Promise<number> =>
  counted(db, sql`account = ${account} and document like ${`%"template-id":${JSON.stringify(id)}%`}`);
