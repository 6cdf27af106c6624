import { ServiceError } from "../../errors.ts";
import type { Clock } from "../../files/clock.ts";
import { longestPause } from "../retry.ts";
import type { SharedSlot } from "./account-lock.ts";
import { afterAnswer, afterLimit, currentPace, freely, type Pace } from "./pace.ts";
import { createQueue } from "./queue.ts";

/** Why a request waits before it is sent. */
export type WaitReason = "queue" | "other-process" | "pace";

/** Lets requests through one at a time. */
export interface Throttle {
  /**
   * Waits for the account's only slot.
   *
   * @throws ServiceError if the service asked for a longer pause than anyone wants to wait; what the signal was aborted
   * with.
   */
  acquire(options: AcquireOptions): Promise<Slot>;
}

interface AcquireOptions {
  readonly signal?: AbortSignal | undefined;
  readonly tell?: ((event: ThrottleEvent) => void) | undefined;
}

export type ThrottleEvent =
  /** A wait begins; `ms` is undefined where it depends on others, and "waited" then tells its end. */
  | { readonly type: "wait"; readonly why: WaitReason; readonly ms: number | undefined }
  | { readonly type: "waited"; readonly why: WaitReason; readonly ms: number }
  /** Requests of other processes cannot be seen: the folder of the locks is not usable. */
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

/** For the local service in the same process, which needs none of it (architecture.md, Throttle). */
export const noThrottle: Throttle = { acquire: async () => ({ release: () => {} }) };

export interface ThrottleOptions {
  /** Where the processes of this machine meet; made if it is not there. */
  readonly folder: string;
  readonly baseUrl: string;
  readonly key: string;
  readonly clock: Clock;
  /** From 0 to 1, as Math.random. */
  random(): number;
}

/** Waits shorter than this are waited out with the lock held, so that the order stays. */
const shortWait = 100;

/**
 * One request in flight for each account, over all processes of the machine, at the pace that the service allows
 * (architecture.md, Throttle): in the process a fair queue, between processes a lock, beside it a file with the pace.
 */
export function createThrottle(options: ThrottleOptions): Throttle {
  const { clock } = options;
  const queue = createQueue();
  let sharing: typeof import("./account-lock.ts") | undefined;
  let shared: SharedSlot | undefined;
  let alone = false;
  let pace = freely;

  /** The lock and the pace that the last holder left; in a folder that cannot hold them, only this process's. */
  async function enter(
    request: AcquireOptions,
  ): Promise<{ leave(pace: Pace | undefined, next: boolean): void }> {
    if (!alone) {
      // Not asked for again: that alone would take longer than all the rest of this.
      sharing ??= await import("./account-lock.ts");
      shared ??= sharing.openSharedSlot(options);
      try {
        const started = clock.now();
        let waited = false;
        const held = await shared.take({
          signal: request.signal,
          onWait: () => {
            waited = true;
            request.tell?.({ type: "wait", why: "other-process", ms: undefined });
          },
        });
        if (waited) request.tell?.({ type: "waited", why: "other-process", ms: clock.now() - started });
        pace = held.pace ?? pace;
        return held;
      } catch (error) {
        if (!(error instanceof sharing.LockUnusable)) throw error;
        alone = true;
        request.tell?.({ type: "alone", reason: error.message });
      }
    }
    return { leave: () => {} };
  }

  async function waitForQueue({ signal, tell }: AcquireOptions): Promise<() => void> {
    if (!queue.busy) return queue.enter(signal);
    const started = clock.now();
    tell?.({ type: "wait", why: "queue", ms: undefined });
    const leave = await queue.enter(signal);
    tell?.({ type: "waited", why: "queue", ms: clock.now() - started });
    return leave;
  }

  return {
    async acquire(request) {
      const leaveQueue = await waitForQueue(request);
      let leaveShared: ((pace: Pace | undefined, next: boolean) => void) | undefined;
      try {
        for (;;) {
          const held = await enter(request);
          leaveShared = held.leave;
          pace = currentPace(pace, clock.now());
          const wait = pace.next - clock.now();
          if (wait > longestPause) throw mustPause(pace.next);
          if (wait > 0) request.tell?.({ type: "wait", why: "pace", ms: wait });
          if (wait > shortWait) leaveShared(undefined, false);
          if (wait > 0) await clock.wait(wait, request.signal);
          if (wait <= shortWait) break;
        }
      } catch (error) {
        leaveShared?.(undefined, false);
        leaveQueue();
        throw error;
      }
      const sentAt = clock.now();
      let released = false;
      return {
        release(outcome) {
          if (released) return;
          released = true;
          const before = pace;
          const now = clock.now();
          // The clock may have been set back meanwhile: nothing is to wait until it is as late again.
          const sent = Math.min(sentAt, now);
          if (outcome.kind === "answered") pace = afterAnswer(pace, sent, now);
          if (outcome.kind === "limited") pace = afterLimit(pace, sent, now, outcome.pause);
          // As long as no limit was met there is nothing that another process has to know.
          const unlimited = before.gap === 0 && pace.gap === 0 && pace.limitedAt === 0;
          leaveShared?.(unlimited ? undefined : pace, outcome.kind === "answered");
          leaveQueue();
        },
      };
    },
  };
}

function mustPause(until: number): ServiceError {
  const when = new Date(until).toISOString().slice(0, 16).replace("T", " ");
  return new ServiceError("rate-limited", `the service asked for no more requests before ${when} UTC (429)`, {
    status: 429,
    hint: "Nothing was sent.",
  });
}
