/** A fair queue for one: whoever came first goes first. */
export interface Queue {
  /** Whether someone is in. */
  readonly busy: boolean;
  /**
   * Waits for its turn.
   *
   * @returns what ends it; only the first call counts.
   * @throws what the signal was aborted with.
   */
  enter(signal: AbortSignal | undefined): Promise<() => void>;
}

export function createQueue(): Queue {
  const waiting: (() => void)[] = [];
  let busy = false;
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) busy = false;
    else next();
  };
  const ticket = () => {
    let left = false;
    return () => {
      if (!left) leave();
      left = true;
    };
  };
  return {
    get busy() {
      return busy;
    },
    enter(signal) {
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (!busy) {
        busy = true;
        return Promise.resolve(ticket());
      }
      return new Promise((resolve, reject) => {
        const called = () => {
          signal?.removeEventListener("abort", stop);
          resolve(ticket());
        };
        const stop = () => {
          waiting.splice(waiting.indexOf(called), 1);
          reject(signal?.reason);
        };
        waiting.push(called);
        signal?.addEventListener("abort", stop, { once: true });
      });
    },
  };
}
