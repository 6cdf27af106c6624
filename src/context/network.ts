import { join } from "node:path";
import type { ServiceMemory } from "../client/index.ts";
import { accountHash } from "../config/account-hash.ts";
import type { HostedAccount } from "../config/index.ts";
import { readCache, writeCache } from "../files/cache.ts";
import { createHttp, createNetworkTransport, type Http, type HttpSettings, Throttle } from "../http/index.ts";
import type { Context } from "./context.ts";

/**
 * The core over the network, one request at a time per account over all processes of this machine, and what is remembered
 * of the service there.
 */
export async function network(
  context: Context,
  account: HostedAccount,
  common: Omit<HttpSettings, "transport" | "throttle" | "key">,
): Promise<{ readonly http: Http; readonly memory: ServiceMemory }> {
  const { baseUrl, key } = account;
  const http = createHttp({
    ...common,
    key,
    transport: await createNetworkTransport({ baseUrl, env: context.world.env }),
    throttle: new Throttle({
      path: join(context.folders.state, accountHash(account)),
      clock: common.clock,
    }),
  });
  return { http, memory: dayMemory(context, account) };
}

const day = 86_400_000;

/** What a service says of itself is remembered for a day, in a file of the cache. */
function dayMemory(context: Context, account: HostedAccount): ServiceMemory {
  const path = join(context.folders.cache, `service-${accountHash(account)}.json`);
  const { now } = context.clock;
  let kept: Kept | undefined;
  return {
    read() {
      kept ??= readCache(path) as Kept | undefined;
      const age = now() - (kept?.since ?? 0);
      return age >= 0 && age < day && Array.isArray(kept?.description?.extensions)
        ? kept?.description
        : undefined;
    },
    write(description) {
      kept = { since: now(), description };
      writeCache(path, kept);
    },
  };
}

interface Kept {
  readonly since: number;
  readonly description: Parameters<ServiceMemory["write"]>[0];
}
