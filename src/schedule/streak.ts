/** Days in a row with a review. The current ones may end yesterday: today is not over yet. */
export interface Streak {
  readonly current: number;
  readonly longest: number;
}

/** @param days those with a review, in any order, each as often as it comes */
export function streakOf(days: Iterable<number>, today: number): Streak {
  let [longest, run] = [0, 0];
  let last: number | undefined;
  for (const day of [...new Set(days)].sort((a, b) => a - b)) {
    if (day > today) break;
    run = last === day - 1 ? run + 1 : 1;
    longest = Math.max(longest, run);
    last = day;
  }
  const alive = last !== undefined && last >= today - 1;
  return { current: alive ? run : 0, longest };
}
