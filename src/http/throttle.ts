import type { Clock } from "../files/clock.ts";
import { type Held, LockUnusable, takeLock } from "../files/lock.ts";
import { Pace } from "./pace.ts";

interface AcquireOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: ThrottleEvent) => void) | undefined;
}

export type ThrottleEvent =
  /** A wait begins. `ms` is undefined where its length is unknown. `who` it waits for. */
  | {
      readonly type: "wait";
      readonly why: "other-process" | "pace";
      readonly ms: number | undefined;
      readonly who?: string;
    }
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
  /** Where the processes of this machine share the lock of the account; its folder is created if it does not exist. */
  readonly path: string;
  readonly clock: Clock;
}

/**
 * One request in flight per account over all processes of the machine, at the pace that the service allows
 * (docs/design/wire.md, Pacing): a queue in the process, a lock between processes, and beside it a file with the pace.
 */
export class Throttle {
  readonly #options: ThrottleOptions;
  readonly #pace: Pace;
  #alone = false;
  /** Resolves when the last one in the queue leaves. */
  #queueEnd: Promise<void> = Promise.resolve();

  constructor(options: ThrottleOptions) {
    this.#options = options;
    this.#pace = new Pace(`${options.path}.pace`);
  }

  /** Waits for the account's only slot. @throws the reason of the signal */
  async acquire(request: AcquireOptions): Promise<Slot> {
    const { clock } = this.#options;
    const earlier = this.#queueEnd;
    let leave = () => {};
    this.#queueEnd = new Promise((resolve) => {
      leave = () => void earlier.then(resolve);
    });
    try {
      await unlessAborted(earlier, request.signal);
      for (;;) {
        const held = await this.#lock(request);
        this.#pace.read(clock.now());
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

  /**
   * Two locks: who waits for the account holds the other, so that its holder cannot take the account again before.
   *
   * @returns undefined where the folder cannot hold them: then only this process's own requests count
   */
  async #lock({ signal, onEvent }: AcquireOptions): Promise<Held | undefined> {
    if (this.#alone) return undefined;
    const { clock, path } = this.#options;
    let waits = false;
    const onWait = (who: string) => {
      if (!waits) onEvent?.({ type: "wait", why: "other-process", ms: undefined, who });
      waits = true;
    };
    try {
      const next = await takeLock(`${path}-next`, { clock, signal, onWait });
      try {
        return await takeLock(path, { clock, signal, onWait });
      } finally {
        next.release();
      }
    } catch (error) {
      if (!(error instanceof LockUnusable)) throw error;
      this.#alone = true;
      onEvent?.({ type: "alone", reason: error.message });
      return undefined;
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
        const now = clock.now();
        // The clock may have been set back meanwhile.
        const sent = Math.min(sentAt, now);
        if (outcome.kind === "answered") this.#pace.answered(sent);
        if (outcome.kind === "limited") this.#pace.limited(sent, now, outcome.pause);
        held?.release();
        leaveQueue();
      },
    };
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
