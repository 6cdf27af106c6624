import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "../../src/client/index.ts";
import { createHttp, createNetworkTransport, systemClock, Throttle } from "../../src/http/index.ts";
import type { CodecName } from "../../src/schema/index.ts";
import { openApplication } from "../../src/service/app.ts";

/** The client as commands have it for a hosted account: one connection, and the lock between processes. */
export async function withHosted<T>(
  { url, key, codec }: { readonly url: string; readonly key: string; readonly codec: CodecName },
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  const http = createHttp({
    transport: await createNetworkTransport({ baseUrl: url }),
    codec,
    key,
    timeout: 60_000,
    retries: 0,
    throttle: new Throttle({ path: join(folder, "account"), clock: systemClock }),
    userAgent: "bench",
    clock: systemClock,
    random: Math.random,
  });
  try {
    return await work(createClient(http));
  } finally {
    await http.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** The client as commands have it for the local service, in the same process. */
export async function withLocal<T>(folder: string, work: (client: Client) => Promise<T>): Promise<T> {
  const application = await openApplication({ folder, now: Date.now });
  const http = createHttp({
    transport: application.as("default"),
    codec: "json",
    timeout: 60_000,
    retries: 0,
    userAgent: "bench",
    clock: systemClock,
    random: Math.random,
  });
  try {
    return await work(createClient(http));
  } finally {
    await http.close();
    await application.close();
  }
}

/** What the service's key looks like to the service. */
export const authorization = (key: string): string => `Basic ${Buffer.from(`${key}:`).toString("base64")}`;
