import { type Client, createClient, shortMemory } from "../client/index.ts";
import { isNowhere, unwritable } from "../config/folders.ts";
import { PartialError } from "../errors.ts";
import { type CallInput, createHttp, type Http, plan, systemClock } from "../http/index.ts";
import { isMap } from "../schema/check.ts";
import type { OperationId } from "../schema/index.ts";
import type { Operation } from "../schema/operation.ts";
import type { Transport } from "../schema/wire.ts";
import type { Application } from "../service/app.ts";
import { version } from "../version.ts";
import type { Context } from "./context.ts";
import { eventTeller } from "./events.ts";

export interface Connection {
  readonly http: Http;
  readonly client: Client;
  close(): Promise<void>;
}

/** Opens the way to the account: the local service in this process, or the network. */
export async function connect(context: Context): Promise<Connection> {
  const { world } = context;
  const account = context.account();
  const settings = context.settings();
  if (account.kind === "local" && isNowhere(context.folders.data))
    throw unwritable(context.folders.data, undefined);
  const local = account.kind === "local" || world.transport !== undefined;
  const damaged = new Set<string>();
  const transport =
    world.transport ?? (account.kind === "local" ? await localTransport(context, damaged) : undefined);
  const tell = eventTeller(context);
  const common = {
    codec: settings.codec.value,
    timeout: settings.timeout.value,
    retries: settings.retries.value,
    userAgent: `deckhand/${version}`,
    clock: { ...systemClock, now: world.now },
    random: world.random,
    onEvent: tell.event,
    signal: context.signal,
  };
  const { http, memory } = local
    ? {
        http: createHttp({ ...common, transport: transport as Transport }),
        memory: shortMemory(true),
      }
    : await (await import("./network.ts")).network(context, account, common);
  const guarded = guardedHttp(http, context);
  return {
    http: guarded,
    client: createClient(guarded, memory),
    async close() {
      tell.end();
      await http.close();
      if (local && world.transport === undefined) await backUpDaily(context);
      if (damaged.size > 0) throw leftOut(damaged);
    },
  };
}

/**
 * Before the first change the filter of the results is checked. A dry run prints each change instead of sending it, and
 * answers as if it had been made, with placeholders for ids.
 */
function guardedHttp(http: Http, { print, options, account }: Context): Http {
  return {
    ...http,
    async call(operation, input) {
      const isPreview = isMap(input.body) && input.body["preview"] === true;
      if (operation.method === "GET" || isPreview) return http.call(operation, input);
      if (!options.dryRun) {
        await print.checkFilter();
        return http.call(operation, input);
      }
      const planned = plan(operation, input);
      const { sentenceOf } = await import("./sentence.ts");
      const isLocal = account().kind === "local";
      const sentence = isLocal
        ? sentenceOf(operation.id as OperationId, input.params ?? {}, planned.body)
        : undefined;
      await print.request({ ...planned, sentence });
      return placeholderOf(operation, input);
    },
  };
}

function placeholderOf({ id, answerOptional }: Operation, { params = {}, body, upload }: CallInput): unknown {
  const [noun = "", act] = id.split(".");
  const [named] = Object.values(params);
  if (upload !== undefined) return { "file-name": upload.fileName };
  if (act === "create") return { ...(body as object), id: named ?? `${noun.slice(0, -1).toUpperCase()}-ID` };
  return answerOptional ? undefined : { id: named };
}

/** How the local collection learns, and accounts of `serve` that say nothing else, by the settings. */
export function learningIn(context: Context) {
  const settings = context.settings();
  return {
    retention: settings["review.retention"].value,
    "new-per-day": settings["review.new-per-day"].value,
    "max-per-day": settings["review.max-per-day"].value,
    "new-cards": settings["review.new-cards"].value,
    balance: settings["review.balance"].value === "on",
    "easy-days": settings["review.easy-days"].value,
  };
}

/** The command has done the rest. */
const leftOut = (damaged: ReadonlySet<string>) =>
  new PartialError(`damaged, and left out: ${[...damaged].map((id) => `card ${id}`).join(", ")}`, {
    hint: "`deckhand check` says what is wrong, `deckhand check --repair` mends what can be mended.",
  });

/**
 * The local collection.
 *
 * @param onDamaged gets the ids of cards that are left out of lists
 */
export async function openLocal(
  context: Context,
  onDamaged: (id: string) => void,
  isOpen: () => boolean = () => true,
): Promise<Application> {
  const { openApplication } = await import("../service/app.ts");
  const failures = new Set<string>();
  return openApplication({
    folder: context.folders.data,
    now: context.world.now,
    learning: learningIn(context),
    days: { startsAt: context.settings()["review.day-starts-at"].value },
    ownDays: true,
    onDamaged,
    // The local service has no log of its own: each failure is reported once, however often the request is repeated.
    onError(error, explained) {
      // A request that was interrupted may fail on the closed store; its answer is not used.
      if (!isOpen()) return;
      const why = error instanceof Error ? error.message : String(error);
      if (!explained && !failures.has(why)) context.io.warn(`the local service failed: ${why}`);
      failures.add(why);
    },
  });
}

/** @param damaged gets the ids of cards that are left out of lists */
async function localTransport(context: Context, damaged: Set<string>): Promise<Transport> {
  let open = true;
  const application = await openLocal(
    context,
    (id) => void damaged.add(id),
    () => open,
  );
  const transport = application.as("default");
  return {
    // The local service never waits for input or output: without a turn of the event loop between requests, neither Ctrl-C
    // nor the progress would be handled during thousands of them.
    async send(request) {
      await new Promise((resolve) => setImmediate(resolve));
      return await transport.send(request);
    },
    close() {
      open = false;
      return application.close();
    },
  };
}

/** After the work of a command, at most once a day. */
async function backUpDaily(context: Context): Promise<void> {
  const { folders, clock, signal } = context;
  if (signal.aborted || context.options.dryRun || context.settings()["backup.automatic"].value === "off")
    return;
  const { isBackupDue, keepBackup } = await import("../service/backup/kept.ts");
  const now = clock.now();
  try {
    if (!isBackupDue(folders.data, now)) return;
    const { placesOf } = await import("../commands/backup/places.ts");
    const { data, folder, files } = placesOf(undefined, context);
    await keepBackup("daily", data, { folder, files, now, signal });
  } catch (error) {
    // The command itself has succeeded.
    if (!signal.aborted)
      context.io.warn(`the daily backup failed: ${error instanceof Error ? error.message : error}`);
  }
}
