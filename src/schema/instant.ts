/**
 * Instants as text. In the program an instant is always the 24 characters of `Date#toJSON`
 * (`2024-11-20T23:00:00.000Z`); any other ISO 8601 form is accepted and converted.
 */

const isoPattern =
  /^(\d{4}|[+-]\d{6})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** What `Date#toJSON` writes, except for 29 February, which the slow path checks. */
const canonicalPattern =
  /^\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

const isCanonical = (text: string) => canonicalPattern.test(text);

/** The milliseconds that a Date can hold, each way from 1970. */
const furthest = 8.64e15;

/**
 * Epoch milliseconds of an ISO 8601 date or timestamp. Without a time it is midnight, without a zone UTC. Digits after
 * the millisecond are dropped. NaN for anything else, including days that do not exist and leap seconds.
 */
export function parseInstant(text: string): number {
  if (isCanonical(text)) return Date.parse(text);
  const parts = isoPattern.exec(text);
  if (parts === null) return Number.NaN;
  const [, yearText = "", monthText, dayText, hourText = "0", minuteText = "0", secondText = "0"] = parts;
  const [year, month, day] = [Number(yearText), Number(monthText), Number(dayText)];
  const [hour, minute, second] = [Number(hourText), Number(minuteText), Number(secondText)];
  const fraction = parts[7] ?? "";
  if (yearText === "-000000" || month < 1 || month > 12 || day < 1 || day > daysIn(year, month))
    return Number.NaN;
  if (hour > 24 || minute > 59 || second > 59) return Number.NaN;
  if (hour === 24 && (minute > 0 || second > 0 || Number(fraction) > 0)) return Number.NaN;
  const time = clock(hour, minute, second) + Number(fraction.slice(0, 3).padEnd(3, "0"));
  const ms = epochDay(year, month, day) * dayLength + time - offsetOf(parts[8] ?? "Z");
  return Math.abs(ms) <= furthest ? ms : Number.NaN;
}

/** Whether a value is an ISO 8601 date or timestamp that names an instant. */
export function isInstant(value: unknown): value is string {
  return typeof value === "string" && (isCanonical(value) || !Number.isNaN(parseInstant(value)));
}

/** The text of an instant in the form of `Date#toJSON`, or undefined if it is none. */
export function canonicalInstant(text: string): string | undefined {
  return isCanonical(text) ? text : instantText(parseInstant(text));
}

/** The text of epoch milliseconds (fractions are dropped), or undefined outside the range that a Date can hold. */
export function instantText(ms: number): string | undefined {
  return Math.abs(ms) <= furthest ? new Date(ms).toISOString() : undefined;
}

const dayLength = 86_400_000;

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days since 1970-01-01. Date.UTC would read the years 0 to 99 as 1900 to 1999. */
const epochDay = (year: number, month: number, day: number) =>
  new Date(0).setUTCFullYear(year, month - 1, day) / dayLength;

const clock = (hours: number, minutes: number, seconds: number) =>
  ((hours * 60 + minutes) * 60 + seconds) * 1000;

/** Milliseconds east of UTC; NaN for an impossible zone. */
function offsetOf(zone: string): number {
  if (zone === "Z" || zone === "z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(":", ""));
  if (hours > 23 || minutes > 59) return Number.NaN;
  return (zone[0] === "-" ? -1 : 1) * clock(hours, minutes, 0);
}
