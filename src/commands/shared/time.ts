import type { Context } from "../../context/context.ts";
import type { OffsetAt } from "../../dates.ts";
import { parseWhen, type When, whenForms } from "../../dates.ts";
import { UsageError } from "../../errors.ts";
import { Days, dayOfDate } from "../../schedule/days.ts";

/** The user's days: the time zone of the system, and the setting `review.day-starts-at`. */
export const userDays = (context: Context): Days =>
  new Days({ startsAt: context.settings()["review.day-starts-at"].value });

export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** What dates.ts counts with so that a date without a time is one of the user's days. */
export function dayOffset(context: Context): OffsetAt {
  const days = userDays(context);
  return (instant) => days.offsetOfDay(instant);
}

/**
 * The ISO timestamp that an option's value means (docs/design/cli.md, due): a timestamp as it is given, a day as the middle of it.
 * @throws UsageError that lists the forms
 */
export function timestampFrom(text: string, option: string, context: Context): string {
  return whenFrom(text, option, context).text;
}

/**
 * The days that a session goes by, where the user is.
 *
 * @param date the value of `--date`, if it was given
 * @returns epoch milliseconds; with the last instant of the day asked about: of today, or of the day of `--date`
 * @throws like `timestampFrom`
 */
export function sessionDays(date: string | undefined, context: Context) {
  const days = userDays(context);
  const now = context.clock.now();
  const when = date === undefined ? undefined : whenFrom(date, "--date", context);
  const asked = when?.date === undefined ? days.dayOf(when?.instant ?? now) : dayOfDate(when.date);
  return { startOfToday: days.startOf(days.dayOf(now)), endOfDay: days.endOf(asked) - 1 };
}

/** The instant that --trashed names, as the service takes it. */
export const trashDate = (text: string, context: Context): string =>
  new Date(instantFrom(text, "--trashed", context)).toJSON();

/** The instant that an option's value means, in epoch milliseconds. @throws like `timestampFrom` */
export function instantFrom(text: string, option: string, context: Context): number {
  return whenFrom(text, option, context).instant;
}

function whenFrom(text: string, option: string, context: Context): When {
  const when = parseWhen(text, context.clock.now(), dayOffset(context));
  if (when === undefined) throw new UsageError(`${option} takes ${whenForms}, not ${JSON.stringify(text)}`);
  return when;
}
