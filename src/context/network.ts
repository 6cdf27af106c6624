import type { HostedAccount } from "../config/index.ts";
import {
  createHttp,
  createNetworkTransport,
  createThrottle,
  type Http,
  type HttpSettings,
} from "../http/index.ts";
import type { Context } from "./context.ts";

/** The core over the network: one request at a time per account, over all processes of this machine. */
export async function networkHttp(
  context: Context,
  account: HostedAccount,
  common: Omit<HttpSettings, "transport" | "throttle" | "key">,
): Promise<Http> {
  const { baseUrl, key } = account;
  return createHttp({
    ...common,
    key,
    transport: await createNetworkTransport({ baseUrl, env: context.world.env }),
    throttle: createThrottle({
      folder: context.folders.state,
      baseUrl,
      key,
      clock: common.clock,
      random: common.random,
    }),
  });
}
