import type { Http } from "../http/index.ts";
import { type Card, type CardCreation, type CardUpdate, operations, type Page } from "../schema/index.ts";
import { type Call, callOf, creationOf, identified, identifiedIfAny } from "./call.ts";
import { followPages, type PageOptions, pageOf, type ShortPages } from "./paging.ts";

interface CardListQuery {
  readonly "deck-id"?: string | undefined;
  /** 1 to 100. */
  readonly limit?: number | undefined;
  readonly bookmark?: string | undefined;
}

interface CardPageOptions extends PageOptions {
  /** Passed on as it is: the service decides what an unknown deck means. */
  readonly deckId?: string | undefined;
  /** Cards per page, 1 to 100; 100 if absent. */
  readonly pageSize?: number | undefined;
}

const largestPage = 100;

export function cardsClient(http: Http, short: ShortPages) {
  const list = (query: CardListQuery = {}): Call<Page<Card>> =>
    callOf(http, operations["cards.list"], { query: { ...query } }, pageOf<Card>);
  return {
    /** One page. */
    list,
    /** All pages, each card once. */
    pages: ({ deckId, pageSize = largestPage, ...options }: CardPageOptions = {}) =>
      followPages(
        (bookmark, limit) => list({ "deck-id": deckId, limit, bookmark }).send(),
        options,
        pageSize,
        short,
      ),
    /** @param onTag receives the card's entity tag, where the service has the extension `conditional-writes` */
    get: (id: string, onTag?: (tag: string) => void): Call<Card> =>
      callOf(http, operations["cards.get"], { params: { "card-id": id }, onTag }, identified<Card>),
    create: (body: CardCreation): Call<Card> => creationOf(http, operations["cards.create"], body),
    /**
     * The card, if the service returns it: its answer is not documented.
     *
     * @param ifMatch the entity tag that the card must still have (412 otherwise)
     */
    update: (id: string, body: CardUpdate, ifMatch?: string): Call<Card | undefined> =>
      callOf(
        http,
        operations["cards.update"],
        { params: { "card-id": id }, body, ifMatch },
        identifiedIfAny<Card>,
      ),
    delete: (id: string): Call<void> =>
      callOf(http, operations["cards.delete"], { params: { "card-id": id } }, () => {}),
  };
}
