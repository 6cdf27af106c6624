import type { HostedAccount } from "../config/index.ts";
import {
  createHttp,
  createNetworkTransport,
  createThrottle,
  type Http,
  type HttpSettings,
  TransportError,
} from "../http/index.ts";
import type { Transport } from "../schema/wire.ts";
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
    transport: namingProfile(await createNetworkTransport({ baseUrl, env: context.world.env }), account),
    throttle: createThrottle({
      folder: context.folders.state,
      baseUrl,
      key,
      clock: common.clock,
      random: common.random,
    }),
  });
}

/** Where there is no connection, the hint names the profile that chose the service, and the one without a network. */
function namingProfile(transport: Transport, { profile }: HostedAccount): Transport {
  if (profile === undefined) return transport;
  return {
    async send(request) {
      try {
        return await transport.send(request);
      } catch (error) {
        if (!(error instanceof TransportError) || error.sent) throw error;
        const hint = `${error.hint ?? ""} The profile is ${profile}; --profile local is the local collection.`;
        throw new TransportError(error.kind, error.message, {
          ...error,
          hint: hint.trim(),
          cause: error.cause,
        });
      }
    },
    close: () => transport.close(),
  };
}
