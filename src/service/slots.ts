import { tooMany } from "./errors.ts";

/** So many requests in so many seconds. */
export interface Burst {
  readonly requests: number;
  readonly seconds: number;
}

/** Lets go of the slot; calling it again does nothing. */
export type Release = () => void;

/**
 * One active request per account (service-api.md, Limits), and with `burst` only so many in any stretch of time.
 */
export interface Slots {
  /** @throws Problem 429 if the account is busy or too quick; then nothing was taken. */
  take(account: string): Release;
}

export function createSlots(now: () => number, burst: Burst | undefined): Slots {
  const active = new Map<string, boolean>();
  // The instants of the last requests of each account, oldest first, at most `burst.requests` of them.
  const recent = new Map<string, number[]>();

  function refuseBurst(account: string, { requests, seconds }: Burst): void {
    const at = now();
    // Those to come are of before the clock was set back: nobody is to wait until it is as late again.
    const times = (recent.get(account) ?? []).filter((time) => time > at - seconds * 1000 && time <= at);
    const oldest = times[times.length - requests];
    if (oldest !== undefined)
      throw tooMany("too many requests in quick succession", secondsUntil(oldest + seconds * 1000 - at));
    recent.set(account, [...times, at]);
  }

  return {
    take(account) {
      if (active.get(account) === true)
        throw tooMany("another request of this account is active: wait until it has returned");
      if (burst !== undefined) refuseBurst(account, burst);
      active.set(account, true);
      let released = false;
      return () => {
        if (released) return;
        released = true;
        // Kept, as an empty set would be made anew with each request.
        active.set(account, false);
      };
    },
  };
}

const secondsUntil = (ms: number) => Math.max(1, Math.ceil(ms / 1000));
