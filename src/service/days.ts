/** The time zone in which days begin and end: an IANA name, or undefined for the machine's. */
export type TimeZone = string | undefined;

/**
 * The first instant after the day that `instant` lies in, in epoch milliseconds. Whatever is due before it is due on that
 * day.
 */
export function endOfDay(instant: number, timeZone: TimeZone): number {
  if (timeZone !== undefined) return endOfDayIn(instant, timeZone);
  const date = new Date(instant);
  // The constructor, not setHours: it finds the midnight of days that clocks were changed on.
  return within(new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime());
}

/** The same for a day of the calendar, `YYYY-MM-DD`. */
export function endOfDate(date: string, timeZone: TimeZone): number {
  const [year = 0, month = 1, day = 1] = date.split("-").map(Number);
  // Date takes the years 0 to 99 for 1900 to 1999; nothing is due then either way.
  if (timeZone === undefined) return within(new Date(year, month - 1, day + 1).getTime());
  // No zone is 24 hours from UTC: midnight there lies in the day, the one before or the one after.
  const midnight = Date.parse(`${date}T00:00:00Z`);
  for (const hours of [12, 0, 24]) {
    const instant = midnight + hours * 3_600_000;
    if (dayFormat(timeZone).format(instant) === dayFormat("UTC").format(midnight))
      return endOfDayIn(instant, timeZone);
  }
  return midnight + dayLength;
}

const dayLength = 86_400_000;

const dayFormat = (timeZone: string) =>
  new Intl.DateTimeFormat("en", {
    timeZone,
    year: "numeric",
    month: "numeric",
    day: "numeric",
    era: "short",
  });

function endOfDayIn(instant: number, timeZone: string): number {
  const format = dayFormat(timeZone);
  const day = format.format(instant);
  // No zone has a day longer than 26 hours. The change of day is found by halving, to the millisecond.
  let before = instant;
  let after = Math.min(instant + dayLength * 1.25, furthest);
  if (format.format(after) === day) return furthest;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (format.format(middle) === day) before = middle;
    else after = middle;
  }
  return after;
}

const furthest = 8.64e15;
const within = (ms: number) => (Number.isNaN(ms) ? furthest : ms);
