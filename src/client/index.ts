import type { Http } from "../http/index.ts";
import { attachmentsClient } from "./attachments.ts";
import { dueOf, extensionsOf, resourcesOf } from "./resources.ts";
import { type ServiceMemory, serviceClient, shortMemory } from "./service.ts";

export { DifferentFileError, type StoredAttachment } from "./attachments.ts";
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
    ...resourcesOf(http, service.shortPages),
    ...extensionsOf(http),
    attachments: attachmentsClient(http, service),
    due: dueOf(http, service),
    service,
    close: () => http.close(),
  };
}
export type Client = ReturnType<typeof createClient>;
