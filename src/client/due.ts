import type { Http } from "../http/index.ts";
import { array, card, type DueCard, dueCard, object, operations } from "../schema/index.ts";
import { type Call, callOf, listed } from "./call.ts";

export interface DueQuery {
  /** ISO 8601; today, as the service sees it, if not given. */
  readonly date?: string | undefined;
}

/** Services may tell more than the document lists: instants come in one form only where their kind is known. */
const answer = object({
  cards: array(
    object({
      ...dueCard.fields,
      "updated-at": card.fields["updated-at"],
      "trashed?": card.fields["trashed?"],
    }),
  ),
});
const dueList = { ...operations["due.list"], answer };
const dueDeck = { ...operations["due.deck"], answer };

const cards = (answer: unknown, call: Call<readonly DueCard[]>) =>
  listed<DueCard>(answer, "cards", "id", call);

export function dueClient(http: Http) {
  return {
    list: (query: DueQuery = {}): Call<readonly DueCard[]> =>
      callOf(http, dueList, { query: { ...query } }, cards),
    deck: (deckId: string, query: DueQuery = {}): Call<readonly DueCard[]> =>
      callOf(http, dueDeck, { params: { "deck-id": deckId }, query: { ...query } }, cards),
  };
}
