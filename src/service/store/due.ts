import { sql } from "kysely";
import type { Db } from "./tables.ts";

/** Which due cards are asked for. */
export interface DueQuestion {
  /** Only cards that lie in this deck itself. */
  readonly deckId: string | undefined;
  /** Due before this instant, in epoch milliseconds. */
  readonly before: number;
}

/**
 * The documents of reviewed cards that are due, by the instant; then new ones in the order of their decks and in them.
 * Each live deck costs two steps into the index `card_due`, and each card found one; the rest of the collection is not
 * looked at.
 */
export async function dueCards(db: Db, account: string, question: DueQuestion): Promise<string[]> {
  const reviewed = await readyCards(db, account, question)
    .where("card.due_at", "<", question.before)
    .orderBy("card.due_at")
    .orderBy("card.id")
    .execute();
  const fresh = await readyCards(db, account, question)
    .where("card.due_at", "is", null)
    .orderBy("deck.sort")
    .orderBy("deck.id")
    .orderBy("card.pos")
    .orderBy("card.id")
    .execute();
  return [...reviewed, ...fresh].map((row) => row.document);
}

function readyCards(db: Db, account: string, { deckId }: DueQuestion) {
  // A cross join, so that the decks are walked first, in their order, and the cards of each by the index.
  let query = db
    .selectFrom("deck")
    .crossJoin("card")
    .select("card.document")
    .where("deck.account", "=", account)
    .where("deck.live", "=", 1)
    .where("card.account", "=", account)
    .where("card.deck_id", "=", sql.ref<string>("deck.id"))
    .where("card.ready", "=", 1);
  if (deckId !== undefined) query = query.where("deck.id", "=", deckId);
  return query;
}
