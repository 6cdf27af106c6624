import { page } from "./answers.ts";
import { dueChanged, duePut, today, todayCard, todayCardsQuery, todayPut, todayQuery } from "./today.ts";

/** The extensions `today` and `due-writes` (docs/design/service.md, Extensions). */
export const todayOperations = {
  "today.get": {
    request: "GET /today",
    about: "Says how many cards are asked today, by deck.",
    query: todayQuery,
    answer: today,
    extension: "today",
  },
  "today.cards": {
    request: "GET /today/cards",
    about: "Lists the cards that are asked today, in their order, a page at a time.",
    query: todayCardsQuery,
    answer: page(todayCard),
    extension: "today",
  },
  "today.put": {
    request: "PUT /cards/:card-id/today",
    about: "Puts a card off until tomorrow, or asks it again today.",
    body: todayPut,
    answer: "empty",
    extension: "today",
  },
  "due.put": {
    request: "PUT /cards/:card-id/due",
    about: "Sets when a reviewed card is due, or makes it new again.",
    body: duePut,
    answer: dueChanged,
    extension: "due-writes",
  },
} as const;
