import { join } from "node:path";
import { Readable } from "node:stream";
import { type DayRule, Days } from "../schedule/days.ts";
import type { Transport, WireAnswer, WireRequest } from "../schema/index.ts";
import type { KeyInfo } from "./auth.ts";
import { type RandomBytes, systemRandom } from "./ids.ts";
import { sweepIncoming } from "./incoming.ts";
import { openBookmarks } from "./pages.ts";
import { type Answered, createPipeline } from "./pipeline.ts";
import type { Limits, Service } from "./service.ts";
import { type Burst, createSlots } from "./slots.ts";
import { type AccountDays, accountDays, setAccountDays } from "./store/accounts.ts";
import { openStore } from "./store/index.ts";
import type { Db } from "./store/tables.ts";
import { allUnsettled } from "./store/unsettled.ts";

export type { Answered } from "./pipeline.ts";

export interface ApplicationOptions {
  /** The data folder; the service keeps everything in `service` below it. */
  readonly folder: string;
  now(): number;
  readonly random?: RandomBytes | undefined;
  /** The days of accounts for which nothing else is set: those of the machine if absent. */
  readonly days?: DayRule | undefined;
  /** Whether `days` holds for every account, whatever is set for it: the process is the user's own. */
  readonly ownDays?: boolean | undefined;
  /** In bytes; 10 MiB for bodies and 1 GiB for attachments if absent. */
  readonly limits?: Partial<Limits> | undefined;
  readonly burst?: Burst | undefined;
  /** The share of cards that should be remembered when they come up; 0.9 if absent. */
  readonly retention?: number | undefined;
  /** How long a request with a wrong key waits for its answer, in milliseconds; 250 if absent. */
  readonly keyDelay?: number | undefined;
  /**
   * Told what went wrong inside.
   *
   * @param explained whether the answer says as much: a disk that is full; else it is a 500 that does not
   */
  onError?(error: unknown, explained: boolean): void;
}

export interface Application {
  /**
   * Answers a request as the hosted service would: authenticated, and one at a time for each account. The account is
   * busy until the answer is there, or where it is a stream until that has ended.
   */
  handle(request: WireRequest): Promise<WireAnswer>;
  /** The same, for a server: the account stays busy until `release` says that the answer was written. */
  answer(request: WireRequest): Promise<Answered>;
  /** The same service in the same process, for an account that need not show a key nor wait its turn. */
  as(account: string): Transport;
  readonly keys: {
    /** Makes another key for an account. @returns the key, which cannot be told again. */
    add(account: string): Promise<string>;
    /** The accounts that have keys, once for each key, oldest first. */
    list(): Promise<readonly KeyInfo[]>;
    /** Removes all keys of an account. @returns how many there were. */
    remove(account: string): Promise<number>;
  };
  /** Sets the time zone of an account, when its days begin, or both; null for the default. */
  setDays(account: string, days: Partial<AccountDays>): Promise<AccountDays>;
  /** Loads what is otherwise loaded when it is first asked for. */
  preload(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the local service on a data folder, making what is missing.
 *
 * @throws DeckhandError if the collection there cannot be used; then it was not changed.
 */
export async function openApplication(options: ApplicationOptions): Promise<Application> {
  const { now, random = systemRandom } = options;
  const store = await openStore(join(options.folder, "service"));
  const files = join(store.folder, "attachments");
  const onError = (error: unknown, explained = false) => options.onError?.(error, explained);
  const service: Service = {
    store,
    blobs: once(async () => (await import("./blobs.ts")).createBlobs(files, random)),
    bookmarks: once(() => openBookmarks(store, random)),
    limits: { body: 10 * mebibyte, attachment: 1024 * mebibyte, ...options.limits },
    daysOf: daysFor(options.days ?? {}, options.ownDays === true),
    retention: options.retention ?? 0.9,
    now,
    random,
    onError,
  };
  await tidy(service, files).catch(onError);
  const keys = once(async () => (await import("./auth.ts")).createKeys(store, now, random));
  const pipeline = createPipeline({
    service,
    keys,
    slots: createSlots(now, options.burst),
    keyDelay: options.keyDelay ?? 250,
    onError,
  });
  return {
    async handle(request) {
      const { answer, release } = await pipeline.answer(request);
      if (answer.body instanceof Readable) answer.body.once("close", release);
      else release();
      return answer;
    },
    answer: pipeline.answer,
    as: (account) => ({ send: (request) => pipeline.carryOut(account, request), close: () => store.close() }),
    keys: {
      add: async (account) => (await keys()).add(account),
      list: async () => (await keys()).list(),
      remove: async (account) => (await keys()).remove(account),
    },
    setDays: (account, days) => store.write((db) => setAccountDays(db, account, days)),
    // Where another file asked for it, the bundler would take this one apart, and every start would load the parts.
    preload: async () => (await import("./preload.ts")).preload(),
    close: () => store.close(),
  };
}

/** Removes what processes that died have left: half-received files, and contents that no card names. */
async function tidy(service: Service, files: string): Promise<void> {
  sweepIncoming(files, service.now());
  const hashes = await allUnsettled(service.store.db);
  if (hashes.length === 0) return;
  const { settle } = await import("./settling.ts");
  await settle(service.store, await service.blobs(), hashes);
}

const mebibyte = 1024 * 1024;

/** Days by account; those of the same rule are created once, as the format of a time zone is slow to load. */
function daysFor(rule: DayRule, own: boolean): Service["daysOf"] {
  const defaults = new Days(rule);
  const known = new Map<string, Days>();
  return async (db: Db, account: string) => {
    const set = own ? undefined : await accountDays(db, account);
    if (set === undefined) return defaults;
    const timeZone = set.timeZone ?? rule.timeZone;
    const startsAt = set.startsAt ?? rule.startsAt;
    const key = `${timeZone} ${startsAt}`;
    const days = known.get(key) ?? new Days({ timeZone, startsAt });
    known.set(key, days);
    return days;
  };
}

/** Does it when it is first asked for, and once; after a failure again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
