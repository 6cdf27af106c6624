import { type Held, takeLock } from "../../src/files/lock.ts";

/** A process that takes the locks of some files, each at its time, and keeps what it got until it is killed. */
interface Options {
  readonly paths: readonly string[];
  /** When to take the first, in epoch ms; each further one 5 ms later. */
  readonly begin?: number;
}

const { paths, begin = 0 } = JSON.parse(process.argv[2] ?? "") as Options;
const kept: Held[] = [];
for (const [index, path] of paths.entries()) {
  // All processes take it at once: a timer would be late by more than that takes.
  while (Date.now() < begin + 5 * index);
  try {
    const busy = new AbortController();
    kept.push(await takeLock(path, { signal: busy.signal, onWait: () => busy.abort("busy") }));
    process.stdout.write("held\n");
  } catch (error) {
    process.stdout.write(`${error}\n`);
  }
}
setInterval(() => kept.length, 60_000);
