import { randomUUID } from "node:crypto";
import { tooMany } from "./errors.ts";
import type { Claim, TurnRefusal, Turns } from "./store/dialects/engine.ts";

/** At most so many requests in so many seconds. */
export interface Burst {
  readonly requests: number;
  readonly seconds: number;
}

/** Frees the slot; calling it again does nothing. Never fails. */
export type Release = () => void | Promise<void>;

interface SlotsOptions {
  /** Where several servers share a database: each turn is a row in it. */
  readonly turns: Turns | undefined;
  now(): number;
  readonly burst: Burst | undefined;
  /** How long the turns of a server that was killed are kept, in milliseconds; 10 seconds if absent. */
  readonly lease?: number | undefined;
  onError(error: unknown): void;
}

// Beside other servers a turn may be given back a moment after the client has the end of a long answer: a request that
// finds its account busy is refused only after these pauses, in milliseconds.
const pauses = [10, 30, 60];

/** One active request per account (service-api.md, Limits), and with a `Burst` a limited number in any period. */
export class Slots {
  readonly #options: SlotsOptions;
  readonly #lease: number;
  /** Names this server. */
  readonly #server = randomUUID();
  #count = 0;
  /** The turns that this server has, or asks for: their holders, by account. */
  readonly #held = new Map<string, string>();
  /** The instants of the last requests of each account, oldest first, at most `burst.requests` of them. */
  readonly #recent = new Map<string, readonly number[]>();
  readonly #heartbeat: NodeJS.Timeout | undefined;

  constructor(options: SlotsOptions) {
    this.#options = options;
    this.#lease = options.lease ?? 10_000;
    this.#heartbeat = options.turns && setInterval(() => void this.#renew(), this.#lease / 3).unref();
  }

  /** @throws Problem 429 if the account is busy or too quick; nothing was taken then. */
  async take(account: string): Promise<Release> {
    const holder = `${this.#server}.${this.#count++}`;
    let refusal = await this.#claim(account, holder);
    for (const wait of this.#options.turns === undefined ? [] : pauses) {
      if (refusal?.reason !== "active") break;
      await new Promise((resolve) => setTimeout(resolve, wait));
      refusal = await this.#claim(account, holder);
    }
    if (refusal?.reason === "active")
      throw tooMany("another request of this account is active: wait until it has returned");
    if (refusal?.reason === "burst") {
      const wait = refusal.oldest + this.#period() - this.#options.now();
      throw tooMany("too many requests in quick succession", Math.max(1, Math.ceil(wait / 1000)));
    }
    let given: Promise<void> | undefined;
    return () => {
      given ??= this.#give(account, holder);
      return given;
    };
  }

  close(): void {
    clearInterval(this.#heartbeat);
  }

  async #claim(account: string, holder: string): Promise<TurnRefusal | undefined> {
    // Asking the database is not needed for what this process knows.
    if (this.#held.has(account)) return { reason: "active" };
    this.#held.set(account, holder);
    const { turns, burst, now } = this.#options;
    const at = now();
    const limit = burst && { requests: burst.requests, now: at, since: at - this.#period() };
    let refusal: TurnRefusal | undefined = { reason: "active" };
    try {
      refusal = turns
        ? await turns.take(account, { holder, lease: this.#lease, burst: limit })
        : this.#refuseBurst(account, limit);
    } finally {
      if (refusal !== undefined) this.#held.delete(account);
    }
    return refusal;
  }

  #refuseBurst(account: string, burst: Claim["burst"]): TurnRefusal | undefined {
    if (burst === undefined) return undefined;
    const { requests, now, since } = burst;
    // Instants in the future are from before the clock was set back; they must not block the account.
    const times = (this.#recent.get(account) ?? []).filter((time) => time > since && time <= now);
    const oldest = times[times.length - requests];
    if (oldest !== undefined) return { reason: "burst", oldest };
    this.#recent.set(account, [...times, now]);
    return undefined;
  }

  async #give(account: string, holder: string): Promise<void> {
    if (this.#held.get(account) === holder) this.#held.delete(account);
    // The lease ends where this fails.
    await this.#options.turns?.give(account, holder).catch(this.#options.onError);
  }

  async #renew(): Promise<void> {
    if (this.#held.size === 0) return;
    await this.#options.turns?.renew(this.#held, this.#lease).catch(this.#options.onError);
  }

  #period(): number {
    return (this.#options.burst?.seconds ?? 0) * 1000;
  }
}
