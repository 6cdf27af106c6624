import { setImmediate } from "node:timers/promises";

/**
 * The lock between processes and the socket take some turns of the event loop until a request is on its way; what is in the
 * same process has answered by then.
 */
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
      let there = false;
      const arrive = () => {
        there = true;
      };
      // An error is told when the item is asked for; until then it is nobody's.
      next.then(arrive, arrive);
      for (let turn = 0; turn < turns && !there; turn++) await setImmediate();
      yield value as T;
    }
  } finally {
    await next.catch(() => {});
    await iterator.return?.();
  }
}
