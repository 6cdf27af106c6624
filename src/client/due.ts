import type { Http } from "../http/index.ts";
import { type DueCard, operations } from "../schema/index.ts";
import { type Call, callOf, listed } from "./call.ts";

export interface DueQuery {
  /** ISO 8601; today, as the service sees it, if not given. */
  readonly date?: string | undefined;
}

const cards = (answer: unknown, call: Call<readonly DueCard[]>) =>
  listed<DueCard>(answer, "cards", "id", call);

export function dueClient(http: Http) {
  return {
    list: (query: DueQuery = {}): Call<readonly DueCard[]> =>
      callOf(http, operations["due.list"], { query: { ...query } }, cards),
    deck: (deckId: string, query: DueQuery = {}): Call<readonly DueCard[]> =>
      callOf(http, operations["due.deck"], { params: { "deck-id": deckId }, query: { ...query } }, cards),
  };
}
