import { type ExpressionBuilder, sql } from "kysely";
import { beyond, type Listed, rowById, smallDocument } from "./documents.ts";
import { positionBytes, positionText } from "./positions.ts";
import { type Db, type DeckRow, type Place, same, type Tables } from "./tables.ts";

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

/** Reviewed cards; those of one deck that are due at the same instant by their position, as its index has them. */
async function reviewedCards(
  db: Db,
  account: string,
  { deckId, before, after, limit }: DueQuestion,
): Promise<Listed[]> {
  let query = readyCards(db, account)
    .select(["id", "due_at", "pos"])
    .select(smallDocument("card"))
    .where("due_at", "<", before)
    .where(inLiveDeck)
    .orderBy("due_at");
  if (deckId !== undefined) query = query.where(same({ deck_id: deckId })).orderBy("pos");
  if (after !== undefined) {
    const [due, pos, id] = after;
    query = query.where(
      deckId === undefined
        ? beyond(["due_at", "id"], after)
        : beyond(["due_at", "pos", "id"], [due, positionBytes(String(pos)), id]),
    );
  }
  const rows = await query.orderBy("id").limit(limit).execute();
  return rows.map(({ id, due_at, pos, document }) => ({
    id,
    document,
    place: deckId === undefined ? [Number(due_at), id] : [Number(due_at), positionText(pos), id],
  }));
}

/** Cards that are neither archived nor trashed themselves. */
export const readyCards = (db: Db, account: string) =>
  db
    .selectFrom("card")
    .where(same({ account }))
    // Written out, not a parameter: otherwise the partial index card_due_order would not apply.
    .where("ready", "=", sql.lit(1));

/** Not `exists`, which PostgreSQL may turn into a join and then sorts all due cards. */
export const inLiveDeck = (eb: ExpressionBuilder<Tables, "card">) =>
  eb(
    eb
      .selectFrom("deck")
      .select("deck.live")
      .where("deck.account", "=", eb.ref("card.account"))
      .where("deck.id", "=", eb.ref("card.deck_id")),
    "=",
    1,
  );

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
    const [sort, id, pos, card] = after;
    deck = { sort: Number(sort), id: String(id) };
    if ((await rowById(db, "deck", account, deck.id))?.live === 1)
      found.push(...(await newCardsOf(db, account, deck, { after: [String(pos), String(card)], limit })));
    if (deckId !== undefined) return found;
  }
  while (found.length < limit) {
    const decks = await decksWithNewCards(db, account, { deckId, after: deck });
    for (deck of decks) {
      if (found.length < limit)
        found.push(
          ...(await newCardsOf(db, account, deck, { after: undefined, limit: limit - found.length })),
        );
    }
    if (decks.length < someDecks) break;
  }
  return found;
}

/** The next live decks that have new cards, in the order of decks. */
function decksWithNewCards(
  db: Db,
  account: string,
  { deckId, after }: { readonly deckId: string | undefined; readonly after: DeckPlace | undefined },
): Promise<DeckPlace[]> {
  let query = db
    .selectFrom("deck")
    .select(["deck.sort", "deck.id"])
    .where("deck.account", "=", account)
    .where("deck.live", "=", 1)
    .where((eb) =>
      eb(
        eb
          .selectFrom("card")
          .select("card.id")
          .where("card.account", "=", account)
          .where("card.deck_id", "=", eb.ref("deck.id"))
          .where("card.ready", "=", sql.lit(1))
          .where("card.due_at", "is", null)
          .limit(1),
        "is not",
        null,
      ),
    );
  if (deckId !== undefined) query = query.where("deck.id", "=", deckId);
  if (after !== undefined) query = query.where(beyond(["deck.sort", "deck.id"], [after.sort, after.id]));
  return query.orderBy("deck.sort").orderBy("deck.id").limit(someDecks).execute();
}

/** The new cards of a live deck. @param after the position and the id of one of them */
async function newCardsOf(
  db: Db,
  account: string,
  deck: DeckPlace,
  { after, limit }: { readonly after: readonly [string, string] | undefined; readonly limit: number },
): Promise<Listed[]> {
  let query = readyCards(db, account)
    .select(["pos", "id"])
    .select(smallDocument("card"))
    .where(same({ deck_id: deck.id }))
    .where("due_at", "is", null);
  if (after !== undefined) {
    const [pos, id] = after;
    query = query.where(beyond(["pos", "id"], [positionBytes(pos), id]));
  }
  const rows = await query.orderBy("pos").orderBy("id").limit(limit).execute();
  return rows.map(({ pos, id, document }) => ({
    id,
    document,
    place: [deck.sort, deck.id, positionText(pos), id],
  }));
}
