import type { Http } from "../http/index.ts";
import { attachmentsClient } from "./attachments.ts";
import { batchClient } from "./batch.ts";
import { cardsClient } from "./cards.ts";
import { decksClient } from "./decks.ts";
import { dueClient } from "./due.ts";
import { reviewsClient } from "./reviews.ts";
import { scheduleClient } from "./schedule.ts";
import { type ServiceMemory, serviceClient, shortMemory } from "./service.ts";
import { templatesClient } from "./templates.ts";
import { todayClient } from "./today.ts";

export type { StoredAttachment } from "./attachments.ts";
export type { Call } from "./call.ts";
export type { FollowedPage } from "./paging.ts";
export { type Remembered, type ServiceMemory, shortMemory } from "./service.ts";

/**
 * Typed calls for every operation of the service.
 *
 * @param memory what is remembered of the service from earlier runs
 */
export function createClient(http: Http, memory: ServiceMemory = shortMemory()) {
  const service = serviceClient(http, memory);
  return {
    cards: cardsClient(http, service.shortPages),
    decks: decksClient(http),
    templates: templatesClient(http),
    attachments: attachmentsClient(http, service),
    due: dueClient(http, service),
    reviews: reviewsClient(http),
    schedule: scheduleClient(http),
    batch: batchClient(http),
    today: todayClient(http),
    service,
    close: () => http.close(),
  };
}
export type Client = ReturnType<typeof createClient>;
