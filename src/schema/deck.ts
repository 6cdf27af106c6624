import {
  boolean,
  creation,
  instant,
  integer,
  keyword,
  object,
  type Received,
  type Sent,
  string,
  timestamp,
} from "./kinds.ts";
import { deckSettings } from "./today.ts";

/** Exactly the documented values, including both spellings of lexicographically. */
export const sortByValues = [
  "none",
  "lexigraphically",
  "lexicographically",
  "created-at",
  "updated-at",
  "retention-rate-asc",
  "interval-length",
] as const;
export const cardsViewValues = ["list", "grid", "note", "column"] as const;

const trashed = {
  nullable: true,
  about: "When the deck was trashed, and its cards and child decks with it.",
} as const;

const bodyFields = {
  name: string({ notBlank: true, about: "The deck's name." }),
  "parent-id": keyword({ nullable: true, about: "The deck above it; null for none." }),
  sort: integer({ about: "Decks sort numerically by this." }),
  "trashed?": timestamp(trashed),
  "archived?": boolean({ about: "Whether its cards are left out of new and due cards." }),
  "sort-by": keyword({ values: sortByValues, about: "How cards are sorted on the deck page." }),
  "cards-view": keyword({ values: cardsViewValues, about: "How cards are shown on the deck page." }),
  "show-sides?": boolean({ about: "Whether the deck page shows all sides of a card." }),
  "sort-by-direction": boolean({ about: "Whether the card sort order is reversed." }),
  "review-reverse?": boolean({ about: "Whether its cards are also reviewed from bottom to top." }),
  ...deckSettings,
} as const;

export const deckCreate = object(bodyFields, ["name"]);
export type DeckCreate = Sent<typeof deckCreate>;
export const deckCreation = creation(deckCreate);

export const deckUpdate = object(bodyFields);
export type DeckUpdate = Sent<typeof deckUpdate>;

/** A deck; `card-count` only in the answer to a single one. */
export const deck = object({
  id: keyword({ needed: true, about: "Assigned by the service." }),
  ...bodyFields,
  "trashed?": instant(trashed),
  "card-count": integer({ about: "How many cards the deck itself holds." }),
});
export type Deck = Received<typeof deck>;

/** A deck in lists: id, sort and name are documented; services also send the others where they are set. */
export const deckItem = object({
  id: deck.fields.id,
  sort: deck.fields.sort,
  name: deck.fields.name,
  "parent-id": deck.fields["parent-id"],
  "archived?": deck.fields["archived?"],
  "trashed?": deck.fields["trashed?"],
});
