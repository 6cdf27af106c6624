import type { Cutoff } from "../schema/index.ts";

/**
 * The time that one attempt has, and whatever else ends it: it also happens when `outer` is aborted, with the same
 * reason. A drip of bytes keeps a connection alive for ever (wire.md, Answers): only a deadline for the whole attempt
 * ends it.
 */
export class Deadline implements Cutoff {
  readonly #ms: number;
  readonly #outer: AbortSignal | undefined;
  readonly #interrupted = () => this.#happen(this.#outer?.reason);
  readonly #expire = () => {
    this.#expired = true;
    this.#happen(new Error("out of time"));
  };
  #listeners: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #happened = false;
  #expired = false;
  #reason: unknown;

  /** @param ms milliseconds from now */
  constructor(ms: number, outer: AbortSignal | undefined) {
    this.#ms = ms;
    this.#outer = outer;
    if (outer?.aborted) this.#interrupted();
    else outer?.addEventListener("abort", this.#interrupted, { once: true });
    this.restart();
  }

  get happened(): boolean {
    return this.#happened;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** Whether time ran out; if it happened without that, someone interrupted. */
  get expired(): boolean {
    return this.#expired;
  }

  listen(listener: () => void): void {
    this.#listeners.push(listener);
  }

  unlisten(listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at !== -1) this.#listeners.splice(at, 1);
  }

  /** Begins the time anew. */
  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#expire, this.#ms);
  }

  /** Stops the timer. */
  end(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#interrupted);
  }

  #happen(reason: unknown): void {
    if (this.#happened) return;
    this.#happened = true;
    this.#reason = reason;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }
}

/** One signal of two. */
export function eitherSignal(
  one: AbortSignal | undefined,
  other: AbortSignal | undefined,
): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other);
}

/**
 * The promise's outcome, or the reason of the cutoff if that happens first and the promise says nothing about it at
 * once. What comes too late goes to `late`.
 */
export function orCutOff<T>(promise: Promise<T>, cutoff: Cutoff, late: (value: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      reject(cutoff.reason);
      promise.then(late, () => {});
    };
    // A transport that listens, too, knows better how far the request got.
    const stop = () => setImmediate(giveUp);
    if (cutoff.happened) stop();
    else cutoff.listen(stop);
    promise.then(
      (value) => {
        cutoff.unlisten(stop);
        resolve(value);
      },
      (error: unknown) => {
        cutoff.unlisten(stop);
        reject(error);
      },
    );
  });
}
