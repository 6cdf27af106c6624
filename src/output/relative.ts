import type { Kind } from "../schema/kinds.ts";
import { count } from "./words.ts";

const [month, year] = [365.25 / 12, 365.25];

type Units = readonly (readonly [limit: number, size: number, name: string])[];
const days: Units = [
  [14, 1, "day"],
  [60, 7, "week"],
  [350, month, "month"],
  [Number.POSITIVE_INFINITY, year, "year"],
];
/** In days, each up to where it would be written as one of the next. */
const times: Units = [
  [59.5 / 1440, 1 / 1440, "minute"],
  [23.5 / 24, 1 / 24, "hour"],
  [29.5, 1, "day"],
  [year - month / 2, month, "month"],
  [Number.POSITIVE_INFINITY, year, "year"],
];

/** The present, and the days of the user, each a number. */
export interface Calendar {
  /** Epoch milliseconds. */
  readonly now: number;
  dayOf(instant: number): number;
}

/** A date for people: the distance in days where the kind means a day, else from now. */
export function dateWords(instant: string, kind: Kind | undefined, calendar: Calendar): string {
  if (kind?.kind === "instant" && kind.day === true) return relativeDay(instant, calendar);
  return relativeDate(instant, calendar.now);
}

/** How far the day of an instant is from today, in words: "today", "in 3 days", "2 weeks ago". */
export function relativeDay(instant: string, { now, dayOf }: Calendar): string {
  const time = Date.parse(instant);
  if (Number.isNaN(time)) return instant;
  const distance = dayOf(time) - dayOf(now);
  if (distance === 0) return "today";
  if (Math.abs(distance) === 1) return distance > 0 ? "tomorrow" : "yesterday";
  return inWords(distance, days);
}

/** How far an instant is from now, in words: "3 days ago", "in 2 hours". Not Intl: its first use costs 30 ms. */
export function relativeDate(instant: string, now: number): string {
  const time = Date.parse(instant);
  if (Number.isNaN(time)) return instant;
  const distance = (time - now) / 86_400_000;
  return Math.abs(distance) < 45 / 86_400 ? "now" : inWords(distance, times);
}

function inWords(distance: number, units: Units): string {
  const [, size, name] = units.find(([limit]) => Math.abs(distance) < limit) ?? [0, 1, ""];
  const words = count(Math.max(1, Math.round(Math.abs(distance) / size)), name);
  return distance > 0 ? `in ${words}` : `${words} ago`;
}
