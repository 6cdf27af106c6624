import type { Http } from "../http/index.ts";
import { canonicalInstant, type DueCard, isMap, operations } from "../schema/index.ts";
import { type Call, callOf, listed } from "./call.ts";

export interface DueQuery {
  /** ISO 8601; today, as the service sees it, if absent. */
  readonly date?: string | undefined;
}

const cards = (answer: unknown, call: Call<readonly DueCard[]>) =>
  listed<DueCard>(answer, "cards", "id", call).map(withInstants);

/**
 * Services may send fields of a card that are not documented for this answer. Instants in them are converted to the one
 * form of the program; anything else stays as it came.
 */
function withInstants(card: DueCard): DueCard {
  const messages: Record<string, unknown> = {};
  for (const name of ["updated-at", "trashed?"]) {
    const value = (card as Readonly<Record<string, unknown>>)[name];
    const text = isMap(value) ? value["date"] : value;
    const instant = typeof text === "string" ? canonicalInstant(text) : undefined;
    if (instant !== undefined) messages[name] = instant;
  }
  return Object.keys(messages).length === 0 ? card : { ...card, ...messages };
}

export function dueClient(http: Http) {
  return {
    list: (query: DueQuery = {}): Call<readonly DueCard[]> =>
      callOf(http, operations["due.list"], { query: { ...query } }, cards),
    deck: (deckId: string, query: DueQuery = {}): Call<readonly DueCard[]> =>
      callOf(http, operations["due.deck"], { params: { "deck-id": deckId }, query: { ...query } }, cards),
  };
}
