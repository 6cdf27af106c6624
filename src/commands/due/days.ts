import type { Context } from "../../context/context.ts";
import { parseWhen } from "../../dates.ts";
import { dayOfDate } from "../../schedule/days.ts";
import { Scheduler } from "../../schedule/index.ts";
import { trainedParameters } from "../shared/schedule.ts";
import { userDays } from "../shared/time.ts";

/**
 * The days that a session goes by, where the user is.
 *
 * @param date the value of `--date`, if it was given; must be one
 * @returns epoch milliseconds; with the last instant of the day asked about: of today, or of the day of `--date`
 */
export function sessionDays(date: string | undefined, context: Context) {
  const days = userDays(context);
  const now = context.clock.now();
  const today = days.dayOf(now);
  const when = date === undefined ? undefined : parseWhen(date, now, (at) => days.offsetOfDay(at));
  const instant = when?.instant ?? now;
  const asked = when?.date === undefined ? days.dayOf(instant) : dayOfDate(when.date);
  return {
    startOfToday: days.startOf(today),
    endOfDay: days.endOf(asked) - 1,
  };
}

/** The user's schedule: days and retention of the settings, and the parameters that were trained for the account. */
export async function schedulerFor(context: Context): Promise<Scheduler> {
  const parameters = (await trainedParameters(context))?.w;
  const retention = context.settings()["review.retention"].value;
  // Where the service records reviews it chooses the days.
  const fuzz = !(await (await context.client()).service.has("reviews"));
  return new Scheduler({ days: userDays(context), retention, parameters, fuzz });
}
