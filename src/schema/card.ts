import {
  array,
  boolean,
  creation,
  instant,
  keyword,
  number,
  object,
  type Received,
  record,
  type Sent,
  set,
  string,
  timestamp,
  unknown,
} from "./kinds.ts";

/** A review of a card. Older reviews have no duration. */
const reviewFields = {
  date: instant({ about: "When the card was reviewed." }),
  due: instant({ about: "When it is due again.", day: true }),
  "remembered?": boolean({ about: "Whether the card was remembered." }),
  duration: number({ min: 0, about: "Seconds the review took." }),
} as const;

export const review = object(reviewFields);
export type Review = Received<typeof review>;

/** The due answer writes review instants in transit as `~t<ms>` (docs/design/wire.md, Documents). */
const dueReview = object({
  ...reviewFields,
  date: instant({ ...reviewFields.date, transit: "~t" }),
  due: instant({ ...reviewFields.due, transit: "~t" }),
});

const fieldValue = object(
  { id: keyword({ about: "Equal to the map key." }), value: string({ about: "The value of the field." }) },
  ["id", "value"],
);

const content = string({ about: "Markdown; ignored when the card is rendered if fields are supplied." });
const deckId = keyword({ about: "The deck holding the card." });
const pos = string({ notEmpty: true, about: "Position in the deck: cards sort lexicographically by it." });
const archived = boolean({ about: "Whether the card is archived." });
const trashed = { nullable: true, about: "When the card was trashed." } as const;
const reviewReverse = boolean({
  about: "Whether the card is also reviewed from its last side to its first.",
});
const fields = record(fieldValue, { keyed: true, about: "Values for the fields of the template." });

/** A card, as all answers but the due one have it. */
export const card = object({
  id: keyword({ needed: true, about: "Assigned by the service." }),
  content,
  name: string({ about: "The card's name, made by the service." }),
  "deck-id": deckId,
  "template-id": keyword({ about: "The template used by the card." }),
  pos,
  tags: set(string(), { about: "The card's tags, without a leading #." }),
  "manual-tags": set(string(), { about: "Those tags that are not in the content." }),
  references: set(unknown(), { about: "Other cards that the content names." }),
  reviews: array(review, { about: "The review history." }),
  fields,
  attachments: unknown({ about: "The card's files: a map from file name to size and type." }),
  "created-at": instant({ about: "When the card was created." }),
  "updated-at": instant({ about: "When the card was last changed." }),
  "new?": boolean({ about: "Whether the card was never reviewed." }),
  "archived?": archived,
  "trashed?": instant(trashed),
  "review-reverse?": reviewReverse,
});
export type Card = Received<typeof card>;

/** A card in the due answer: only the documented keys. */
export const dueCard = object({
  id: card.fields.id,
  content,
  name: card.fields.name,
  "deck-id": deckId,
  attachments: card.fields.attachments,
  pos,
  reviews: array(dueReview),
  "created-at": card.fields["created-at"],
  "new?": card.fields["new?"],
});
export type DueCard = Received<typeof dueCard>;

const bodyFields = {
  content,
  "deck-id": deckId,
  "template-id": keyword({ nullable: true, about: "The template used by the card; null for none." }),
  "archived?": archived,
  "review-reverse?": reviewReverse,
  pos,
  "manual-tags": set(string({ notBlank: true, hash: true }), {
    about: "Tags without a leading #; they replace those set before.",
  }),
  fields,
} as const;
const transitKeys = { "manual-tags": "tags" };

export const cardCreate = object(bodyFields, ["content", "deck-id"], { transitKeys });
export type CardCreate = Sent<typeof cardCreate>;
export const cardCreation = creation(cardCreate);
export type CardCreation = Sent<typeof cardCreation>;

export const cardUpdate = object({ ...bodyFields, "trashed?": timestamp(trashed) }, [], { transitKeys });
export type CardUpdate = Sent<typeof cardUpdate>;

const outcomeFields = {
  "remembered?": boolean({ about: "Whether the card was remembered." }),
  duration: number({ min: 0, about: "Seconds the review took." }),
  due: timestamp({ about: "When the card is due again; computed if absent." }),
} as const;

/** The reviews extension of the local service (docs/design/service.md, Extensions). */
export const reviewCreate = object(
  {
    date: timestamp({
      about: "When the card was reviewed; now if absent. The same date twice is one review.",
    }),
    ...outcomeFields,
    after: timestamp({
      nullable: true,
      about:
        "The date of the last review that the client knows of, null for none: 412 if there is a newer one.",
    }),
  },
  ["remembered?"],
);

/** A past review, as an import has it. */
export const pastReview = object(
  {
    date: timestamp({ about: "When the card was reviewed. The same date twice is one review." }),
    ...outcomeFields,
  },
  ["date", "remembered?"],
);
export type PastReview = Sent<typeof pastReview>;

export const reviewsAdd = object({ reviews: array(pastReview, { about: "Reviews of the card." }) }, [
  "reviews",
]);
