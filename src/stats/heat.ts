import type { DayFigures } from "./figures.ts";

/**
 * The level of a day in the heat map, by its reviews: 0 without any, else 1 to 4, which part the days with a review into
 * four groups of about the same size. The day with the most reviews is in level 4.
 */
export function heatLevels(days: readonly DayFigures[]): (reviews: number) => number {
  const counts = days.flatMap(({ reviews }) => (reviews > 0 ? [reviews] : [])).sort((a, b) => a - b);
  const bounds = [0.25, 0.5, 0.75].map((share) => counts[Math.ceil(share * (counts.length - 1))] ?? 1);
  return (reviews) => (reviews === 0 ? 0 : 1 + bounds.filter((bound) => reviews >= bound).length);
}

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
