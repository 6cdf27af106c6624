import type { Http } from "../http/index.ts";
import { type Card, operations, type PastReview, type ReviewCreate } from "../schema/index.ts";
import { type Call, callOf, identifiedIfAny } from "./call.ts";

/** Only where the service has the reviews extension (docs/design/service.md, Extensions). */
export function reviewsClient(http: Http) {
  return {
    create: (cardId: string, body: ReviewCreate): Call<Card | undefined> =>
      callOf(
        http,
        operations["reviews.create"],
        { params: { "card-id": cardId }, body },
        identifiedIfAny<Card>,
      ),
    /** Past reviews, all at once: one at a time each would be computed from all before it. @param reviews at most 500 */
    add: (cardId: string, reviews: readonly PastReview[]): Call<Card | undefined> =>
      callOf(
        http,
        operations["reviews.add"],
        { params: { "card-id": cardId }, body: { reviews } },
        identifiedIfAny<Card>,
      ),
    /** @param date as the review was sent. */
    delete: (cardId: string, date: string): Call<void> =>
      callOf(http, operations["reviews.delete"], { params: { "card-id": cardId, date } }, () => {}),
  };
}
