import { card, pastReview } from "./card.ts";
import {
  array,
  boolean,
  integer,
  keyword,
  object,
  type Received,
  type Sent,
  string,
  timestamp,
} from "./kinds.ts";

/** The extension `today` (docs/design/service.md, Extensions): what is asked today, one thing for every client. */

/** In which order cards are asked. */
export const orders = ["due", "easiest", "hardest", "deck", "random"] as const;
export type Order = (typeof orders)[number];

/** What an answer is, in words. */
export const outcomes = ["remembered", "forgotten"] as const;

/** Where new cards come among the others. */
export const newCardPlaces = ["first", "mixed", "last"] as const;
export type NewCards = (typeof newCardPlaces)[number];

const count = (about: string) => integer({ min: 0, about });

/** What a client may say otherwise than the account's settings. */
const settings = {
  order: keyword({ values: orders, about: "The order; what it is by default follows from the backlog." }),
  "new-per-day": count("How many new cards a day."),
  "max-per-day": count("How many cards a day, reviews and new ones."),
  "new-cards": keyword({ values: newCardPlaces, about: "Where new cards come among the others." }),
  "new-in-backlog": keyword({ values: ["yes", "no"], about: "Whether new cards are begun in a backlog." }),
};
const deckId = string({ about: "Only the part of this deck and of those under it." });

export const todayQuery = object({
  "deck-id": deckId,
  ...settings,
  overview: keyword({ values: ["yes", "no"], about: "Whether the figures of whole decks are wanted, too." }),
});
export type TodayQuery = Sent<typeof todayQuery>;

export const todayCardsQuery = object({
  "deck-id": deckId,
  ...settings,
  limit: integer({ min: 1, max: 100, about: "Cards a page, 1 to 100; 100 if absent." }),
  bookmark: string({ about: "The cursor that the page before gave." }),
});

const figures = {
  reviews: count("Reviews that are due."),
  new: count("New cards."),
  forgotten: count("Cards that were forgotten today and come back."),
};

export const today = object({
  today: object({
    ...figures,
    count: count("All of them."),
    seconds: count("How long they take."),
  }),
  decks: array(object({ id: keyword({ about: "Of a deck that has any." }), ...figures }), {
    about: "Each deck by itself.",
  }),
  done: object({ reviews: count("Reviewed today."), new: count("Begun today.") }),
  tomorrow: count("Reviews that are due tomorrow, those put off until then counted."),
  "put-off": count("Reviews that are due and put off until tomorrow."),
  order: keyword({ values: orders, about: "The order in which the cards are asked." }),
  backlog: boolean({ about: "Whether more is due than the day holds." }),
  left: count("Reviews that are left for later days."),
  held: count("New cards that are not begun today."),
  cards: array(
    object({ id: keyword({ about: "Of a deck that has any." }), cards: count("Its own cards.") }),
    {
      about: "With `overview`: the cards of each deck that a review may ask.",
    },
  ),
  streak: count("With `overview`: days in a row with a review, until today or yesterday."),
  ahead: array(count("Reviews that are due on that day."), {
    about: "With `overview`: the fourteen days after today.",
  }),
});
export type TodayFigures = Received<typeof today>;

/** A whole card, and as what it is asked. */
export const todayCard = object({
  ...card.fields,
  asked: keyword({ values: ["again", "review", "new"], about: "As what the card is asked." }),
});

export const todayPut = object({
  "put-off": boolean({ about: "Whether the card is not asked today." }),
  again: boolean({ about: "Whether the card is asked again today." }),
});
export type TodayPut = Sent<typeof todayPut>;

export const duePut = object({
  due: timestamp({
    nullable: true,
    about: "When the card is due; null makes it a new card again, without its reviews.",
  }),
});

/** The card as it is now, and what takes the change back: for `PUT …/due` a due date, for `POST …/history` reviews. */
export const dueChanged = object({
  ...card.fields,
  undo: object({
    due: timestamp({ about: "When the card was due." }),
    reviews: array(pastReview, { about: "The reviews that it had." }),
  }),
});

/** The extension `deck-settings`: what a deck has otherwise than the account, for itself and those under it. */
export const deckSettings = {
  retention: {
    kind: "number",
    nullable: true,
    min: 0.7,
    max: 0.99,
    about: "The share of its cards to be remembered when they are due; null for that of the deck above.",
  },
  "new-per-day": {
    ...count("How many of its new cards a day; null for no limit of its own."),
    nullable: true,
  },
  "max-per-day": { ...count("How many of its cards a day; null for no limit of its own."), nullable: true },
} as const;

/** A deck's body without its settings, for a service that has none, and the names of those that are left out. */
export function withoutDeckSettings<T extends object>(
  body: T,
): { readonly body: T; readonly left: string[] } {
  const left = Object.keys(body).filter((name) => Object.hasOwn(deckSettings, name));
  const kept = Object.entries(body).filter(([name]) => !Object.hasOwn(deckSettings, name));
  return { body: Object.fromEntries(kept) as T, left };
}

/** The settings that a deck's document has. */
export const settingsOf = (document: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.keys(deckSettings).flatMap((name) => (document[name] == null ? [] : [[name, document[name]]])),
  );
