import type { Http } from "../http/index.ts";
import { type Card, operations, type ReviewCreate } from "../schema/index.ts";
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
    /** @param date as the review was sent. */
    delete: (cardId: string, date: string): Call<void> =>
      callOf(http, operations["reviews.delete"], { params: { "card-id": cardId, date } }, () => {}),
  };
}
