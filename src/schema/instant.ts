/**
 * Instants as text. In the program an instant is always the 24 characters of `Date#toJSON`
 * (`2024-11-20T23:00:00.000Z`); any other ISO 8601 form is accepted and converted.
 */

const isoPattern =
  /^((?:\d{4}|[+-]\d{6})-\d\d-\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

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
  const [, date = "", hour = "00", minute = "00", second = "00", fraction = "", zone = "Z"] = parts;
  // Date takes 31 February for 3 March.
  if (new Date(`${date}T00:00Z`).getUTCDate() !== Number(date.slice(-2))) return Number.NaN;
  const time = `${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, "0")}`;
  const offset = zone
    .toUpperCase()
    .replace(/^(.\d\d):?(\d\d)?$/, (_, hours, minutes = "00") => `${hours}:${minutes}`);
  return Date.parse(`${date}T${time}${offset}`);
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
