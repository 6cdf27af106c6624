import type { Http } from "../http/index.ts";
import {
  type Card,
  isMap,
  operations,
  type Page,
  type TodayCardDocument,
  type TodayFigures,
  type TodayPut,
  type TodayQuery,
} from "../schema/index.ts";
import { type Call, callOf, identified } from "./call.ts";
import { type FollowedPage, followPages, pageOf } from "./paging.ts";

const pageSize = 100;

/** Only where the service has the extension `today` (docs/design/service.md, Extensions). */
export function todayClient(http: Http) {
  const page = (query: TodayQuery) => (bookmark: string | undefined, limit: number | undefined) =>
    callOf<Page<TodayCardDocument>>(
      http,
      operations["today.cards"],
      { query: { ...query, limit, bookmark } },
      pageOf,
    ).send();
  return {
    get: (query: TodayQuery = {}): Call<TodayFigures> =>
      callOf(http, operations["today.get"], { query: { ...query } }, (answer) =>
        isMap(answer) ? (answer as TodayFigures) : {},
      ),
    /** The queue in its order, whole cards. A page that is not full is the last one. */
    cards: (query: TodayQuery = {}): AsyncGenerator<FollowedPage<TodayCardDocument>, void, undefined> =>
      followPages(page(query), {}, pageSize, { isLast: () => true, wasLast() {} }),
    /** @param due ISO 8601; null for a new card */
    setDue: (cardId: string, due: string | null): Call<Card> =>
      callOf(http, operations["due.put"], { params: { "card-id": cardId }, body: { due } }, (answer, call) =>
        identified<Card>(answer, call),
      ),
    put: (cardId: string, body: TodayPut): Call<void> =>
      callOf(http, operations["today.put"], { params: { "card-id": cardId }, body }, () => {}),
  };
}
