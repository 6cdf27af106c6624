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
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const done = () => {
        signal?.removeEventListener("abort", stop);
        resolve();
      };
      const timer = setTimeout(done, ms);
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", stop, { once: true });
    }),
};
