import type { Transport } from "../schema/index.ts";
import type { NetworkOptions } from "./transport.ts";

export { type Clock, systemClock } from "../files/clock.ts";
export { basicAuth } from "./base-url.ts";
export { createHttp } from "./http.ts";
export { type Plan, plan } from "./plan.ts";
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
export { createThrottle, noThrottle, type Throttle, type ThrottleOptions } from "./throttle/throttle.ts";
export type { NetworkOptions } from "./transport.ts";

/** A connection to the service of that base URL. undici takes 25 ms to load: only here, when the network is used. */
export async function createNetworkTransport(
  options: NetworkOptions & { readonly proxy?: URL | undefined },
): Promise<Transport> {
  const { createNetworkTransport, defaultConnectTimeout } = await import("./transport.ts");
  const { proxy, ...others } = options;
  if (proxy === undefined) return createNetworkTransport(others);
  const { tunnelThrough } = await import("./proxy.ts");
  const connect = tunnelThrough(proxy, options.connectTimeout ?? defaultConnectTimeout);
  return createNetworkTransport({ ...others, connect });
}
