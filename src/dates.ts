import { parseInstant } from "./schema/instant.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How far the clock on the wall is ahead of UTC at an instant, in minutes: +120 in Berlin in summer. */
export type OffsetAt = (instant: number) => number;

export interface When {
  /** ISO 8601, to be sent as it is. */
  readonly text: string;
  /** The same in epoch milliseconds; without a zone it is in UTC, which not every parser of dates would say. */
  readonly instant: number;
  /** The calendar date that it stands for, undefined if an instant was given. */
  readonly date: string | undefined;
}

/** What `--date` understands, for help and errors. */
export const whenForms =
  "an ISO date or timestamp, today, tomorrow, yesterday, or days or weeks like +3d or -1w";

/**
 * Reads a `--date` (docs/design/cli.md, due). A timestamp stays as it is. A calendar date becomes the middle of the hours that are
 * that date both in the user's zone and in UTC, so that a service that counts days in either gets the right one.
 *
 * @returns undefined if it is none of the forms
 */
export function parseWhen(text: string, now: number, offsetAt: OffsetAt): When | undefined {
  const given = text.trim();
  const instant = given.length > 10 ? parseInstant(given) : Number.NaN;
  if (!Number.isNaN(instant)) return { text: given, instant, date: undefined };
  if (given.toLowerCase() === "now")
    return { text: new Date(now).toISOString(), instant: now, date: undefined };
  const date = parseDate(given, now, offsetAt);
  if (date === undefined) return undefined;
  const middle = middleOf(date, offsetAt);
  return { text: new Date(middle).toISOString(), instant: middle, date: isoDate(date) };
}

/**
 * The UTC midnight of the calendar date that a text names: an ISO date, or a day counted from the user's today.
 * @returns undefined if it names none
 */
export function parseDate(text: string, now: number, offsetAt: OffsetAt): number | undefined {
  const word = text.trim().toLowerCase();
  if (/^\d{4}-\d\d-\d\d$/.test(word)) {
    const parsed = Date.parse(`${word}T00:00:00Z`);
    // Some engines read 30 February as 2 March.
    return Number.isNaN(parsed) || isoDate(parsed) !== word ? undefined : parsed;
  }
  const days = daysFromToday(word);
  if (days === undefined) return undefined;
  const date = dateAt(now, offsetAt) + days * day;
  return date >= Date.UTC(0, 0) && date < Date.UTC(9999, 11, 31) ? date : undefined;
}

function daysFromToday(word: string): number | undefined {
  if (word === "today") return 0;
  if (word === "tomorrow") return 1;
  if (word === "yesterday") return -1;
  const match = /^([+-]\d{1,5})([dw])$/.exec(word);
  if (match === null) return undefined;
  return Number(match[1]) * (match[2] === "w" ? 7 : 1);
}

/** The calendar date on the wall at an instant, as its UTC midnight. */
export function dateAt(instant: number, offsetAt: OffsetAt): number {
  return Math.floor((instant + offsetAt(instant) * minute) / day) * day;
}

/** The first instant of a calendar date (its UTC midnight) on the user's wall; undefined if the zone skipped it. */
export function startOf(date: number, offsetAt: OffsetAt): number | undefined {
  // The offset on either side of midnight, for the days on which it changes.
  const starts = [offsetAt(date - day), offsetAt(date + day)]
    .map((offset) => date - offset * minute)
    .filter((instant) => dateAt(instant, offsetAt) === date);
  return starts.length === 0 ? undefined : Math.min(...starts);
}

function middleOf(date: number, offsetAt: OffsetAt): number {
  const from = startOf(date, offsetAt);
  const to = startOf(date + day, offsetAt);
  const begin = Math.max(date, from ?? date);
  const end = Math.min(date + day, to ?? date + day);
  return from === undefined || end <= begin ? date + 12 * hour : (begin + end) / 2;
}

const isoDate = (instant: number) => new Date(instant).toISOString().slice(0, 10);
