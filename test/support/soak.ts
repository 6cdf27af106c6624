/**
 * How much a test of faults does: little in `npm test`, the full counts in `npm run test:soak`, or what the environment
 * says: COUNT_CARDS=500 for the count named `cards`.
 */
export function count(name: string, quick: number, full: number): number {
  const given = process.env[`COUNT_${name.toUpperCase()}`];
  if (given !== undefined && given !== "") return Number(given);
  return isSoak ? full : quick;
}

export const isSoak = process.env["DECKHAND_SOAK"] === "1";

/** Decides all that is random; SEED=<number> repeats a run. */
export const seed = Number(process.env["SEED"] || 1);

/** A line for the one who reads the figures of a long run. */
export function figure(what: string, value: unknown): void {
  if (isSoak) process.stdout.write(`[seed ${seed}] ${what}: ${JSON.stringify(value)}\n`);
}
