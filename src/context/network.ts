import type { HostedAccount } from "../config/index.ts";
import type { Context } from "../context.ts";
import { createHttp, type Http, type HttpSettings } from "../http/index.ts";
import { createNetworkTransport } from "../http/network.ts";
import { createThrottle } from "../http/process-throttle.ts";

/** The core over the network: one request at a time per account, over all processes of this machine. */
export function networkHttp(
  context: Context,
  account: HostedAccount,
  common: Omit<HttpSettings, "transport" | "throttle" | "key">,
): Http {
  const { baseUrl, key } = account;
  return createHttp({
    ...common,
    key,
    transport: createNetworkTransport({ baseUrl }),
    throttle: createThrottle({
      folder: context.folders.state,
      baseUrl,
      key,
      clock: common.clock,
      random: common.random,
    }),
  });
}
