import { setTimeout } from "node:timers/promises";

/** Time, passed in so that tests can set it. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after so many milliseconds; rejects with the signal's reason as soon as it is aborted. */
  wait(ms: number, signal?: AbortSignal | undefined): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: (ms, signal) =>
    setTimeout(ms, undefined, { signal }).catch((error) => {
      throw signal?.aborted ? signal.reason : error;
    }),
};
