import { type ExpressionBuilder, sql } from "kysely";
import { smallDocument } from "./documents.ts";
import { positionBytes, positionText } from "./positions.ts";
import type { Db, Place, Tables } from "./tables.ts";

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

export interface DueCard {
  readonly id: string;
  /** Null if it is large: then it is read by itself. */
  readonly document: string | null;
  readonly place: Place;
}

/**
 * Due cards: reviewed ones by the instant, then new ones in the order of their decks and in them. Every query walks an
 * index from the place on, so that reading all pages costs as much as reading all cards at once.
 */
export async function dueCards(db: Db, account: string, question: DueQuestion): Promise<DueCard[]> {
  const { deckId, after, limit } = question;
  const found = isNewPlace(after)
    ? []
    : deckId === undefined
      ? await reviewedCards(db, account, question)
      : await reviewedCardsOf(db, account, { ...question, deckId });
  if (found.length < limit)
    found.push(...(await newCards(db, account, { deckId, after, limit: limit - found.length })));
  return found;
}

// The places of new cards have four values, those of reviewed ones two, or three within one deck.
const isNewPlace = (place: Place | undefined) => place?.length === 4;

async function reviewedCards(
  db: Db,
  account: string,
  { before, after, limit }: DueQuestion,
): Promise<DueCard[]> {
  let query = db
    .selectFrom("card")
    .select(["id", "due_at"])
    .select(smallDocument("card"))
    .where("account", "=", account)
    // Written out, not a parameter: otherwise the partial index card_due_order would not apply.
    .where("ready", "=", sql.lit(1))
    .where("due_at", "<", before)
    .where(({ exists }) => exists(liveDeck));
  if (after !== undefined) {
    const [due, id] = after;
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("due_at", "id"), ">", tuple(Number(due), String(id))),
    );
  }
  const rows = await query.orderBy("due_at").orderBy("id").limit(limit).execute();
  return rows.map(({ id, due_at, document }) => ({ id, document, place: [Number(due_at), id] }));
}

async function reviewedCardsOf(
  db: Db,
  account: string,
  { deckId, before, after, limit }: DueQuestion & { deckId: string },
): Promise<DueCard[]> {
  let query = db
    .selectFrom("card")
    .select(["id", "due_at", "pos"])
    .select(smallDocument("card"))
    .where("account", "=", account)
    .where("deck_id", "=", deckId)
    .where("ready", "=", 1)
    .where("due_at", "<", before)
    .where(({ exists }) => exists(liveDeck));
  if (after !== undefined) {
    const [due, pos, id] = after;
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("due_at", "pos", "id"), ">", tuple(Number(due), positionBytes(String(pos)), String(id))),
    );
  }
  const rows = await query.orderBy("due_at").orderBy("pos").orderBy("id").limit(limit).execute();
  return rows.map(({ id, due_at, pos, document }) => ({
    id,
    document,
    place: [Number(due_at), positionText(pos), id],
  }));
}

const liveDeck = (eb: ExpressionBuilder<Tables, "card">) =>
  eb
    .selectFrom("deck")
    .select("deck.id")
    .where("deck.account", "=", eb.ref("card.account"))
    .where("deck.id", "=", eb.ref("card.deck_id"))
    .where("deck.live", "=", 1);

async function newCards(
  db: Db,
  account: string,
  { deckId, after, limit }: Omit<DueQuestion, "before">,
): Promise<DueCard[]> {
  let query = newCardsByDeck(db, account);
  if (deckId !== undefined) query = query.where("deck.id", "=", deckId);
  if (after === undefined || !isNewPlace(after)) return placed(await query.limit(limit).execute());
  const [sort, deck, pos, id] = after;
  // First the rest of that deck, then the decks after it: one condition for both would walk the deck from its start.
  const rest = await query
    .where("deck.id", "=", String(deck))
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple("card.pos", "card.id"), ">", tuple(positionBytes(String(pos)), String(id))),
    )
    .limit(limit)
    .execute();
  if (rest.length === limit || deckId !== undefined) return placed(rest);
  const further = await query
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple("deck.sort", "deck.id"), ">", tuple(Number(sort), String(deck))),
    )
    .limit(limit - rest.length)
    .execute();
  return placed([...rest, ...further]);
}

function newCardsByDeck(db: Db, account: string) {
  // A cross join, so that SQLite walks the decks in their order and then the cards of each.
  return db
    .selectFrom("deck")
    .crossJoin("card")
    .select(["deck.sort", "deck.id as deck_id", "card.pos", "card.id"])
    .select(smallDocument("card"))
    .where("deck.account", "=", account)
    .where("deck.live", "=", 1)
    .where("card.account", "=", account)
    .where("card.deck_id", "=", sql.ref<string>("deck.id"))
    .where("card.ready", "=", 1)
    .where("card.due_at", "is", null)
    .orderBy("deck.sort")
    .orderBy("deck.id")
    .orderBy("card.pos")
    .orderBy("card.id");
}

interface NewRow {
  readonly sort: number;
  readonly deck_id: string;
  readonly pos: Uint8Array;
  readonly id: string;
  readonly document: string | null;
}

const placed = (rows: readonly NewRow[]): DueCard[] =>
  rows.map(({ sort, deck_id, pos, id, document }) => ({
    id,
    document,
    place: [sort, deck_id, positionText(pos), id],
  }));
