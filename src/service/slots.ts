import { tooMany } from "./errors.ts";

/** At most so many requests in so many seconds. */
export interface Burst {
  readonly requests: number;
  readonly seconds: number;
}

/** Frees the slot; calling it again does nothing. Never fails. */
export type Release = () => void | Promise<void>;

/** One active request per account (service-api.md, Limits), and with a `Burst` a limited number in any period. */
export interface Slots {
  /** @throws Problem 429 if the account is busy or too quick; nothing was taken then. */
  take(account: string): Release | Promise<Release>;
  close(): void;
}

/** The slots of a process that serves its accounts alone. */
export class OwnSlots implements Slots {
  readonly #now: () => number;
  readonly #burst: Burst | undefined;
  readonly #active = new Set<string>();
  /** The instants of the last requests of each account, oldest first, at most `burst.requests` of them. */
  readonly #recent = new Map<string, readonly number[]>();

  constructor(now: () => number, burst: Burst | undefined) {
    this.#now = now;
    this.#burst = burst;
  }

  take(account: string): Release {
    if (this.#active.has(account)) throw busy();
    if (this.#burst !== undefined) this.#refuseBurst(account, this.#burst);
    this.#active.add(account);
    let held = true;
    return () => {
      if (held) this.#active.delete(account);
      held = false;
    };
  }

  close(): void {}

  #refuseBurst(account: string, { requests, seconds }: Burst): void {
    const at = this.#now();
    const period = seconds * 1000;
    // Instants in the future are from before the clock was set back; they must not block the account.
    const times = (this.#recent.get(account) ?? []).filter((time) => time > at - period && time <= at);
    const oldest = times[times.length - requests];
    if (oldest !== undefined) throw tooQuick(oldest + period - at);
    this.#recent.set(account, [...times, at]);
  }
}

export const busy = () => tooMany("another request of this account is active: wait until it has returned");

/** @param wait in milliseconds */
export const tooQuick = (wait: number) =>
  tooMany("too many requests in quick succession", Math.max(1, Math.ceil(wait / 1000)));
