import type { DayFigures } from "./figures.ts";

/** A level of the heat map: days with `from` to `to` reviews; the last one has no end. */
interface HeatLevel {
  /** 1 to 4; 0 is a day without a review. */
  readonly level: number;
  readonly from: number;
  readonly to: number | null;
}

/**
 * The levels that days are in, the least first. They part the days with a review into at most four groups of about the
 * same size. The day with the most reviews is in level 4; where there is more than one group, the least is in level 1.
 */
export function heatLevels(days: readonly DayFigures[]): readonly HeatLevel[] {
  const counts = days.flatMap(({ reviews }) => (reviews > 0 ? [reviews] : [])).sort((a, b) => a - b);
  const bounds = [0.25, 0.5, 0.75].map((share) => counts[Math.ceil(share * (counts.length - 1))] ?? 1);
  const groups = [...new Set([1, ...bounds])]
    .map((from, index, starts) => ({ from, to: (starts[index + 1] ?? 0) - 1 }))
    .filter(({ from, to }) => counts.some((count) => count >= from && (to < 0 || count <= to)));
  const last = groups.length - 1;
  return groups.map(({ from, to }, index) => ({
    level: index === last ? 4 : 1 + Math.round((index / last) * 3),
    from,
    to: index === last ? null : to,
  }));
}

/** The level of a day with so many reviews. */
export const heatLevelOf = (reviews: number, levels: readonly HeatLevel[]): number =>
  levels.findLast(({ from }) => reviews >= from)?.level ?? 0;

/** The reviews of a level: `10–19`, `20+`. */
export const heatRange = ({ from, to }: HeatLevel, dash = "–"): string =>
  to === null ? `${from}+` : to === from ? `${from}` : `${from}${dash}${to}`;

const dayLength = 86_400_000;

/** The days up to one, as many as are wanted, each with its figures: one without a review took no time. */
export function lastDays(days: readonly DayFigures[], last: string, count: number): DayFigures[] {
  const known = new Map(days.map((day) => [day.date, day]));
  return Array.from({ length: count }, (_, index) => {
    const at = Date.parse(last) - (count - 1 - index) * dayLength;
    const date = new Date(at).toISOString().slice(0, 10);
    return known.get(date) ?? { date, reviews: 0, new: 0, seconds: 0 };
  });
}

/** The days of the weeks up to a day, which begin on Monday. */
export function weeksUpTo(days: readonly DayFigures[], last: string, weeks: number): DayFigures[] {
  const weekday = (new Date(last).getUTCDay() + 6) % 7;
  return lastDays(days, last, (weeks - 1) * 7 + weekday + 1);
}
