import { card, cardCreation, cardUpdate, reviewsAdd } from "./card.ts";
import { deck, deckCreation, deckUpdate } from "./deck.ts";
import {
  array,
  boolean,
  integer,
  keyword,
  object,
  type Received,
  type Sent,
  string,
  unknown,
} from "./kinds.ts";
import { template, templateCreation } from "./template.ts";

/** What one batch may have at most (extension batch); one value is a text, a number, a list, and so on. */
export const batchLimits = { operations: 500, bytes: 4 * 1024 * 1024, values: 200_000 } as const;

/** The operations of a batch: the body that each has alone. */
export const batched = {
  "cards.create": cardCreation,
  "decks.create": deckCreation,
  "templates.create": templateCreation,
  "cards.update": cardUpdate,
  "decks.update": deckUpdate,
  "reviews.add": reviewsAdd,
} as const;
export type BatchedId = keyof typeof batched;

/** One operation of a batch: its body under its name. A creation carries its id in its body. */
export const batchOperation = object({
  id: keyword({ about: "What an update changes, or the card that reviews are of." }),
  "if-match": string({ about: "The entity tag that the document must have before an update." }),
  ...batched,
});
export type BatchOperation = Sent<typeof batchOperation>;

export const batch = object(
  {
    operations: array(batchOperation, {
      each: true,
      about: `Up to ${batchLimits.operations}, each with exactly one body; carried out in order.`,
    }),
  },
  ["operations"],
);

/** What became of an operation: what the answer to it alone would have said. */
export const batchResult = object({
  status: integer({ about: "The status that it would have had alone." }),
  "before?": boolean({ about: "Whether this creation was carried out by an earlier request." }),
  card,
  deck,
  template,
  errors: unknown({ about: "Why it was refused." }),
});
export type BatchResult = Received<typeof batchResult>;

export const batchResults = object({ results: array(batchResult, { needed: true }) });
