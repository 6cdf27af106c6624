/** When the days of a user begin (docs/design/review.md, Days). */
export interface DayRule {
  /** An IANA name; the zone of this process if absent. */
  readonly timeZone?: string | undefined;
  /** Minutes after midnight, 0 to `latestStart`; 04:00 if absent. */
  readonly startsAt?: number | undefined;
}

/** 04:00, in minutes. */
export const defaultStart = 240;

/** Noon, in minutes. A due instant is noon of a date, and has to lie in the day of that date. */
const latestStart = 720;

const minute = 60_000;
const hour = 60 * minute;
const dayLength = 24 * hour;
/** The greatest instant that a Date can hold, and negated the least. */
const furthest = 8.64e15;

/**
 * The days of a user. A day is a whole number: days since 1970-01-01 on the user's calendar. The time of day on the
 * user's clock decides which day an instant belongs to, so a change of clocks makes no day longer or shorter for
 * anything that counts days. Instants are epoch milliseconds. Pure, and loads nothing.
 */
export class Days {
  readonly #offsetAt: (instant: number) => number;
  readonly #startsAt: number;

  constructor({ timeZone, startsAt = defaultStart }: DayRule = {}) {
    this.#offsetAt = timeZone === undefined ? processOffset : zoneOffset(timeZone);
    this.#startsAt = startsAt * minute;
  }

  /** The day that an instant belongs to. Bound: it may be passed on by itself. */
  readonly dayOf = (instant: number): number => {
    const at = clamp(instant);
    return Math.floor((at + this.#offsetAt(at) - this.#startsAt) / dayLength);
  };

  /** Whole days from one instant to a later one; 0 if the clock was set back between them. */
  between(from: number, to: number): number {
    return Math.max(0, this.dayOf(to) - this.dayOf(from));
  }

  /** Noon of a day on the user's clock. */
  noonOf(day: number): number {
    const noon = day * dayLength + 12 * hour;
    // The offset on either side, for the days on which it changes.
    for (const side of [-dayLength, dayLength]) {
      const instant = clamp(noon - this.#offsetAt(clamp(noon + side)));
      if (instant + this.#offsetAt(instant) === noon) return instant;
    }
    // A date that the zone skipped.
    return clamp(noon - this.#offsetAt(clamp(noon - dayLength)));
  }

  /** The first instant of a day. */
  startOf(day: number): number {
    return this.endOf(day - 1);
  }

  /** The first instant after a day: whatever is due before it is due on that day. */
  endOf(day: number): number {
    const boundary = (day + 1) * dayLength + this.#startsAt;
    // No zone is 18 hours from UTC. Clocks may change at the boundary, so it is searched for, to the millisecond.
    let before = boundary - 18 * hour;
    let after = boundary + 18 * hour;
    const offset = this.#offsetAt(clamp(before));
    if (offset === this.#offsetAt(clamp(after))) return clamp(boundary - offset);
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.dayOf(middle) > day) after = middle;
      else before = middle;
    }
    return clamp(after);
  }

  /** How far the user's clock, set back by the start of the day, is ahead of UTC, in minutes: dates.ts counts with it. */
  offsetOfDay(instant: number): number {
    return (this.#offsetAt(clamp(instant)) - this.#startsAt) / minute;
  }
}

/** The day of a calendar date `YYYY-MM-DD`. */
export const dayOfDate = (date: string): number => Date.parse(`${date}T00:00:00Z`) / dayLength;

/** The calendar date `YYYY-MM-DD` of a day. The first day of all may begin before what a Date can hold. */
export const dateOfDay = (day: number): string =>
  new Date(clamp(day * dayLength)).toISOString().slice(0, -14);

/** `HH:MM` as minutes after midnight; undefined for anything that no day can start at. */
export function parseStart(text: string): number | undefined {
  const [, hours, minutes] = /^(\d?\d):([0-5]\d)$/.exec(text.trim()) ?? [];
  const start = Number(hours) * 60 + Number(minutes);
  return start <= latestStart ? start : undefined;
}

/** Minutes after midnight as `HH:MM`. */
export function formatStart(startsAt: number): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(Math.floor(startsAt / 60))}:${two(startsAt % 60)}`;
}

/** Whether this platform knows a time zone of that name. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).format(0) !== "";
  } catch {
    return false;
  }
}

const clamp = (instant: number): number => Math.min(furthest, Math.max(-furthest, instant));

/** Milliseconds that the clock of this process is ahead of UTC. Not by Intl, which takes 60 ms to load. */
const processOffset = (instant: number): number => -new Date(instant).getTimezoneOffset() * minute;

/** The same in a named zone. Its format is made when it is first used. */
function zoneOffset(timeZone: string): (instant: number) => number {
  let format: Intl.DateTimeFormat | undefined;
  return (instant) => {
    format ??= new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" });
    const [, sign, hours, minutes, seconds = "0"] =
      /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(format.format(instant)) ?? [];
    if (sign === undefined) return 0;
    const ahead = Number(hours) * hour + Number(minutes) * minute + Number(seconds) * 1000;
    return sign === "-" ? -ahead : ahead;
  };
}
