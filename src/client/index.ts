import type { Http } from "../http/index.ts";
import { attachmentsClient } from "./attachments.ts";
import { callOver } from "./call.ts";
import { dueOf, extensionsOf, resourcesOf } from "./resources.ts";
import { type ServiceMemory, serviceClient, shortMemory } from "./service.ts";

export { DifferentFileError, type StoredAttachment } from "./attachments.ts";
export type { FollowedPage } from "./paging.ts";
export { type ServiceMemory, shortMemory } from "./service.ts";

/**
 * Typed calls for every operation of the service.
 *
 * @param memory what is remembered of the service from earlier runs
 */
export function createClient(http: Http, memory: ServiceMemory = shortMemory()) {
  const service = serviceClient(http, memory);
  const call = callOver(http);
  return {
    ...resourcesOf(call, service.isOurs),
    ...extensionsOf(call),
    attachments: attachmentsClient(http, call, service),
    due: dueOf(call, service),
    service,
    close: () => http.close(),
  };
}
export type Client = ReturnType<typeof createClient>;
