import { callOnce } from "./call.ts";
import { downloadOnce } from "./download.ts";
import { rawCall } from "./raw.ts";
import { coreOf, prepare } from "./request.ts";
import { withRetries } from "./retry.ts";
import type { Http, HttpSettings } from "./settings.ts";

/** The shared core: every request of the program goes through here, whatever carries it. */
export function createHttp(settings: HttpSettings): Http {
  const core = coreOf(settings);
  return {
    async call(operation, input) {
      const request = await prepare(core, operation, input);
      return withRetries(settings, request, (attempt) => callOnce(settings, operation, request, attempt));
    },
    async download(operation, input, take) {
      const request = await prepare(core, operation, input);
      return withRetries(settings, request, (attempt) => downloadOnce(settings, request, attempt, take));
    },
    raw: (request) => rawCall(core, request),
    close: () => settings.transport.close(),
  };
}
