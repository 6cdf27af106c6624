import { setImmediate } from "node:timers/promises";

/** The lock between processes and the socket take some turns of the event loop until a request is on its way. */
const turns = 3;

/**
 * The same items, each asked for while whoever reads is still busy with the one before. Only one is ever on its way; when
 * the reader leaves, it is waited for.
 */
export async function* ahead<T>(items: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  const iterator = items[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = iterator.next();
      // Told when it is asked for; until then it is nobody's.
      next.catch(() => {});
      for (let turn = 0; turn < turns; turn++) await setImmediate();
      yield value as T;
    }
  } finally {
    await next.catch(() => {});
    await iterator.return?.();
  }
}
