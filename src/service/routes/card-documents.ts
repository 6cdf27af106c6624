import type { ContentFacts } from "../../markdown/index.ts";
import type { Card, CardUpdate, Review } from "../../schema/index.ts";
import { positionText } from "../positions.ts";
import { reviewsOf } from "../store/reviews.ts";
import type { CardDocument, CardRow, Db, ReviewRow } from "../store/tables.ts";

export const documentOf = (row: Pick<CardRow, "document">) => JSON.parse(row.document) as CardDocument;

/**
 * The document of a card after a create (`before` is undefined) or an update.
 *
 * @param facts what follows from the content, where a content is given.
 */
export function documentWith(
  before: CardDocument | undefined,
  values: CardUpdate,
  facts: ContentFacts | undefined,
): CardDocument {
  const fields = values.fields ?? before?.fields ?? {};
  const contentName = facts ? facts.name : (before?.["content-name"] ?? null);
  return {
    content: values.content ?? before?.content ?? "",
    fields,
    name: primaryField(fields) ?? contentName,
    "content-name": contentName,
    "template-id": kept(values["template-id"], before?.["template-id"]),
    "manual-tags": values["manual-tags"]?.map(withoutHash) ?? before?.["manual-tags"] ?? [],
    "inline-tags": facts?.tags ?? before?.["inline-tags"] ?? [],
    references: facts?.references ?? before?.references ?? [],
    "archived?": values["archived?"] ?? before?.["archived?"] ?? false,
    "trashed?": kept(values["trashed?"], before?.["trashed?"]),
    "review-reverse?": values["review-reverse?"] ?? before?.["review-reverse?"] ?? false,
  };
}

/** Tags are written without a leading `#` (service-api.md, Card), however a client sends them. */
export const withoutHash = (tag: string) => tag.replace(/^#+/, "");

/** Whether a card with this document may be due at all. */
export const isReady = (document: CardDocument): 0 | 1 =>
  document["archived?"] || document["trashed?"] !== null ? 0 : 1;

/** A value that null clears: given, or as it was. */
const kept = (value: string | null | undefined, before: string | null | undefined) =>
  value === undefined ? (before ?? null) : value;

/** The value of the template's primary field, the one whose id is `name` (cards.md); undefined where it is blank. */
function primaryField(fields: CardDocument["fields"]): string | undefined {
  const value = Object.hasOwn(fields, "name") ? fields["name"]?.value : undefined;
  return value === undefined || value.trim() === "" ? undefined : value;
}

/** A Card as this service answers it: no field is ever missing, whatever Cards of other services lack. */
type WholeCard = Required<Omit<Card, "attachments">>;

/** Cards of the API, with their review history. */
export async function cardsOf(db: Db, account: string, rows: readonly CardRow[]): Promise<WholeCard[]> {
  const reviewed = rows.filter((row) => row.due_at !== null).map((row) => row.id);
  const reviews = await reviewsOf(db, account, reviewed);
  return rows.map((row) => cardOf(row, reviews.get(row.id) ?? []));
}

/** A Card of the API: every answer that holds one has the same fields (service.md). */
export function cardOf(row: CardRow, reviews: readonly ReviewRow[]): WholeCard {
  const document = documentOf(row);
  return {
    id: row.id,
    content: document.content,
    name: document.name,
    "deck-id": row.deck_id,
    "template-id": document["template-id"],
    pos: positionText(row.pos),
    tags: [...new Set([...document["manual-tags"], ...document["inline-tags"]])],
    references: document.references,
    reviews: reviews.map(reviewOf),
    fields: document.fields,
    "created-at": instant(row.created_at),
    "updated-at": instant(row.updated_at),
    "new?": row.due_at === null,
    "archived?": document["archived?"],
    "trashed?": document["trashed?"],
    "review-reverse?": document["review-reverse?"],
  };
}

/** A Review of the API. */
function reviewOf(row: ReviewRow): Review {
  return {
    date: instant(row.date),
    due: instant(row.due),
    "remembered?": row.remembered === 1,
    ...(row.duration === null ? {} : { duration: row.duration }),
  };
}

const instant = (ms: number) => new Date(ms).toISOString();
