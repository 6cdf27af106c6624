import type { Bin, Figures } from "../../stats/figures.ts";
import { visible } from "../sanitize.ts";
import { count } from "../words.ts";
import { duration } from "./screen.ts";

/** The statistics as sentences and numbers, for screen readers and `--plain`. */
export function statsNumbers(figures: Figures): string[] {
  const { today, streak, due, totals } = figures;
  const tomorrow = due.days[1]?.cards ?? 0;
  const week = due.days.slice(0, 7).reduce((sum, { cards }) => sum + cards, 0);
  return [
    `Today: ${count(today.reviews, "review")}, ${today.remembered} remembered, ${today.new} ${today.new === 1 ? "was" : "were"} new${time(today.seconds)}.`,
    `Streak: ${count(streak.current, "day")}, longest ${count(streak.longest, "day")}.`,
    `Due: ${due.overdue} overdue, ${due.days[0]?.cards ?? 0} today, ${tomorrow} tomorrow, ${week} within 7 days.`,
    `Cards: ${totals.cards}; ${totals.new} new, ${totals.young} young, ${totals.mature} mature, ${totals.archived} archived.`,
    `Reviews: ${totals.reviews} on ${count(figures.days.length, "day")}${time(totals.seconds)}.`,
    ...figures.retention.map(
      ({ month, reviews, true: measured, predicted }) =>
        `Retention in ${month}: measured ${share(measured)}, predicted ${share(predicted)}, of ${count(reviews, "review")}.`,
    ),
    `Intervals in days: ${spread(figures.intervals)}.`,
    `Stability in days: ${spread(figures.stability)}.`,
    `Difficulty: ${spread(figures.difficulty)}.`,
    `Chance to recall now: ${spread(figures.retrievability)}.`,
    ...figures.hardest.map(({ id, lapses, name }) =>
      `Hard card ${visible(id)}: ${count(lapses, "lapse")}. ${visible(name ?? "")}`.trimEnd(),
    ),
  ];
}

const time = (seconds: number | null): string => (seconds === null ? "" : `, ${duration(seconds)}`);

const share = (value: number | null): string => (value === null ? "unknown" : `${Math.round(value * 100)}%`);

const spread = (bins: readonly Bin[]): string => {
  const parts = bins.filter(({ cards }) => cards > 0);
  if (parts.length === 0) return "no cards yet";
  return parts
    .map(({ from, to, cards }) => `${to === null ? `${from} and more` : `${from} to ${to}`}: ${cards}`)
    .join(", ");
};
