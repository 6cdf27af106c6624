import type { Card } from "../../../schema/index.ts";

interface AnkiReview {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** 1 again, 3 good. */
  readonly ease: number;
  /** Days until the card was due again, and before the review. */
  readonly interval: number;
  readonly before: number;
  /** Milliseconds. */
  readonly time: number;
  /** 0 for the first, 1 for the others. */
  readonly kind: number;
}

export interface AnkiSchedule {
  /** The day of the collection. */
  readonly due: number;
  /** Days. */
  readonly interval: number;
  readonly lapses: number;
  readonly reviews: readonly AnkiReview[];
}

const dayLength = 86_400_000;

/** Days are counted from this one: 1 January 2010, at 4 in the user's time zone. */
export function firstDay(): { created: number; behind: number } {
  const day = new Date(2010, 0, 1, 4);
  return { created: day.getTime() / 1000, behind: day.getTimezoneOffset() };
}

/** In milliseconds: what Anki reads is a 32-bit number. */
const longestTime = 2 ** 31 - 1;

/** The years 0 to 9999: a Date beside the ends of its range has no local day. */
const [earliest, latest] = [-62_167_219_200_000, 253_402_300_799_999];

/** The number of an instant's local day, which begins at 4; 0 is the first day. */
function dayOf(instant: number): number {
  const local = new Date(Math.min(latest, Math.max(earliest, instant)) - 4 * 3_600_000);
  const date = Date.UTC(local.getFullYear(), local.getMonth(), local.getDate());
  return Math.round((date - Date.UTC(2010, 0, 1)) / dayLength);
}

/** The schedule of a card by its reviews; undefined for a new one. */
export function scheduleOf(given: NonNullable<Card["reviews"]>): AnkiSchedule | undefined {
  const timed = given
    .map((review) => ({ review, at: Date.parse(review.date ?? "") }))
    .filter(({ at }) => !Number.isNaN(at))
    .sort((a, b) => a.at - b.at);
  const last = timed.at(-1);
  if (last === undefined) return undefined;
  const dueAt = timed.map(({ review, at }) => Date.parse(review.due ?? "") || at + dayLength);
  const intervals = timed.map(({ at }, index) => Math.max(1, dayOf(dueAt[index] ?? at) - dayOf(at)));
  const reviews = timed.map(({ review, at }, index) => ({
    at,
    ease: review["remembered?"] === true ? 3 : 1,
    interval: intervals[index] ?? 1,
    before: index === 0 ? 0 : (intervals[index - 1] ?? 1),
    time: Math.min(longestTime, Math.max(0, Math.round((review.duration ?? 0) * 1000))),
    kind: index === 0 ? 0 : 1,
  }));
  return {
    due: dayOf(dueAt.at(-1) ?? last.at),
    interval: intervals.at(-1) ?? 1,
    lapses: reviews.filter(({ ease }, index) => index > 0 && ease === 1).length,
    reviews,
  };
}
