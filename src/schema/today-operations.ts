import { page } from "./answers.ts";
import { operation } from "./operation.ts";
import { dueChanged, duePut, today, todayCard, todayCardsQuery, todayPut, todayQuery } from "./today.ts";

/** The extensions `today` and `due-writes` (docs/design/service.md, Extensions). */
export const todayOperations = {
  "today.get": operation({
    id: "today.get",
    method: "GET",
    path: "/today",
    about: "Says how many cards are asked today, by deck.",
    query: todayQuery,
    answer: today,
    repeatable: true,
    extension: "today",
  }),
  "today.cards": operation({
    id: "today.cards",
    method: "GET",
    path: "/today/cards",
    about: "Lists the cards that are asked today, in their order, a page at a time.",
    query: todayCardsQuery,
    answer: page(todayCard),
    repeatable: true,
    extension: "today",
  }),
  "today.put": operation({
    id: "today.put",
    method: "PUT",
    path: "/cards/:card-id/today",
    about: "Puts a card off until tomorrow, or asks it again today.",
    body: todayPut,
    answer: "empty",
    repeatable: true,
    extension: "today",
  }),
  "due.put": operation({
    id: "due.put",
    method: "PUT",
    path: "/cards/:card-id/due",
    about: "Sets when a reviewed card is due, or makes it new again.",
    body: duePut,
    answer: dueChanged,
    repeatable: true,
    extension: "due-writes",
  }),
} as const;
