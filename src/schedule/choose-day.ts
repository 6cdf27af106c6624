import { get_fuzz_range } from "ts-fsrs";
import { type EasyDays, hashOf } from "./easy-days.ts";

/**
 * The day on which a card comes back (docs/design/review.md): inside the range that FSRS allows around its interval, the
 * day with the fewest cards. Pure. Loads ts-fsrs: import it dynamically.
 */

/** Below this many days an interval is kept as it is. */
const leastFuzzed = 2.5;
/** A hundred years: the most that FSRS gives. */
const longest = 36_500;

export interface DayChoice {
  /** What FSRS gives, in whole days. */
  readonly interval: number;
  /** Whole days since the review before this one; 0 for the first. */
  readonly elapsed: number;
  /** The user's day of the review (`Days.dayOf`). */
  readonly day: number;
  /** Decides among equal days: the same review always gives the same day. */
  readonly seed: string;
  /** How many cards are due on a day; without it only the seed and the easy days decide. */
  readonly loadOf?: ((day: number) => number) | undefined;
  /** The share of a normal day's cards for each weekday from Sunday, 0 to 1; all 1 if absent. */
  readonly shares?: EasyDays | undefined;
}

/** The shortest and the longest interval that a card may come back after, in days. */
export function fuzzRange(
  interval: number,
  elapsed: number,
): { readonly least: number; readonly most: number } {
  if (interval < leastFuzzed) return { least: interval, most: interval };
  const { min_ivl, max_ivl } = get_fuzz_range(interval, elapsed, longest);
  return { least: min_ivl, most: max_ivl };
}

/** The interval in days after which the card comes back. */
export function chooseInterval({ interval, elapsed, day, seed, loadOf, shares }: DayChoice): number {
  const { least, most } = fuzzRange(interval, elapsed);
  const random = hashOf(seed);
  let chosen: { readonly interval: number; readonly score: number; readonly order: number } | undefined;
  for (let each = least; each <= most; each++) {
    const share = shares?.[weekdayOf(day + each)] ?? 1;
    const load = (loadOf?.(day + each) ?? 0) + 1;
    // A day off is chosen only where there is no other; the loads decide among days off.
    const score = share > 0 ? load / share : 1e9 + load;
    const order = hashOf(`${random} ${each}`);
    if (chosen === undefined || score < chosen.score || (score === chosen.score && order < chosen.order))
      chosen = { interval: each, score, order };
  }
  return chosen?.interval ?? interval;
}

/** From 0, which is Sunday. The first day, 1970-01-01, was a Thursday. */
const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7;
