import { isDeepStrictEqual } from "node:util";
import {
  blankCard,
  cardOf,
  cardWithFiles,
  isReadable,
  type KnownCard,
  reviewedCard,
  rowOf,
  type WholeCard,
} from "../routes/card-documents.ts";
import { checksumOf } from "../store/checksums.ts";
import { deleteRow, updateRow } from "../store/documents.ts";
import type { Store } from "../store/index.ts";
import { deleteReview, putReviews } from "../store/reviews.ts";
import type { CardFacts, ReviewRow } from "../store/tables.ts";
import type { Finding } from "./finding.ts";
import { accountsOf, type CardRows, cardRows, readCard } from "./rows.ts";

/** Compares every card with its checksum, its columns, its reviews and its attachments. */
export async function* cardFindings(
  store: Store,
  progress: (cards: number) => void,
): AsyncGenerator<Finding> {
  let done = 0;
  for (const account of await accountsOf(store)) {
    const templates = await templateIds(store, account);
    for await (const page of cardRows(store, account)) {
      progress(++done);
      if (problemOf(page, templates) === undefined) continue;
      // It may have been changed between two queries.
      const rows = await readCard(store, account, page.id);
      const problem = rows && problemOf(rows, await templateIds(store, account));
      if (rows === undefined || problem === undefined) continue;
      const name = readable(rows)?.card.name ?? null;
      const finding = {
        part: "cards" as const,
        item: `card ${rows.id}`,
        problem,
        cards: [{ id: rows.id, name }],
      };
      yield rows.row === undefined ? finding : { ...finding, repair: repairOf(store, account, rows) };
    }
  }
}

/** What is wrong with a card; undefined if nothing is. */
function problemOf(rows: CardRows, templates: ReadonlySet<string>): string | undefined {
  const { row, reviews, attachments } = rows;
  if (row === undefined) return "it cannot be read";
  const known = readable(rows);
  if (known === undefined || !isReadable(row.document)) return "its document is damaged";
  if (row.checksum !== checksumOf("card", row)) return "its document or a column has another checksum";
  const { checksum: _, ...columns } = row;
  const expected = rowOf(row.account, known);
  for (const column of ["id", "deck_id", "pos", "ready", "due_at"] as const)
    if (!sameValue(columns[column], expected[column]))
      return `its column ${column} differs from its document`;
  if (!isDeepStrictEqual(plain(cardOf(row.document)), plain(known.card)))
    return "its document lacks what a card has";
  if (known.card.pos === "") return "its position is empty";
  // A blob, for example, would be read as 0.
  if (reviews.some(({ remembered, due_given }) => !isFlag(remembered) || !isFlag(due_given)))
    return "a review has a value that none has";
  if (!isDeepStrictEqual(plain(reviewedCard(known, reviews).card.reviews), plain(known.card.reviews)))
    return "its reviews differ from its document";
  if (
    !isDeepStrictEqual(
      plain(cardWithFiles(known, attachments).card.attachments),
      plain(known.card.attachments),
    )
  )
    return "its attachments differ from its document";
  const template = known.card["template-id"];
  if (template !== null && !templates.has(template)) return `its template ${template} is missing`;
  return undefined;
}

/**
 * The document and facts of a card, if the text can be read. What is missing of the rest, or is of another type, is as in
 * a card before it is set.
 */
function readable({ row }: Pick<CardRows, "row">): KnownCard | undefined {
  if (row === undefined) return undefined;
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

/**
 * A card whose checksum fits has a good document: its rows are written anew from it. Otherwise its reviews and attachments
 * are taken from their rows, and its text stays as it can be read. What was there is noted first.
 */
function repairOf(store: Store, account: string, rows: CardRows): NonNullable<Finding["repair"]> {
  return async (aside) => {
    const { row, reviews, attachments } = rows;
    if (row === undefined) throw new Error("it cannot be read");
    const { pos, ...columns } = row;
    aside.note({ card: { ...columns, pos: Buffer.from(pos).toString("hex") }, reviews, attachments });
    const isWhole = row.checksum === checksumOf("card", row);
    const known = readable(rows);
    if (known === undefined) {
      await store.write(account, (db) => deleteRow(db, "card", account, row.id));
      return "the card was removed";
    }
    const kept = isWhole ? reviewRows(known.card, rows) : reviews;
    const placed = withPlace(known, await templateIds(store, account));
    const mended = cardWithFiles(reviewedCard(placed, kept), attachments);
    await store.write(account, async (db) => {
      for (const { date } of reviews) await deleteReview(db, account, row.id, date);
      await putReviews(db, kept);
      await updateRow(db, "card", rowOf(account, mended));
    });
    return isWhole ? "it was written again as it was" : "it was kept as it can be read: look at its text";
  };
}

const firstPosition = "a0";

/** With a position, and without a template that is missing. */
function withPlace({ card, facts }: KnownCard, templates: ReadonlySet<string>): KnownCard {
  const { pos, "template-id": template } = card;
  const found = template !== null && templates.has(template) ? template : null;
  return { card: { ...card, pos: pos === "" ? firstPosition : pos, "template-id": found }, facts };
}

function reviewRows(card: WholeCard, { row, reviews }: CardRows): ReviewRow[] {
  return card.reviews.map((review) => {
    const date = Date.parse(review.date);
    return {
      account: row?.account ?? "",
      card_id: card.id,
      date,
      due: Date.parse(review.due),
      due_given: reviews.find((each) => each.date === date)?.due_given === 1 ? 1 : 0,
      remembered: review["remembered?"] ? 1 : 0,
      duration: review.duration ?? null,
    };
  });
}

async function templateIds(store: Store, account: string): Promise<ReadonlySet<string>> {
  const rows = await store.read((db) =>
    db.selectFrom("template").select("id").where("account", "=", account).execute(),
  );
  return new Set(rows.map(({ id }) => id));
}

const isFlag = (value: unknown) => value === 0 || value === 1;

const sameValue = (a: unknown, b: unknown) =>
  a instanceof Uint8Array && b instanceof Uint8Array ? Buffer.from(a).equals(b) : a === b;

/** Without prototypes and absent keys, which JSON does not know. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
