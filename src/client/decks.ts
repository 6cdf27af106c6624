import type { Http } from "../http/index.ts";
import {
  type Deck,
  type DeckCreation,
  type DeckUpdate,
  type deckItem,
  operations,
  type Received,
} from "../schema/index.ts";
import { type Call, callOf, creationOf, identified, identifiedIfAny } from "./call.ts";
import { listOf } from "./paging.ts";

/** A deck as lists have it. Some services send `parent-id` as well. */
type DeckItem = Received<typeof deckItem> & {
  readonly id: string;
  readonly "parent-id"?: string | null | undefined;
};

export function decksClient(http: Http) {
  return {
    ...listOf<DeckItem>(http, operations["decks.list"]),
    get: (id: string): Call<Deck> =>
      callOf(http, operations["decks.get"], { params: { "deck-id": id } }, identified<Deck>),
    create: (body: DeckCreation): Call<Deck> => creationOf(http, operations["decks.create"], body),
    /** @param ifMatch as in `cards.update` */
    update: (id: string, body: DeckUpdate, ifMatch?: string): Call<Deck | undefined> =>
      callOf(
        http,
        operations["decks.update"],
        { params: { "deck-id": id }, body, ifMatch },
        identifiedIfAny<Deck>,
      ),
    delete: (id: string): Call<void> =>
      callOf(http, operations["decks.delete"], { params: { "deck-id": id } }, () => {}),
  };
}
