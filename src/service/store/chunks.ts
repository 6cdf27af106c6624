// Few different lengths, so that the statements can be kept: a list is filled up with its last item.
const sizes = [1, 10, 100, 500];

/** Asks about many values, some hundred at a time. */
export async function inChunks<T>(values: readonly T[], ask: (chunk: T[]) => Promise<void>): Promise<void> {
  let at = 0;
  while (at < values.length) {
    const left = values.length - at;
    const size = sizes.find((candidate) => candidate >= left) ?? 500;
    const chunk = values.slice(at, at + size);
    const last = chunk.at(-1) as T;
    while (chunk.length < size) chunk.push(last);
    await ask(chunk);
    at += size;
  }
}
