/**
 * Instants as text. In the program an instant is always the 24 characters of `Date#toJSON`
 * (`2024-11-20T23:00:00.000Z`); what comes in may be any ISO 8601 form that names one.
 */

const isoPattern =
  /^(\d{4}|[+-]\d{6})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

const furthest = 8.64e15;

/**
 * Epoch milliseconds of an ISO 8601 date or timestamp. Without a time it is midnight, without a zone UTC. Digits after
 * the millisecond are dropped. NaN if the text is none: days that do not exist are refused, not rolled over into the
 * next month, and so are leap seconds, which no epoch time can name.
 */
export function parseInstant(text: string): number {
  const parts = isoPattern.exec(text);
  if (parts === null) return Number.NaN;
  const [, yearText = "", monthText, dayText, hourText = "0", minuteText = "0", secondText = "0"] = parts;
  const [year, month, day] = [Number(yearText), Number(monthText), Number(dayText)];
  const [hour, minute, second] = [Number(hourText), Number(minuteText), Number(secondText)];
  const millisecond = Number((parts[7] ?? "").padEnd(3, "0").slice(0, 3));
  if (yearText === "-000000" || month < 1 || month > 12 || day < 1 || day > daysIn(year, month))
    return Number.NaN;
  if (minute > 59 || second > 59 || hour > 24) return Number.NaN;
  if (hour === 24 && (minute > 0 || second > 0 || /[1-9]/.test(parts[7] ?? ""))) return Number.NaN;
  const offset = offsetOf(parts[8] ?? "Z");
  const ms = epochDay(year, month, day) * 86_400_000 + clock(hour, minute, second) + millisecond - offset;
  return Math.abs(ms) <= furthest ? ms : Number.NaN;
}

/** Whether a value is an ISO 8601 date or timestamp that names an instant. */
export function isInstant(value: unknown): value is string {
  return typeof value === "string" && (isCanonicalInstant(value) || !Number.isNaN(parseInstant(value)));
}

/** Whether the text is an instant in the very form of `Date#toJSON`, years 0000 to 9999. Much quicker than parsing. */
export function isCanonicalInstant(text: string): boolean {
  if (text.length !== 24) return false;
  for (let at = 0; at < 24; at++) {
    const code = text.charCodeAt(at);
    const wanted = punctuation[at] as number;
    if (wanted === 0 ? code < 48 || code > 57 : code !== wanted) return false;
  }
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  if (month < 1 || month > 12 || day < 1) return false;
  if (twoDigits(text, 11) > 23 || twoDigits(text, 14) > 59 || twoDigits(text, 17) > 59) return false;
  return day <= 28 || day <= daysIn(twoDigits(text, 0) * 100 + twoDigits(text, 2), month);
}

/** The text of an instant in the form of `Date#toJSON`, or undefined if it names none. */
export function canonicalInstant(text: string): string | undefined {
  return isCanonicalInstant(text) ? text : instantText(parseInstant(text));
}

/** The text of epoch milliseconds (fractions are dropped), or undefined outside the range that a Date can hold. */
export function instantText(ms: number): string | undefined {
  return Math.abs(ms) <= furthest ? new Date(ms).toISOString() : undefined;
}

// The characters of "0000-00-00T00:00:00.000Z", with 0 where a digit stands.
const punctuation = Uint8Array.from("0000-00-00T00:00:00.000Z", (c) => (c === "0" ? 0 : c.charCodeAt(0)));

const twoDigits = (text: string, at: number) => text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 528;

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days since 1970-01-01. Date.UTC alone would take the years 0 to 99 for 1900 to 1999; 400 years are 146,097 days. */
const epochDay = (year: number, month: number, day: number) =>
  Date.UTC(year + 400, month - 1, day) / 86_400_000 - 146_097;

const clock = (hours: number, minutes: number, seconds: number) =>
  ((hours * 60 + minutes) * 60 + seconds) * 1000;

/** Milliseconds east of UTC; NaN if the zone cannot be. */
function offsetOf(zone: string): number {
  if (zone === "Z" || zone === "z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(":", ""));
  if (hours > 23 || minutes > 59) return Number.NaN;
  return (zone[0] === "-" ? -1 : 1) * clock(hours, minutes, 0);
}
