import type { Clock } from "./clock.ts";
import { createQueue } from "./queue.ts";

/** Why a request waits before it is sent. */
export type WaitReason = "queue" | "other-process" | "pace";

/** Lets requests through one at a time. */
export interface Throttle {
  /**
   * Waits for the account's only slot.
   *
   * @throws what the signal was aborted with.
   */
  acquire(options: AcquireOptions): Promise<Slot>;
}

export interface AcquireOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onWait?: ((why: WaitReason, ms: number | undefined) => void) | undefined;
  readonly onWaited?: ((why: WaitReason, ms: number) => void) | undefined;
  readonly onAlone?: ((reason: string) => void) | undefined;
}

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
  /** Where processes of this machine meet; made if it is not there. */
  readonly folder: string;
  readonly baseUrl: string;
  readonly key: string;
  readonly clock: Clock;
  /** From 0 to 1, as Math.random. */
  random(): number;
}

/** One request in flight for each account, over all processes of the machine (architecture.md, Throttle). */
export function createThrottle(_options: ThrottleOptions): Throttle {
  const queue = createQueue();
  return {
    async acquire({ signal }) {
      const leave = await queue.enter(signal);
      return { release: leave };
    },
  };
}
