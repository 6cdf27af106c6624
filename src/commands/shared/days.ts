import type { Context } from "../../context/context.ts";
import type { OffsetAt } from "../../dates.ts";
import { Days } from "../../schedule/days.ts";

/** The user's days: the time zone of the system, and the setting `review.day-starts-at`. */
export const userDays = (context: Context): Days =>
  new Days({ startsAt: context.settings()["review.day-starts-at"].value });

/** What dates.ts counts with so that a date without a time is one of the user's days. */
export function dayOffset(context: Context): OffsetAt {
  const days = userDays(context);
  return (instant) => days.offsetOfDay(instant);
}
