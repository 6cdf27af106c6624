import { settings } from "../../config/settings.ts";
import { learningIn } from "../../context/connect.ts";
import type { Context } from "../../context/context.ts";
import { DeckhandError, UsageError } from "../../errors.ts";
import { isLoopback } from "../../loopback.ts";
import { jsonText, visible } from "../../output/sanitize.ts";
import type { Application, ApplicationOptions } from "../../service/app.ts";
import type { Metrics } from "../../service/metrics.ts";
import type { Access } from "../../service/server.ts";
import {
  collect,
  command,
  defined,
  type LooseOptionsOf,
  option,
  valid,
  wholeNumber,
} from "../shared/command.ts";
import { untilAborted } from "../shared/time.ts";
import { blobsHelp, blobsOption, databaseHelp, declareData, openData } from "./data.ts";

const declared = () =>
  declareData(`Run the local service on a port until it is stopped. It implements the whole API on an embedded database, or on PostgreSQL for many people and several servers.

The first line on standard output is "listening on http://…", once it accepts
connections. If the folder has no key yet, serve creates the account "default"
and prints its key on standard error, once. A key is the user name of HTTP basic
authentication, with an empty password: curl -u <key>: http://127.0.0.1:8787/decks

People review their cards in a browser at /study. GET /healthz and GET /readyz
answer without a key. With --verbose each request is a line on standard error.

Requests carry the key unencrypted: use --host with an address of a network only
behind a proxy that terminates TLS, or where you trust everybody on it. Behind
one, give the public host name with --allow-host, and the path with --base-path.

With --database several servers may share the accounts. An empty one is set up.
${databaseHelp}
${blobsHelp}

  deckhand serve
  deckhand serve --port 0 --data ./cards --burst 20/1
  deckhand serve --database postgres://deckhand@db.example.org/cards
  deckhand serve --database-file /etc/deckhand/database --blobs s3://cards/files
  deckhand serve --base-path /api --allow-host cards.example.org`)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <n>", "port; 0 for any free one", wholeNumber(0, 65_535), 8787)
    .option("--base-path <path>", "answer under this path, e.g. /api", valid(paths))
    .option("--allow-host <name>", "another host name that requests may use (repeatable)", collect)
    .option("--burst <n/seconds>", "answer 429 to more requests of an account in that time", valid(bursts))
    .option(
      "--retention <share>",
      "share of due cards to be remembered, instead of review.retention",
      valid(settings["review.retention"]),
    )
    .addOption(option("--log-format <format>", "log requests to standard error").choices(["text", "json"]))
    .option("--metrics-port <n>", "serve OpenMetrics on another port", wholeNumber(0, 65_535))
    .option("--no-study", "without the study page for browsers")
    .addOption(blobsOption());

type RunOptions = LooseOptionsOf<typeof declared> & { readonly host: string; readonly port: number };

/** Runs until SIGINT or SIGTERM; then finishes the requests in flight, closes the store and ends with 0. */
export const runCommand = command(declared, async (options, context) => {
  if (context.options.dryRun) throw new UsageError("serving cannot be a dry run");
  const metrics = await metricsOf(options);
  const observer = observerOf(options, context, metrics);
  const [{ startServer }, application] = await Promise.all([
    import("../../service/server.ts"),
    openData(options, context, {
      burst: options.burst,
      learning: { ...learningIn(context), ...defined({ retention: options.retention }) },
      days: { startsAt: context.settings()["review.day-starts-at"].value },
      onError: observer.onError,
    }),
  ]).catch(async (error: unknown) => {
    await metrics?.close();
    throw error;
  });
  try {
    const { host, port, basePath, allowHost: allowedHosts } = options;
    const study = options.study ? await application.study() : undefined;
    const place = { host, port, basePath, allowedHosts, onAccess: observer.onAccess, study };
    const server = await startServer(application, place).catch((cause) =>
      Promise.reject(unbound(host, port, cause)),
    );
    try {
      if (!isLoopback(host.includes(":") ? `[${host}]` : host))
        context.io.warn(
          `keys are sent unencrypted to ${host}: put a proxy that terminates TLS in front of it`,
        );
      if (!(await application.keys.exist())) await tellFirstKey(application, context);
      await context.io.write(`listening on ${server.url}\n`);
      if (metrics !== undefined) await context.io.write(`metrics at ${metrics.url}\n`);
      await untilAborted(context.signal);
    } finally {
      await server.close();
    }
  } finally {
    await application.close();
    await metrics?.close();
  }
});

/** The metrics, where a port for them is given. */
async function metricsOf({ host, metricsPort, basePath }: RunOptions): Promise<Metrics | undefined> {
  if (metricsPort === undefined) return undefined;
  const { startMetrics } = await import("../../service/metrics.ts");
  return startMetrics({ host, port: metricsPort, basePath }).catch((cause) =>
    Promise.reject(unbound(host, metricsPort, cause)),
  );
}

/** What is done about each request and each failure: lines of the log, and the metrics. */
function observerOf(
  { logFormat }: RunOptions,
  { options, clock, io }: Context,
  metrics: Metrics | undefined,
): { onAccess: ((access: Access) => void) | undefined; onError: NonNullable<ApplicationOptions["onError"]> } {
  const format = logFormat ?? (options.verbose ? "text" : undefined);
  const now = () => new Date(clock.now());
  return {
    onAccess:
      format === undefined && metrics === undefined
        ? undefined
        : (access) => {
            metrics?.count(access);
            if (format !== undefined) io.note(accessLine(access, now(), format));
          },
    onError(error, _explained, requestId) {
      metrics?.countFailure();
      if (format === "json") io.note(failureLine(error, requestId, now()));
      else io.warn(`a request failed: ${error instanceof Error ? error.message : error}`);
    },
  };
}

/** Printed also with --quiet: the key cannot be shown again. */
async function tellFirstKey({ keys }: Application, context: Context): Promise<void> {
  const key = await keys.add("default");
  context.io.stderr.write(`API key of the new account "default" (it cannot be shown again):\n${key}\n`);
}

function unbound(host: string, port: number, cause: unknown): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  const why: Record<string, string> = {
    EADDRINUSE: "something is listening there already",
    EADDRNOTAVAIL: "this machine does not have that address",
    EACCES: "permission denied",
    ENOTFOUND: "there is no such host",
  };
  if (code === undefined || why[code] === undefined) return cause;
  return new DeckhandError("usage", `could not listen on ${host}:${port}: ${why[code]}`, {
    cause,
    hint: "Choose another with --port or --host.",
  });
}

/** Without a slash at its end; none for the root. */
const paths = {
  mustBe: "a path such as /api",
  parse(text: string) {
    const path = text.replace(/\/+$/, "");
    return /^(\/[\w.~-]+)*$/.test(path) ? path : undefined;
  },
};

const bursts = {
  mustBe: "<requests>/<seconds>, e.g. 20/1",
  parse(text: string) {
    const [, requests, seconds] = (/^(\d{1,6})\/(\d{1,5})$/.exec(text) ?? []).map(Number);
    return requests && seconds ? { requests, seconds } : undefined;
  },
};

type LogFormat = "text" | "json";

/** A request in the log: a line as in the logs of other servers, or an object of one line. */
function accessLine(access: Access, at: Date, format: LogFormat): string {
  const { address, account, method, target, status, complete, ms } = access;
  const time = at.toISOString();
  if (format === "json")
    return jsonText({ time, level: "info", event: "request", ...access, ms: Math.round(ms * 10) / 10 });
  const outcome = [status ?? "-", `${Math.round(ms)}ms`, ...(complete ? [] : ["incomplete"])];
  return visible([time, address ?? "-", account ?? "-", method, target, ...outcome].join(" "));
}

/** A failure of the service. @param id of the request, which its line in the log has, too */
function failureLine(error: unknown, id: string | undefined, at: Date): string {
  const message = error instanceof Error ? error.message : String(error);
  return jsonText({ time: at.toISOString(), level: "error", event: "failure", id, error: message });
}
