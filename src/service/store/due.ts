import { sql } from "kysely";
import { beyond, type Listed, listed, rowById } from "./documents.ts";
import type { Db, DeckRow, Place } from "./tables.ts";

/** Which due cards are asked for. */
export interface DueQuestion {
  /** Only cards of this deck itself. */
  readonly deckId: string | undefined;
  /** Due before this instant, in epoch milliseconds. */
  readonly before: number;
  /** The place of a card in this order; undefined for the start. */
  readonly after: Place | undefined;
  readonly limit: number;
}

/**
 * Due cards: reviewed ones by the instant, then new ones in the order of their decks and in them. Every query walks an
 * index from the place on, so that reading all pages costs as much as reading all cards at once.
 */
export async function dueCards(db: Db, account: string, question: DueQuestion): Promise<Listed[]> {
  const { deckId, after, limit } = question;
  const found = isNewPlace(after) ? [] : await reviewedCards(db, account, question);
  if (found.length < limit)
    found.push(...(await newCards(db, account, { deckId, after, limit: limit - found.length })));
  return found;
}

// The places of new cards have four values, those of reviewed ones two, or three within one deck.
const isNewPlace = (place: Place | undefined) => place?.length === 4;

/** Cards that are neither archived nor trashed. `1` is no parameter: otherwise partial indexes would not apply. */
export const readyCards = (account: string) => sql`account = ${account} and ready = 1`;

/** Not `exists`, which PostgreSQL may turn into a join and then sorts all due cards. */
export const inLiveDeck = sql`
  (select deck.live from deck where deck.account = card.account and deck.id = card.deck_id) = 1`;

/** Reviewed cards; those of one deck that are due at the same instant by their position, as its index has them. */
const reviewedCards = (db: Db, account: string, { deckId, before, after, limit }: DueQuestion) =>
  listed(db, "card", {
    where: sql`${readyCards(account)} and due_at < ${before} and ${inLiveDeck} ${ofDeck(deckId)}`,
    order: deckId === undefined ? ["due_at", "id"] : ["due_at", "pos", "id"],
    after,
    limit,
  });

const ofDeck = (deckId: string | undefined) => (deckId === undefined ? sql`` : sql`and deck_id = ${deckId}`);

/** Where a deck is among those of its account. */
type DeckPlace = Pick<DeckRow, "sort" | "id">;

/** Decks that are looked at together. */
const someDecks = 20;

/** New cards deck by deck: no engine joins two tables in an order of both without sorting. */
async function newCards(
  db: Db,
  account: string,
  { deckId, after, limit }: Omit<DueQuestion, "before">,
): Promise<Listed[]> {
  const found: Listed[] = [];
  let deck: DeckPlace | undefined;
  if (after !== undefined && isNewPlace(after)) {
    const [sort, id] = after;
    deck = { sort: Number(sort), id: String(id) };
    if ((await rowById(db, "deck", account, deck.id))?.live === 1)
      found.push(...(await newCardsOf(db, account, deck, { after: after.slice(2), limit })));
    if (deckId !== undefined) return found;
  }
  while (found.length < limit) {
    const decks = await decksWithNewCards(db, account, deckId, deck);
    for (deck of decks) {
      const question = { after: undefined, limit: limit - found.length };
      if (found.length < limit) found.push(...(await newCardsOf(db, account, deck, question)));
    }
    if (decks.length < someDecks) break;
  }
  return found;
}

/** The next live decks that have new cards, in the order of decks. */
async function decksWithNewCards(
  db: Db,
  account: string,
  deckId: string | undefined,
  after: DeckPlace | undefined,
): Promise<readonly DeckPlace[]> {
  const further = after && sql`and ${beyond(["sort", "id"], [after.sort, after.id])}`;
  const { rows } = await sql<DeckPlace>`
    select sort, id from deck where account = ${account} and live = 1
      and (select card.id from card where card.account = ${account} and card.deck_id = deck.id
        and card.ready = 1 and card.due_at is null limit 1) is not null
      ${deckId === undefined ? sql`` : sql`and id = ${deckId}`} ${further ?? sql``}
    order by sort, id limit ${sql.lit(someDecks)}`.execute(db);
  return rows;
}

/** The new cards of a live deck. @param question.after the position and the id of one of them */
async function newCardsOf(
  db: Db,
  account: string,
  { sort, id }: DeckPlace,
  question: Pick<DueQuestion, "after" | "limit">,
): Promise<Listed[]> {
  const where = sql`${readyCards(account)} and due_at is null ${ofDeck(id)}`;
  const rows = await listed(db, "card", { where, order: ["pos", "id"], ...question });
  return rows.map((row) => ({ ...row, place: [sort, id, ...row.place] }));
}
