import type { ContentFacts } from "../../cards/index.ts";
import { jsonCodec } from "../../codecs/json.ts";
import {
  type Card,
  type CardCreate,
  type CardUpdate,
  card as cardKind,
  parseInstant,
  type Review,
} from "../../schema/index.ts";
import type { Service } from "../route.ts";
import { positionBytes } from "../store/positions.ts";
import type { AttachmentRow, CardFacts, CardRow, ReviewRow } from "../store/tables.ts";

type Filled<T> = { readonly [K in keyof T]-?: NonNullable<T[K]> };
type Different = "name" | "template-id" | "trashed?" | "references" | "reviews" | "fields" | "attachments";

/** A Card as this service answers it (docs/design/service.md): no field is missing. */
export interface WholeCard extends Omit<Filled<Card>, Different> {
  readonly name: string | null;
  readonly "template-id": string | null;
  readonly references: readonly string[];
  readonly reviews: readonly (Review & { readonly date: string; readonly due: string })[];
  readonly fields: NonNullable<CardCreate["fields"]>;
  /** By file name. */
  readonly attachments: Readonly<Record<string, { readonly size: number; readonly type: string }>>;
  readonly "trashed?": string | null;
}

/** A card, and what its content says. */
export interface KnownCard {
  readonly card: WholeCard;
  readonly facts: CardFacts;
}

/** Reads the document of a row. */
export const cardOf = (document: string) => jsonCodec.decode(cardKind, document) as WholeCard;

/** Whether the document of a card can be answered: one wrong bit may make it no JSON. */
export function isReadable(document: string): boolean {
  try {
    return typeof (JSON.parse(document) as Partial<WholeCard>).content === "string";
  } catch {
    return false;
  }
}

/** For lists: a card that is damaged is reported and left out. */
export const leavingDamagedOut =
  ({ onDamaged }: Pick<Service, "onDamaged">) =>
  ({ id, document }: { readonly id: string; readonly document: string }): boolean => {
    if (isReadable(document)) return true;
    onDamaged(id);
    return false;
  };

export const knownCard = (row: CardRow): KnownCard => ({
  card: cardOf(row.document),
  facts: JSON.parse(row.facts) as CardFacts,
});

/** The row of a card, with the columns that queries use. */
export function rowOf(account: string, { card, facts }: KnownCard): CardRow {
  const due = card.reviews.at(-1)?.due;
  return {
    account,
    id: card.id,
    deck_id: card["deck-id"],
    pos: positionBytes(card.pos),
    ready: card["archived?"] || card["trashed?"] !== null ? 0 : 1,
    due_at: due === undefined ? null : Date.parse(due),
    document: jsonCodec.encode(cardKind, card),
    facts: JSON.stringify(facts),
  };
}

/** A card before any field is set. */
export function blankCard(id: string, deckId: string, pos: string, now: number): KnownCard {
  const card: WholeCard = {
    id,
    content: "",
    name: null,
    "deck-id": deckId,
    "template-id": null,
    pos,
    tags: [],
    "manual-tags": [],
    references: [],
    reviews: [],
    fields: {},
    attachments: {},
    "created-at": instant(now),
    "updated-at": instant(now),
    "new?": true,
    "archived?": false,
    "trashed?": null,
    "review-reverse?": false,
  };
  return { card, facts: { "content-name": null, "inline-tags": [] } };
}

/**
 * A card after a create or an update.
 *
 * @param found what the new content says, where there is one.
 */
export function changedCard(
  before: KnownCard,
  values: CardUpdate,
  found: ContentFacts | undefined,
  now: number,
): KnownCard {
  const facts: CardFacts =
    found === undefined
      ? before.facts
      : { ...before.facts, "content-name": found.name, "inline-tags": found.tags };
  const manualTags = values["manual-tags"]?.map(withoutHash) ?? before.card["manual-tags"];
  const fields = values.fields ?? before.card.fields;
  const card: WholeCard = {
    ...before.card,
    ...(values as Partial<WholeCard>),
    fields,
    name: primaryField(fields) ?? facts["content-name"],
    tags: [...new Set([...manualTags, ...facts["inline-tags"]])],
    "manual-tags": manualTags,
    references: found?.references ?? before.card.references,
    "updated-at": instant(now),
  };
  return { card, facts };
}

/** Tags are written without a leading `#` (service-api.md, Card), however a client sends them. */
const withoutHash = (tag: string) => tag.replace(/^#+/, "");

/** A card with other attachments. @param files all of them, by file name. */
export function cardWithFiles({ card, facts }: KnownCard, files: readonly AttachmentRow[]): KnownCard {
  const attachments: Record<string, { size: number; type: string }> = Object.create(null);
  for (const { file_name, size, type } of files) attachments[file_name] = { size, type };
  return { card: { ...card, attachments }, facts };
}

/**
 * A card with other reviews.
 *
 * @param reviews all of them, oldest first
 * @param memory what the last of them left; unchanged if absent
 */
export function reviewedCard(
  { card, facts }: KnownCard,
  reviews: readonly ReviewRow[],
  memory: CardFacts["memory"] = facts.memory,
): KnownCard {
  return {
    card: { ...card, reviews: reviews.map(reviewOf), "new?": reviews.length === 0 },
    facts: { ...facts, memory },
  };
}

/** The value of the template's primary field, the one whose id is `name` (cards.md); undefined where it is blank. */
function primaryField(fields: WholeCard["fields"]): string | undefined {
  const value = Object.hasOwn(fields, "name") ? fields["name"]?.value : undefined;
  return value === undefined || value.trim() === "" ? undefined : value;
}

/** A Review of the API. */
function reviewOf(row: ReviewRow): WholeCard["reviews"][number] {
  return {
    date: instant(row.date),
    due: instant(row.due),
    "remembered?": row.remembered === 1,
    ...(row.duration === null ? {} : { duration: row.duration }),
  };
}

/** The row of a review of the API. */
export const reviewRow = (
  card: Pick<CardRow, "account" | "id">,
  date: number,
  review: Omit<Review, "date">,
): ReviewRow => ({
  account: card.account,
  card_id: card.id,
  date,
  due: review.due == null ? date : parseInstant(review.due),
  due_given: review.due == null ? 0 : 1,
  remembered: review["remembered?"] ? 1 : 0,
  duration: review.duration ?? null,
});

const instant = (ms: number) => new Date(ms).toISOString();
