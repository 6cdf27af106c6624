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

const dayLength = 86_400_000;

function endOfDayIn(instant: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    era: "short",
  });
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
