import {
  createHttp,
  createNetworkTransport,
  type Http,
  type HttpEvent,
  type HttpSettings,
  type NetworkOptions,
  systemClock,
} from "../../src/http/index.ts";
import type { Transport } from "../../src/schema/index.ts";

export interface TestHttp extends Http {
  readonly events: readonly HttpEvent[];
}

/** The core over a transport of the test's own, which tries once. */
export function httpOver(transport: Transport, settings: Partial<HttpSettings> = {}): Http {
  return createHttp({
    transport,
    codec: "json",
    timeout: 60_000,
    retries: 0,
    userAgent: "deckhand/test",
    clock: systemClock,
    random: () => 0.5,
    ...settings,
  });
}

/** The core over a real connection. Waits between attempts are cut short; the events tell how long they would be. */
export async function httpTo(
  baseUrl: string,
  settings: Partial<HttpSettings> = {},
  network: Partial<NetworkOptions> = {},
): Promise<TestHttp> {
  const events: HttpEvent[] = [];
  const http = createHttp({
    transport: await createNetworkTransport({ baseUrl, ...network }),
    codec: "json",
    key: "test-key-12345",
    timeout: 10_000,
    retries: 5,
    userAgent: "deckhand/test",
    clock: { now: systemClock.now, wait: (ms, signal) => systemClock.wait(Math.min(ms, 5), signal) },
    random: () => 0.5,
    ...settings,
    onEvent: (event) => {
      events.push(event);
      settings.onEvent?.(event);
    },
  });
  return { ...http, events };
}
