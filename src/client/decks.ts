import type { Http } from "../http/index.ts";
import {
  type Deck,
  type DeckCreation,
  type DeckUpdate,
  type deckItem,
  operations,
  type Page,
  type Received,
} from "../schema/index.ts";
import { type Call, callOf, creationOf, identified, identifiedIfAny } from "./call.ts";
import { collectPages, followPages, type PageOptions, pageOf } from "./paging.ts";

/** A deck as lists have it. Some services send `parent-id` as well. */
type DeckItem = Received<typeof deckItem> & {
  readonly id: string;
  readonly "parent-id"?: string | null | undefined;
};

export function decksClient(http: Http) {
  const list = (query: { readonly bookmark?: string | undefined } = {}): Call<Page<DeckItem>> =>
    callOf(http, operations["decks.list"], { query: { ...query } }, pageOf<DeckItem>);
  const pages = (options: PageOptions = {}) =>
    followPages((bookmark) => list({ bookmark }).send(), options, undefined);
  return {
    list,
    pages,
    all: (): Promise<readonly DeckItem[]> => collectPages(pages()),
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
