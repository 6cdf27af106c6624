import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../files/atomic-write.ts";
import type { Clock } from "../files/clock.ts";
import { type Held, type Kept, LockUnusable, takeLock } from "../files/lock.ts";
import { parseBaseUrl } from "./base-url.ts";
import { afterAnswer, afterLimit, currentPace, freely, type Pace, readPace } from "./pace.ts";

/** Why a request waits before it is sent. */
type WaitReason = "queue" | "other-process" | "pace";

/** Lets requests through one at a time. */
export interface Throttle {
  /** Waits for the account's only slot. @throws the reason of the signal */
  acquire(options: AcquireOptions): Promise<Slot>;
}

interface AcquireOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: ThrottleEvent) => void) | undefined;
}

export type ThrottleEvent =
  /** A wait begins. `ms` is undefined where its length is unknown; "waited" then reports its end. `who` it waits for. */
  | {
      readonly type: "wait";
      readonly why: WaitReason;
      readonly ms: number | undefined;
      readonly who?: string;
    }
  | { readonly type: "waited"; readonly why: WaitReason; readonly ms: number }
  /** Requests of other processes cannot be seen: the folder of the locks cannot be used. */
  | { readonly type: "alone"; readonly reason: string };

export interface Slot {
  /** Gives the slot back; only the first call counts. */
  release(outcome: SlotOutcome): void;
}

/** What the pace is learned from: an answer; a 429 with the pause that the service asked for; neither. */
export type SlotOutcome =
  | { readonly kind: "answered" }
  | { readonly kind: "limited"; readonly pause: number | undefined }
  | { readonly kind: "lost" };

export interface ThrottleOptions {
  /** Where the processes of this machine share locks; created if it does not exist. */
  readonly folder: string;
  readonly baseUrl: string;
  readonly key: string;
  readonly clock: Clock;
  /** From 0 to 1, as Math.random. */
  random(): number;
}

/** For the local service in the same process, which has no limits. */
export const noThrottle: Throttle = { acquire: async () => ({ release: () => {} }) };

/**
 * One request in flight per account over all processes of the machine, at the pace that the service allows
 * (docs/design/wire.md, Pacing): a queue in the process, a lock between processes, and beside it a file with the pace.
 */
export const createThrottle = (options: ThrottleOptions): Throttle => new AccountThrottle(options);

class AccountThrottle implements Throttle {
  readonly #options: ThrottleOptions;
  readonly #path: string;
  readonly #turn: Kept = {};
  readonly #next: Kept = {};
  #alone = false;
  #pace: Pace = freely;
  /** Resolves when the last one in the queue leaves. */
  #queueEnd: Promise<void> = Promise.resolve();
  #queued = 0;

  constructor(options: ThrottleOptions) {
    this.#options = options;
    this.#path = join(options.folder, accountName(options.baseUrl, options.key));
  }

  async acquire(request: AcquireOptions): Promise<Slot> {
    const { clock } = this.#options;
    const earlier = this.#queueEnd;
    let leave = () => {};
    this.#queueEnd = new Promise((resolve) => {
      leave = () => {
        this.#queued--;
        void earlier.then(resolve);
      };
    });
    try {
      if (this.#queued++ > 0)
        await this.#timed(request, "queue", undefined, unlessAborted(earlier, request.signal));
      for (;;) {
        const held = await this.#lock(request);
        const wait = this.#pace.next - clock.now();
        if (wait <= 0) return this.#slot(held, leave);
        held?.release();
        request.onEvent?.({ type: "wait", why: "pace", ms: wait });
        await clock.wait(wait, request.signal);
      }
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Reports a wait of unknown length, and its end. */
  async #timed<T>(
    { onEvent }: AcquireOptions,
    why: WaitReason,
    who: string | undefined,
    done: Promise<T>,
  ): Promise<T> {
    const started = this.#options.clock.now();
    onEvent?.({ type: "wait", why, ms: undefined, ...(who === undefined ? {} : { who }) });
    const result = await done;
    onEvent?.({ type: "waited", why, ms: this.#options.clock.now() - started });
    return result;
  }

  /**
   * Takes the lock and reads the pace that its last holder left; where the folder cannot hold them, only this process's
   * own pace counts.
   */
  async #lock(request: AcquireOptions): Promise<Held | undefined> {
    const { clock } = this.#options;
    let held: Held | undefined;
    if (!this.#alone)
      try {
        held = await this.#takeTurn(request);
        this.#pace = readPaceFile(`${this.#path}.pace`) ?? freely;
      } catch (error) {
        if (!(error instanceof LockUnusable)) throw error;
        this.#alone = true;
        request.onEvent?.({ type: "alone", reason: error.message });
      }
    this.#pace = currentPace(this.#pace, clock.now());
    return held;
  }

  /** Two locks: who waits for the account holds the other, so that its holder cannot take the account again before. */
  async #takeTurn({ signal, onEvent }: AcquireOptions): Promise<Held> {
    const { clock } = this.#options;
    const started = clock.now();
    let waited = false;
    const onWait = (who: string) => {
      if (!waited) onEvent?.({ type: "wait", why: "other-process", ms: undefined, who });
      waited = true;
    };
    const options = { ...this.#options, signal, onWait };
    const next = await takeLock(`${this.#path}-next`, { ...options, kept: this.#next });
    try {
      const held = await takeLock(this.#path, { ...options, kept: this.#turn });
      if (waited) onEvent?.({ type: "waited", why: "other-process", ms: clock.now() - started });
      return held;
    } finally {
      next.release();
    }
  }

  #slot(held: Held | undefined, leaveQueue: () => void): Slot {
    const { clock } = this.#options;
    const sentAt = clock.now();
    let released = false;
    return {
      release: (outcome) => {
        if (released) return;
        released = true;
        const before = this.#pace;
        const now = clock.now();
        // The clock may have been set back meanwhile.
        const sent = Math.min(sentAt, now);
        if (outcome.kind === "answered") this.#pace = afterAnswer(before, sent);
        if (outcome.kind === "limited") this.#pace = afterLimit(before, sent, now, outcome.pause);
        // As long as no limit was met there is nothing that another process has to know.
        const unlimited = before.gap === 0 && this.#pace.gap === 0 && this.#pace.limitedAt === 0;
        if (!unlimited) writePaceFile(`${this.#path}.pace`, this.#pace);
        held?.release();
        leaveQueue();
      },
    };
  }
}

/** A file name for the account that does not reveal the key. */
function accountName(baseUrl: string, key: string): string {
  const url = parseBaseUrl(baseUrl);
  const service = `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  return createHash("sha256").update(`${service}\0${key}`).digest("hex").slice(0, 24);
}

function readPaceFile(path: string): Pace | undefined {
  try {
    return readPace(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** Without the file the pace is learned again. */
function writePaceFile(path: string, pace: Pace): void {
  try {
    replaceFile(path, JSON.stringify(pace), { synced: false });
  } catch {
    // See above.
  }
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal?.removeEventListener("abort", abort));
  });
}
