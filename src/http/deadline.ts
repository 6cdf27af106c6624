/** The time that one attempt has, and whatever else ends it. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Whether time ran out; if the signal is aborted without that, someone interrupted. */
  readonly expired: boolean;
  /** Begins the time anew. */
  restart(): void;
  /** Stops the timer. */
  end(): void;
}

/**
 * A drip of bytes keeps a connection alive for ever (wire.md, Answers): only a deadline for the whole attempt ends it.
 * Its signal also aborts when `outer` does, with the same reason.
 */
export function startDeadline(ms: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let expired = false;
  let timer: NodeJS.Timeout | undefined;
  const expire = () => {
    expired = true;
    controller.abort(new Error("out of time"));
  };
  const restart = () => {
    clearTimeout(timer);
    timer = setTimeout(expire, ms);
  };
  const stop = () => controller.abort(outer?.reason);
  if (outer?.aborted) stop();
  else outer?.addEventListener("abort", stop, { once: true });
  restart();
  return {
    signal: controller.signal,
    get expired() {
      return expired;
    },
    restart,
    end() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", stop);
    },
  };
}

/** One signal of two. */
export function eitherSignal(
  one: AbortSignal | undefined,
  other: AbortSignal | undefined,
): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other);
}

/**
 * The promise's outcome, or the signal's reason if it aborts first and the promise says nothing about it at once. What
 * comes too late goes to `late`.
 */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal, late: (value: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      reject(signal.reason);
      promise.then(late, () => {});
    };
    // A transport that listens to the signal knows better how far the request got.
    const stop = () => setImmediate(giveUp);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    const stopListening = () => signal.removeEventListener("abort", stop);
    promise.then(
      (value) => {
        stopListening();
        resolve(value);
      },
      (error: unknown) => {
        stopListening();
        reject(error);
      },
    );
  });
}
