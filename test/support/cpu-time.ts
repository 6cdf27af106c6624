/** The processor time of this process in milliseconds: unlike the time on the clock, other processes do not add to it. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * The first value below `limit`, or the least of three: something else on the machine, a compiler or a collector of garbage may
 * lengthen one measurement, what is measured lengthens each of them.
 */
export async function leastBelow(limit: number, measure: () => number | Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at < 3 && least >= limit; at++) least = Math.min(least, await measure());
  return least;
}

/** What `work` takes of the processor, in milliseconds. */
export async function cpuTimeOf(work: () => unknown): Promise<number> {
  const began = cpuTime();
  await work();
  return cpuTime() - began;
}
