import { type DayRule, Days } from "../schedule/days.ts";
import { type RandomBytes, systemRandom } from "../schema/ids.ts";
import type { Transport, WireRequest } from "../schema/index.ts";
import type { Study } from "../study/index.ts";
import { Keys } from "./auth.ts";
import { BucketError } from "./blobs/failure.ts";
import { openBookmarks } from "./bookmarks.ts";
import { defaultLearning, type Learning } from "./learning.ts";
import { Loads } from "./loads.ts";
import { type Answered, Pipeline } from "./pipeline.ts";
import { type DataPlace, openBlobs, storePlace } from "./place.ts";
import type { Limits, Service } from "./route.ts";
import { type Burst, Slots } from "./slots.ts";
import {
  type AccountDays,
  type AccountSchedule,
  accountDays,
  accountSchedule,
  setAccountDays,
  setAccountSchedule,
} from "./store/accounts.ts";
import { openStore, type Store } from "./store/index.ts";
import type { Db } from "./store/tables.ts";
import type { StudySettings } from "./study.ts";

export interface ApplicationOptions extends DataPlace {
  /** How long the turns of a server that was killed are kept where several share a database, in milliseconds. */
  readonly lease?: number | undefined;
  now(): number;
  readonly random?: RandomBytes | undefined;
  /** The days of accounts for which nothing else is set; those of the machine if absent. */
  readonly days?: DayRule | undefined;
  /** Whether `days` applies to every account, whatever is set for it: the process is the user's own. */
  readonly ownDays?: boolean | undefined;
  /** 10 MiB for bodies and 1 GiB for attachments if absent. */
  readonly limits?: Partial<Limits> | undefined;
  readonly burst?: Burst | undefined;
  /** How accounts learn for which nothing else is set. */
  readonly learning?: Partial<Learning> | undefined;
  /** How long a request with a wrong key waits for its answer, in milliseconds; 250 if absent. */
  readonly keyDelay?: number | undefined;
  /**
   * Reports a failure of the service.
   *
   * @param explained whether the answer says what went wrong (a full disk, for example) or is a plain 500
   * @param requestId the `X-Request-Id` of the request that failed, if it has one
   */
  readonly onError?: ((error: unknown, explained: boolean, requestId?: string) => void) | undefined;
  /** Called for each card that is left out of a list, since it is damaged; without it, it is an error. */
  readonly onDamaged?: ((cardId: string) => void) | undefined;
}

export interface Application {
  /** Answers a request as the hosted service would: authenticated, and the account is busy until `release` is called. */
  answer(request: WireRequest): Promise<Answered>;
  /** The same service for callers in this process: without a key and without turns. */
  as(account: string): Transport;
  readonly keys: Pick<Keys, "add" | "exist" | "list" | "remove" | "revokeSessions">;
  /** The study page over this service; loads it. Without settings people sign in with keys. */
  study(settings?: StudySettings): Promise<Study>;
  /** Sets the time zone of an account, when its days begin, or both; null for the default. */
  setDays(account: string, days: Partial<AccountDays>): Promise<AccountDays>;
  /** Sets what is given of how an account learns, and keeps the rest. */
  setSchedule(account: string, given: AccountSchedule): Promise<void>;
  /**
   * Does with the start of a server what is otherwise done on first use, and removes, now and every hour, what killed
   * programs have left of attachments.
   *
   * @throws DeckhandError if the store of attachments cannot be used
   */
  preload(): Promise<void>;
  close(): Promise<void>;
}

// In milliseconds.
const sweepEvery = 3_600_000;
const mebibyte = 1024 * 1024;
const defaultLimits: Limits = { body: 10 * mebibyte, attachment: 1024 * mebibyte };

/**
 * Opens the local service on a data folder, which is created if it is missing.
 *
 * @throws DeckhandError if the collection in it cannot be used; it is unchanged then.
 */
export async function openApplication(options: ApplicationOptions): Promise<Application> {
  const store = await openStore(storePlace(options));
  try {
    return await applicationOn(store, options);
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function applicationOn(store: Store, options: ApplicationOptions): Promise<Application> {
  const { now, random = systemRandom } = options;
  const onError = (error: unknown, explained = false, requestId?: string) =>
    options.onError?.(error, explained, requestId);
  const service: Service = {
    store,
    blobs: onFirstUse(() => openBlobs(options, store, { now, random })),
    bookmarks: onFirstUse(() => openBookmarks(store, random)),
    limits: { ...defaultLimits, ...options.limits },
    daysOf: daysFor(options.days ?? {}, options.ownDays === true),
    learning: { ...defaultLearning, ...options.learning },
    loads: new Loads(),
    now,
    random,
    onError,
    onDamaged: options.onDamaged ?? ((id) => onError(new Error(`card ${id} is damaged: run deckhand check`))),
  };
  const { burst, lease } = options;
  const slots = new Slots({ turns: store.turns, now, burst, lease, onError });
  let sweeping: NodeJS.Timeout | undefined;
  const keys = new Keys({ store, now, random, delay: options.keyDelay ?? 250 });
  const pipeline = new Pipeline({ service, keys, slots, onError });
  return {
    answer: (request) => pipeline.answer(request),
    as: (account) => ({ send: (request) => pipeline.carryOut(account, request), close: () => store.close() }),
    keys,
    study: async (settings = { access: keys, cookie: "deckhand-study" }) =>
      (await import("./study.ts")).openStudyPage(service, pipeline, settings),
    setDays: (account, days) => store.write(account, (db) => setAccountDays(db, account, days)),
    setSchedule: (account, given) =>
      store.write(account, async (db) =>
        setAccountSchedule(db, account, { ...(await accountSchedule(db, account)), ...given }),
      ),
    // Imported here: if server.ts imported it, the bundler would split the chunk of this file, which every start loads.
    async preload() {
      await (await import("./preload.ts")).preload();
      await sweepFirst(service, onError);
      sweeping = setInterval(() => void sweep(service).catch(onError), sweepEvery).unref();
    },
    async close() {
      slots.close();
      clearInterval(sweeping);
      await store.close();
    },
  };
}

async function sweep(service: Service): Promise<void> {
  await (await service.blobs()).sweep(service.now());
}

/** @throws DeckhandError where the contents cannot be used; if they are only unavailable now, cards can be served */
async function sweepFirst(service: Service, onError: (error: unknown) => void): Promise<void> {
  const unavailable = await service.blobs().then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof BucketError && error.kind === "unavailable") return error;
      throw error;
    },
  );
  if (unavailable === undefined) await sweep(service).catch(onError);
  else onError(unavailable);
}

/** Days by account. Those of the same rule are created once, since the format of a time zone is slow to load. */
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

/** Creates a value on first use and keeps it; a failure is not kept. */
function onFirstUse<T>(create: () => Promise<T>): () => Promise<T> {
  let created: Promise<T> | undefined;
  return () => {
    created ??= create().catch((error: unknown) => {
      created = undefined;
      throw error;
    });
    return created;
  };
}
