import type { ContentFacts } from "../../cards/index.ts";
import { jsonCodec } from "../../codecs/json.ts";
import {
  type Card,
  type CardCreate,
  type CardUpdate,
  card as cardKind,
  type Review,
} from "../../schema/index.ts";
import type { Place } from "../bookmarks.ts";
import { positionBytes } from "../positions.ts";
import type { CardFacts, CardRow, ReviewRow } from "../store/tables.ts";

/** A Card as this service answers it (service.md): no field is ever missing, whatever Cards of other services lack. */
export interface WholeCard extends Omit<Card, "attachments"> {
  readonly content: string;
  readonly name: string | null;
  readonly "deck-id": string;
  readonly "template-id": string | null;
  readonly pos: string;
  readonly tags: readonly string[];
  readonly references: readonly string[];
  readonly reviews: readonly WholeReview[];
  readonly fields: NonNullable<CardCreate["fields"]>;
  readonly "created-at": string;
  readonly "updated-at": string;
  readonly "new?": boolean;
  readonly "archived?": boolean;
  readonly "trashed?": string | null;
  readonly "review-reverse?": boolean;
}

interface WholeReview extends Review {
  readonly date: string;
  readonly due: string;
}

/** What is known of a card. */
export interface KnownCard {
  readonly card: WholeCard;
  readonly facts: CardFacts;
}

/** The card that a document tells. */
export const cardOf = (document: string) => jsonCodec.decode(cardKind, document) as WholeCard;

export const knownCard = (row: CardRow): KnownCard => ({
  card: cardOf(row.document),
  facts: JSON.parse(row.facts) as CardFacts,
});

/** Where a card stands in lists: its deck, its position, its id. */
export function placeOf(document: string): Place {
  // Only text is looked at: there is nothing to normalise.
  const card = JSON.parse(document) as WholeCard;
  return [card["deck-id"], card.pos, card.id];
}

/** The row of a card; what queries ask about follows from what is known of it. */
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

/** What a card begins as, before anything is said of it. */
export function blankCard(id: string, deckId: string, pos: string, now: number): KnownCard {
  const card: WholeCard = {
    id,
    content: "",
    name: null,
    "deck-id": deckId,
    "template-id": null,
    pos,
    tags: [],
    references: [],
    reviews: [],
    fields: {},
    "created-at": instant(now),
    "updated-at": instant(now),
    "new?": true,
    "archived?": false,
    "trashed?": null,
    "review-reverse?": false,
  };
  return { card, facts: { "manual-tags": [], "content-name": null, "inline-tags": [] } };
}

/**
 * What is known of a card after a create or an update.
 *
 * @param found what follows from the content, where a content is given.
 */
export function changedCard(
  before: KnownCard,
  values: CardUpdate,
  found: ContentFacts | undefined,
  now: number,
): KnownCard {
  const facts: CardFacts = {
    "manual-tags": values["manual-tags"]?.map(withoutHash) ?? before.facts["manual-tags"],
    "content-name": found ? found.name : before.facts["content-name"],
    "inline-tags": found?.tags ?? before.facts["inline-tags"],
  };
  const { "manual-tags": _tags, ...given } = values;
  const fields = values.fields ?? before.card.fields;
  const card: WholeCard = {
    ...before.card,
    ...(given as Partial<WholeCard>),
    fields,
    name: primaryField(fields) ?? facts["content-name"],
    tags: [...new Set([...facts["manual-tags"], ...facts["inline-tags"]])],
    references: found?.references ?? before.card.references,
    "updated-at": instant(now),
  };
  return { card, facts };
}

/** Tags are written without a leading `#` (service-api.md, Card), however a client sends them. */
const withoutHash = (tag: string) => tag.replace(/^#+/, "");

/** A card with the reviews that it has now. */
export function reviewedCard({ card, facts }: KnownCard, reviews: readonly ReviewRow[]): KnownCard {
  return { card: { ...card, reviews: reviews.map(reviewOf), "new?": reviews.length === 0 }, facts };
}

/** The value of the template's primary field, the one whose id is `name` (cards.md); undefined where it is blank. */
function primaryField(fields: WholeCard["fields"]): string | undefined {
  const value = Object.hasOwn(fields, "name") ? fields["name"]?.value : undefined;
  return value === undefined || value.trim() === "" ? undefined : value;
}

/** A Review of the API. */
function reviewOf(row: ReviewRow): WholeReview {
  return {
    date: instant(row.date),
    due: instant(row.due),
    "remembered?": row.remembered === 1,
    ...(row.duration === null ? {} : { duration: row.duration }),
  };
}

const instant = (ms: number) => new Date(ms).toISOString();
