import { dateAt, localOffset, parseWhen, startOf } from "../../dates.ts";

const day = 86_400_000;

/** The days that a session goes by, where the user is. Epoch milliseconds. */
export interface Days {
  readonly startOfToday: number;
  /** The last instant of the day asked about: of today, or of the day of `--date`. */
  readonly endOfDay: number;
  readonly endOfTomorrow: number;
}

/** @param date the value of `--date`, if it was given; must be one */
export function daysOf(date: string | undefined, now: number): Days {
  const today = dateAt(now, localOffset);
  const when = date === undefined ? undefined : parseWhen(date, now, localOffset);
  const asked = when === undefined ? today : dateAt(when.instant, localOffset);
  return {
    startOfToday: startOf(today, localOffset) ?? today,
    endOfDay: endOf(asked),
    endOfTomorrow: endOf(today + day),
  };
}

const endOf = (date: number): number => (startOf(date + day, localOffset) ?? date + day) - 1;
