import { isDeepStrictEqual } from "node:util";
import { type RawBuilder, sql } from "kysely";
import {
  blankCard,
  cardOf,
  cardWithFiles,
  isReadable,
  type KnownCard,
  reviewedCard,
  reviewRow,
  rowOf,
  type WholeCard,
} from "../routes/card-documents.ts";
import { checksumOf } from "../store/checksums.ts";
import { deleteRow, updateRow } from "../store/documents.ts";
import type { Store } from "../store/index.ts";
import { deleteReview, putReviews } from "../store/reviews.ts";
import {
  type AttachmentRow,
  type CardFacts,
  type CardRow,
  type Db,
  type ReviewRow,
  type Stored,
  same,
} from "../store/tables.ts";
import { accountsOf, type Finding } from "./finding.ts";

/** A card with the rows that belong to it. */
interface CardRows {
  readonly row: Stored<CardRow>;
  readonly reviews: readonly ReviewRow[];
  readonly attachments: readonly AttachmentRow[];
}

// So many of the largest cards fit into memory.
const pageLength = 25;

/** Compares every card with its checksum, its columns, its reviews and its attachments. */
export async function* cardFindings(
  store: Store,
  progress: (cards: number) => void,
): AsyncGenerator<Finding> {
  let done = 0;
  for (const account of await accountsOf(store)) {
    const templates = await store.read((db) => templateIds(db, account));
    for (let after = ""; ; ) {
      // From the index alone: a row that differs from it must not lead back.
      const { rows: ids } = await store.read((db) =>
        sql<{ id: string }>`
          select id from card where account = ${account} and id > ${after} order by id limit ${pageLength}`.execute(
          db,
        ),
      );
      const last = ids.at(-1);
      if (last === undefined) break;
      after = last.id;
      const these = sql`id in (${sql.join(ids.map(({ id }) => id))})`;
      const page = await store.read((db) => cardsWhere(db, account, these));
      done += page.length;
      progress(done);
      for (const { row } of page.filter((rows) => problemOf(rows, templates) !== undefined))
        yield* findingOf(store, account, row.id);
    }
  }
}

/** Looks at a card again, at one moment: it may have been changed between two queries. */
async function* findingOf(store: Store, account: string, id: string): AsyncGenerator<Finding> {
  const { rows, templates } = await store.write(account, async (db) => ({
    rows: (await cardsWhere(db, account, same({ id }))).at(0),
    templates: await templateIds(db, account),
  }));
  const problem = rows && problemOf(rows, templates);
  if (rows === undefined || problem === undefined) return;
  const cards = [{ id, name: readable(rows.row)?.card.name ?? null }];
  yield { part: "cards", item: `card ${id}`, problem, cards, repair: repairOf(store, rows) };
}

/** Cards with all their rows. */
async function cardsWhere(db: Db, account: string, which: RawBuilder<unknown>): Promise<CardRows[]> {
  const { rows: cards } = await sql<Stored<CardRow>>`
    select * from card where account = ${account} and ${which} order by id`.execute(db);
  const ofThese = sql<boolean>`${same({ account })} and card_id in (${sql.join(cards.map(({ id }) => id))})`;
  const reviews = await db.selectFrom("review").selectAll().where(ofThese).orderBy("date").execute();
  const files = db.selectFrom("attachment").selectAll().where(ofThese);
  const attachments = await files.orderBy("file_name").execute();
  return cards.map((row) => ({
    row,
    reviews: reviews.filter(({ card_id }) => card_id === row.id),
    attachments: attachments.filter(({ card_id }) => card_id === row.id),
  }));
}

/** What is wrong with a card; undefined where its rows are those that a repair would write. */
function problemOf(rows: CardRows, templates: ReadonlySet<string>): string | undefined {
  const { row, reviews } = rows;
  const mended = mendedRows(rows, templates);
  if (mended === undefined) return "its document is damaged";
  if (row.checksum !== checksumOf("card", row)) return "its document or a column has another checksum";
  if (!isDeepStrictEqual(plain(reviews), plain(mended.reviews)))
    return "its reviews differ from its document";
  const { checksum: _, ...columns } = row;
  return isDeepStrictEqual(comparable(columns), comparable(mended.row))
    ? undefined
    : "its document, its columns, its attachments and the templates contradict each other";
}

/** A row without what differs only in how it is written. */
const comparable = ({ pos, document, facts, ...columns }: CardRow) =>
  plain({
    ...columns,
    pos: Buffer.from(pos).toString("hex"),
    card: isReadable(document) ? cardOf(document) : document,
    facts: JSON.parse(facts),
  });

/**
 * The rows of a card as they should be. One whose checksum fits has a good document, which its reviews follow. Otherwise
 * its reviews are those of their rows, and its text stays as it can be read; its attachments are always those of their rows.
 *
 * @returns undefined where nothing can be read
 */
function mendedRows(
  { row, reviews, attachments }: CardRows,
  templates: ReadonlySet<string>,
): { readonly row: CardRow; readonly reviews: readonly ReviewRow[] } | undefined {
  const known = readable(row);
  if (known === undefined) return undefined;
  const isWhole = row.checksum === checksumOf("card", row);
  const kept = isWhole ? reviewRows(known.card, row.account, reviews) : reviews;
  const mended = cardWithFiles(reviewedCard(withPlace(known, templates), kept), attachments);
  return { row: rowOf(row.account, mended), reviews: kept };
}

/**
 * The document and facts of a card, if the text can be read. What is missing of the rest, or is of another type, is as in
 * a card before it is set.
 */
function readable(row: Stored<CardRow>): KnownCard | undefined {
  try {
    const isWhole = isReadable(row.document);
    const read = isWhole ? cardOf(row.document) : salvaged(row.document);
    const { card: blank } = blankCard(row.id, row.deck_id, firstPosition, 0);
    const values: Readonly<Record<string, unknown>> = { ...read, id: row.id };
    const whole = Object.entries(blank).map(([key, none]) => [
      key,
      isLike(none, values[key]) ? values[key] : none,
    ]);
    const card = Object.fromEntries(whole) as WholeCard;
    const facts = factsOf(row.facts, card);
    const named = { name: facts["content-name"], tags: facts["inline-tags"] };
    return { card: isWhole ? card : { ...card, ...named }, facts };
  } catch {
    return undefined;
  }
}

/** The text of a card whose document is no JSON any more, else all of the document: nothing that can be read is lost. */
function salvaged(document: string): Partial<WholeCard> {
  const text = /"content":("[^"\\]*(?:\\.[^"\\]*)*")/.exec(document)?.[1];
  try {
    return { content: JSON.parse(text ?? "") as string };
  } catch {
    return { content: document };
  }
}

/** Whether a value is of the type of another one; what is null in a blank card is text elsewhere. */
function isLike(other: unknown, value: unknown): boolean {
  if (other === null) return value === null || typeof value === "string";
  return typeof value === typeof other && value !== null && Array.isArray(value) === Array.isArray(other);
}

function factsOf(text: string, card: WholeCard): CardFacts {
  try {
    const facts = JSON.parse(text) as CardFacts;
    if (Array.isArray(facts["inline-tags"])) return facts;
  } catch {
    // The card repeats them.
  }
  const inline = card.tags.filter((tag) => !card["manual-tags"].includes(tag));
  return { "content-name": card.name, "inline-tags": inline };
}

/** Writes what a card should be; what was there is noted first. */
function repairOf(store: Store, rows: CardRows): NonNullable<Finding["repair"]> {
  const { row, reviews, attachments } = rows;
  const { account, id } = row;
  return async (aside) => {
    aside.note({ card: { ...row, pos: Buffer.from(row.pos).toString("hex") }, reviews, attachments });
    const mended = mendedRows(rows, await store.read((db) => templateIds(db, account)));
    await store.write(account, async (db) => {
      if (mended === undefined) return deleteRow(db, "card", account, id);
      for (const { date } of reviews) await deleteReview(db, account, id, date);
      await putReviews(db, mended.reviews);
      await updateRow(db, "card", mended.row);
    });
    if (mended === undefined) return "the card was removed";
    return row.checksum === checksumOf("card", row)
      ? "it was written again as it was"
      : "it was kept as it can be read: look at its text";
  };
}

const firstPosition = "a0";

/** With a position, and without a template that is missing. */
function withPlace({ card, facts }: KnownCard, templates: ReadonlySet<string>): KnownCard {
  const { pos, "template-id": template } = card;
  const found = template !== null && templates.has(template) ? template : null;
  return { card: { ...card, pos: pos === "" ? firstPosition : pos, "template-id": found }, facts };
}

const reviewRows = (card: WholeCard, account: string, stored: readonly ReviewRow[]): ReviewRow[] =>
  card.reviews.map((review) => {
    const row = reviewRow({ account, id: card.id }, Date.parse(review.date), review);
    return { ...row, due_given: stored.find(({ date }) => date === row.date)?.due_given === 1 ? 1 : 0 };
  });

async function templateIds(db: Db, account: string): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom("template").select("id").where(same({ account })).execute();
  return new Set(rows.map(({ id }) => id));
}

/** Without prototypes and absent keys, which JSON does not know. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
