import { Buffer } from "node:buffer";
import type { QueryCreator, SelectQueryBuilder } from "kysely";
import type { Place } from "../bookmarks.ts";
import { positionBytes, positionText } from "../positions.ts";
import { prepared } from "./prepared.ts";
import type { CardRow, Db, Tables } from "./tables.ts";

interface Named {
  readonly account: string;
  readonly id: string;
}

const byId = prepared((db, { account, id }: Named) =>
  db.selectFrom("card").selectAll().where("account", "=", account).where("id", "=", id),
);
const idById = prepared((db, { account, id }: Named) =>
  db.selectFrom("card").select("id").where("account", "=", account).where("id", "=", id),
);
const insert = prepared((db, row: CardRow) => db.insertInto("card").values(columns(row)));
const update = prepared((db, row: CardRow) =>
  db.updateTable("card").set(columns(row)).where("account", "=", row.account).where("id", "=", row.id),
);
const lastInDeck = prepared((db, { account, deckId }: { account: string; deckId: string }) =>
  db
    .selectFrom("card")
    .select("pos")
    .where("account", "=", account)
    .where("deck_id", "=", deckId)
    .orderBy("pos", "desc")
    .limit(1),
);

const columns = ({ account, id, deck_id, pos, ready, due_at, document, facts }: CardRow): CardRow => ({
  account,
  id,
  deck_id,
  pos,
  ready,
  due_at,
  document,
  facts,
});

export async function cardById(db: Db, account: string, id: string): Promise<CardRow | undefined> {
  return (await byId(db, { account, id }))[0];
}

export async function cardExists(db: Db, account: string, id: string): Promise<boolean> {
  return (await idById(db, { account, id })).length > 0;
}

export async function insertCard(db: Db, row: CardRow): Promise<void> {
  await insert(db, row);
}

export async function updateCard(db: Db, row: CardRow): Promise<void> {
  await update(db, row);
}

/** Removes a card; its reviews and attachment rows go with it. */
export async function deleteCard(db: Db, account: string, id: string): Promise<void> {
  await db.deleteFrom("card").where("account", "=", account).where("id", "=", id).execute();
}

/** The highest position in a deck; undefined if the deck has no cards. */
export async function lastCardPosition(db: Db, account: string, deckId: string): Promise<string | undefined> {
  const [row] = await lastInDeck(db, { account, deckId });
  return row && positionText(row.pos);
}

/** A page of cards. */
interface Page {
  readonly account: string;
  readonly limit: number;
  readonly before: string;
  readonly behind: string;
}
interface PageOfDeck extends Page {
  readonly deckId: string;
}
interface CardPlace {
  readonly afterDeck: string;
  readonly afterPos: Uint8Array;
  readonly afterId: string;
}

const allCards = (db: QueryCreator<Tables>, { account, limit }: Page) =>
  db
    .selectFrom("card")
    .select("document")
    .where("account", "=", account)
    .orderBy("deck_id")
    .orderBy("pos")
    .orderBy("id")
    .limit(limit);
const cardsOfDeck = (db: QueryCreator<Tables>, page: PageOfDeck) =>
  allCards(db, page).where("deck_id", "=", page.deckId);

/**
 * The documents of a page in one value: as UTF-8, one a line, with commas between. A row of its own for each would cost
 * more than what is in it. They stand in the order of the page, which its limit keeps the engine from passing over.
 */
function together(
  db: QueryCreator<Tables>,
  { before, behind }: Page,
  cards: SelectQueryBuilder<Tables, "card", { document: string }>,
) {
  return db.selectFrom(cards.as("page")).select(({ cast, eb, fn, val }) => {
    const documents = eb(val(before), "||", fn<string>("group_concat", ["document", val(",\n")]));
    return cast<Uint8Array | null>(eb(documents, "||", val(behind)), "blob").as("documents");
  });
}

const first = prepared((db, page: Page) => together(db, page, allCards(db, page)));
const firstOfDeck = prepared((db, page: PageOfDeck) => together(db, page, cardsOfDeck(db, page)));
const next = prepared((db, page: Page & CardPlace) => {
  const { afterDeck, afterPos, afterId } = page;
  const after = allCards(db, page).where(({ eb, refTuple, tuple }) =>
    eb(refTuple("deck_id", "pos", "id"), ">", tuple(afterDeck, afterPos, afterId)),
  );
  return together(db, page, after);
});
const nextOfDeck = prepared((db, page: PageOfDeck & CardPlace) => {
  const { afterPos, afterId } = page;
  const after = cardsOfDeck(db, page).where(({ eb, refTuple, tuple }) =>
    eb(refTuple("pos", "id"), ">", tuple(afterPos, afterId)),
  );
  return together(db, page, after);
});

export interface PageOptions {
  /** Undefined for the cards of all decks. */
  readonly deckId: string | undefined;
  /** Undefined for the start. */
  readonly after: Place | undefined;
  readonly limit: number;
  /** What is to stand before the documents, and behind them. */
  readonly before: string;
  readonly behind: string;
}

/**
 * The documents of the cards after a place, in the order of lists (by deck id, then position, then id): as UTF-8, one a
 * line, with commas between.
 *
 * @returns undefined where there are none.
 */
export async function cardsAfter(db: Db, account: string, options: PageOptions): Promise<Buffer | undefined> {
  const { deckId, after, ...page } = options;
  const documents = (await pageAfter(db, { account, ...page }, deckId, after))[0]?.documents;
  return documents ? Buffer.from(documents.buffer, documents.byteOffset, documents.length) : undefined;
}

function pageAfter(db: Db, page: Page, deckId: string | undefined, after: Place | undefined) {
  if (after === undefined)
    return deckId === undefined ? first(db, page) : firstOfDeck(db, { ...page, deckId });
  const [afterDeck = "", pos = "", afterId = ""] = after.map(String);
  const place = { afterDeck, afterPos: positionBytes(pos), afterId };
  return deckId === undefined
    ? next(db, { ...page, ...place })
    : nextOfDeck(db, { ...page, ...place, deckId });
}
