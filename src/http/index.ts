import type { Transport } from "../schema/index.ts";
import type { NetworkOptions } from "./transport.ts";

export { systemClock } from "../files/clock.ts";
export { isTooLarge } from "./failure.ts";
export { createHttp } from "./http.ts";
export { refusalOf } from "./refusal.ts";
export { plan, problemWith } from "./request.ts";
export type {
  CallInput,
  Download,
  Http,
  HttpEvent,
  HttpSettings,
  RawAnswer,
  RawRequest,
  Upload,
} from "./settings.ts";
export { Throttle, type ThrottleOptions } from "./throttle.ts";
export type { NetworkOptions } from "./transport.ts";

/** A connection to the service at a base URL. Loads undici (30 ms), which only the network needs. */
export async function createNetworkTransport(options: NetworkOptions): Promise<Transport> {
  return (await import("./transport.ts")).createNetworkTransport(options);
}
