import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type Burst, busy, type Release, type Slots, tooQuick } from "./slots.ts";
import type { TurnRefusal, Turns } from "./store/dialects/engine.ts";

interface SharedSlotsOptions {
  now(): number;
  readonly burst: Burst | undefined;
  /** How long the turns of a server that was killed are kept, in milliseconds; 10 seconds if absent. */
  readonly lease?: number | undefined;
  onError(error: unknown): void;
}

// A turn may be given back a moment after the client has the end of a long answer: a request that finds its account busy
// is refused only after these pauses, in milliseconds.
const pauses = [10, 30, 60];

/** The slots of a server beside others: each turn is a row in the database that all of them share. */
export class SharedSlots implements Slots {
  readonly #turns: Turns;
  readonly #options: SharedSlotsOptions;
  readonly #lease: number;
  /** Names this server. */
  readonly #server = randomUUID();
  #count = 0;
  /** The turns that this server has: their holders, by account. */
  readonly #held = new Map<string, string>();
  readonly #heartbeat: NodeJS.Timeout;

  constructor(turns: Turns, options: SharedSlotsOptions) {
    this.#turns = turns;
    this.#options = options;
    this.#lease = options.lease ?? 10_000;
    this.#heartbeat = setInterval(() => void this.#renew(), this.#lease / 3);
    this.#heartbeat.unref();
  }

  async take(account: string): Promise<Release> {
    const holder = `${this.#server}.${this.#count++}`;
    let refusal = await this.#claim(account, holder);
    for (const wait of pauses) {
      if (refusal?.reason !== "active") break;
      await pause(wait);
      refusal = await this.#claim(account, holder);
    }
    if (refusal?.reason === "active") throw busy();
    if (refusal?.reason === "burst") throw tooQuick(refusal.oldest + this.#period() - this.#options.now());
    this.#held.set(account, holder);
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
    const { burst, now } = this.#options;
    const at = now();
    const limit = burst && { requests: burst.requests, now: at, since: at - this.#period() };
    return this.#turns.take(account, { holder, lease: this.#lease, burst: limit });
  }

  async #give(account: string, holder: string): Promise<void> {
    if (this.#held.get(account) === holder) this.#held.delete(account);
    // The lease ends where this fails.
    await this.#turns.give(account, holder).catch(this.#options.onError);
  }

  async #renew(): Promise<void> {
    if (this.#held.size === 0) return;
    await this.#turns.renew(this.#held, this.#lease).catch(this.#options.onError);
  }

  #period(): number {
    return (this.#options.burst?.seconds ?? 0) * 1000;
  }
}
