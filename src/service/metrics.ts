import { createServer } from "node:http";
import { Counter, collectDefaultMetrics, Histogram, Registry } from "prom-client";
import { matchRoute } from "./router.ts";
import { type Access, listening, urlOf } from "./server.ts";

interface MetricsOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The path under which the service answers. */
  readonly basePath?: string | undefined;
}

export interface Metrics {
  /** Where they are read. */
  readonly url: string;
  /** Counts an answered request. */
  count(access: Access): void;
  /** Counts a failure of the service. */
  countFailure(): void;
  close(): Promise<void>;
}

// In seconds: from an answer out of the cache to an upload.
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

/**
 * Serves counters in the OpenMetrics format at `/metrics` on a port of its own, so that a proxy in front of the service
 * does not publish them. No label has more values than the API has operations: none names an account.
 *
 * @throws the error of listening (`EADDRINUSE`, …) as Node reports it.
 */
export async function startMetrics(options: MetricsOptions): Promise<Metrics> {
  const { host, port, basePath = "" } = options;
  const registry = new Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const registers = [registry];
  collectDefaultMetrics({ register: registry as unknown as Registry });
  const labelNames = ["operation", "status"] as const;
  const help = "How long requests took until they were answered.";
  const requests = new Histogram({
    name: "deckhand_request_duration_seconds",
    help,
    labelNames,
    buckets,
    registers,
  });
  const failures = new Counter({ name: "deckhand_failures", help: "Failures of the service.", registers });
  const server = createServer(async ({ url }, outgoing) => {
    const known = url?.split("?")[0] === "/metrics";
    outgoing.writeHead(known ? 200 : 404, { "content-type": known ? registry.contentType : "text/plain" });
    outgoing.end(known ? await registry.metrics() : "the metrics are at /metrics\n");
  });
  await listening(server, { host, port });
  return {
    url: `${urlOf(server)}/metrics`,
    count(access) {
      const status = String(access.status ?? "none");
      requests.observe({ operation: operationOf(access, basePath), status }, access.ms / 1000);
    },
    countFailure: () => failures.inc(),
    close: () => new Promise((resolve) => server.close(() => resolve()).closeAllConnections()),
  };
}

/** The operation of the API, `cards.get` for example; `other` for a path that is none. */
function operationOf({ method, target }: Access, basePath: string): string {
  const [path = ""] = target.split("?");
  try {
    return path.startsWith(basePath) ? matchRoute(method, path.slice(basePath.length)).id : "other";
  } catch {
    return "other";
  }
}
