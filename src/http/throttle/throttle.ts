import { ServiceError } from "../../errors.ts";
import type { AccountLock, HeldAccount, ThrottleOptions } from "./account-lock.ts";
import { afterAnswer, afterLimit, currentPace, freely, longestPause, type Pace } from "./pace.ts";

/** Why a request waits before it is sent. */
type WaitReason = "queue" | "other-process" | "pace";

/** Lets requests through one at a time. */
export interface Throttle {
  /**
   * Waits for the account's only slot.
   *
   * @throws ServiceError if the service asked for a pause that is too long to wait; the reason of the signal.
   */
  acquire(options: AcquireOptions): Promise<Slot>;
}

interface AcquireOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: ThrottleEvent) => void) | undefined;
}

export type ThrottleEvent =
  /** A wait begins. `ms` is undefined where its length is unknown; "waited" then reports its end. */
  | { readonly type: "wait"; readonly why: WaitReason; readonly ms: number | undefined }
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

/** For the local service in the same process, which has no limits. */
export const noThrottle: Throttle = { acquire: async () => ({ release: () => {} }) };

/**
 * One request in flight per account over all processes of the machine, at the pace that the service allows
 * (docs/design/wire.md, Pacing): a queue in the process, a lock between processes, and beside it a file with the pace.
 */
export const createThrottle = (options: ThrottleOptions): Throttle => new AccountThrottle(options);

/** Shorter waits keep the lock, so that the order stays. */
const shortWait = 100;

type Unlock = HeldAccount["release"];

class AccountThrottle implements Throttle {
  readonly #options: ThrottleOptions;
  #locking: Promise<typeof import("./account-lock.ts")> | undefined;
  #lock: AccountLock | "unusable" | undefined;
  #pace: Pace = freely;
  /** Resolves when the last one in the queue leaves. */
  #queueEnd: Promise<void> = Promise.resolve();
  #queued = 0;

  constructor(options: ThrottleOptions) {
    this.#options = options;
  }

  async acquire(request: AcquireOptions): Promise<Slot> {
    const { clock } = this.#options;
    const leaveQueue = await this.#enterQueue(request);
    try {
      for (;;) {
        const unlock = await this.#enterAccount(request);
        try {
          const wait = this.#pace.next - clock.now();
          if (wait > longestPause) throw mustPause(this.#pace.next);
          if (wait > 0) request.onEvent?.({ type: "wait", why: "pace", ms: wait });
          if (wait <= shortWait) {
            if (wait > 0) await clock.wait(wait, request.signal);
            return this.#slot(unlock, leaveQueue);
          }
          unlock();
          await clock.wait(wait, request.signal);
        } catch (error) {
          unlock();
          throw error;
        }
      }
    } catch (error) {
      leaveQueue();
      throw error;
    }
  }

  /** Waits until the earlier requests of this process are done. Returns what ends this one. */
  async #enterQueue({ signal, onEvent }: AcquireOptions): Promise<() => void> {
    signal?.throwIfAborted();
    const { clock } = this.#options;
    const earlier = this.#queueEnd;
    let leave = () => {};
    this.#queueEnd = new Promise((resolve) => {
      leave = () => {
        leave = () => {};
        this.#queued--;
        resolve();
      };
    });
    if (this.#queued++ === 0) return () => leave();
    const started = clock.now();
    onEvent?.({ type: "wait", why: "queue", ms: undefined });
    try {
      await unlessAborted(earlier, signal);
    } catch (error) {
      void earlier.then(() => leave());
      throw error;
    }
    onEvent?.({ type: "waited", why: "queue", ms: clock.now() - started });
    return () => leave();
  }

  /**
   * Takes the lock and reads the pace that its last holder left; where the folder cannot hold them, only this process's
   * own pace counts.
   */
  async #enterAccount({ signal, onEvent }: AcquireOptions): Promise<Unlock> {
    const { clock } = this.#options;
    let unlock: Unlock = () => {};
    if (this.#lock !== "unusable") {
      this.#locking ??= import("./account-lock.ts");
      const { AccountLock, LockUnusable } = await this.#locking;
      this.#lock ??= new AccountLock(this.#options);
      const started = clock.now();
      let waited = false;
      const onWait = () => {
        waited = true;
        onEvent?.({ type: "wait", why: "other-process", ms: undefined });
      };
      try {
        const held = await this.#lock.take({ signal, onWait });
        unlock = held.release;
        this.#pace = held.pace ?? this.#pace;
      } catch (error) {
        if (!(error instanceof LockUnusable)) throw error;
        this.#lock = "unusable";
        onEvent?.({ type: "alone", reason: error.message });
      }
      if (waited) onEvent?.({ type: "waited", why: "other-process", ms: clock.now() - started });
    }
    this.#pace = currentPace(this.#pace, clock.now());
    return unlock;
  }

  #slot(unlock: Unlock, leaveQueue: () => void): Slot {
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
        if (outcome.kind === "answered") this.#pace = afterAnswer(before, sent, now);
        if (outcome.kind === "limited") this.#pace = afterLimit(before, sent, now, outcome.pause);
        // As long as no limit was met there is nothing that another process has to know.
        const unlimited = before.gap === 0 && this.#pace.gap === 0 && this.#pace.limitedAt === 0;
        unlock(unlimited ? undefined : this.#pace, outcome.kind === "answered");
        leaveQueue();
      },
    };
  }
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal?.removeEventListener("abort", abort));
  });
}

function mustPause(until: number): ServiceError {
  const when = new Date(until).toISOString().slice(0, 16).replace("T", " ");
  return new ServiceError("rate-limited", `the service asked for no more requests before ${when} UTC (429)`, {
    status: 429,
    hint: "Nothing was sent. If the service answers again by now: deckhand doctor --reset-pace",
  });
}
