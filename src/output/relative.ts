import type { Kind } from "../schema/kinds.ts";
import { count } from "./words.ts";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365.25 * day;

const units: readonly (readonly [limit: number, size: number, name: string])[] = [
  [hour, minute, "minute"],
  [day, hour, "hour"],
  [30 * day, day, "day"],
  [year, year / 12, "month"],
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
  const days = Math.abs(distance);
  if (days === 0) return "today";
  if (days === 1) return distance > 0 ? "tomorrow" : "yesterday";
  if (days < 14) return inWords(days, "day", distance);
  if (days < 60) return inWords(Math.round(days / 7), "week", distance);
  return days < 350
    ? inWords(Math.round(days / (365.25 / 12)), "month", distance)
    : inWords(Math.round(days / 365.25), "year", distance);
}

/** How far an instant is from now, in words: "3 days ago", "in 2 hours". Not Intl: its first use costs 30 ms. */
export function relativeDate(instant: string, now: number): string {
  const time = Date.parse(instant);
  if (Number.isNaN(time)) return instant;
  const seconds = (time - now) / 1000;
  const distance = Math.abs(seconds);
  if (distance < 45) return "now";
  const [, size, name] = units.find(([limit, size]) => distance < limit - size / 2) ?? [0, year, "year"];
  return inWords(Math.max(1, Math.round(distance / size)), name, seconds);
}

function inWords(number: number, unit: string, direction: number): string {
  const words = count(number, unit);
  return direction > 0 ? `in ${words}` : `${words} ago`;
}
