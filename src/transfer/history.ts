import type { SourceReview } from "./model.ts";

const minute = 60_000;
const day = 86_400_000;

/** A review as a source has it. */
export interface GivenReview extends Omit<SourceReview, "due"> {
  readonly due?: string | undefined;
  /** Days until the card was due again; used where there is no `due`. */
  readonly interval?: number | undefined;
}

/** The schedule of a card apart from its reviews. */
export interface GivenSchedule {
  /** When the card is due, ISO 8601. Takes precedence over what its last review says. */
  readonly due?: string | undefined;
  /** Days between the last review and `due`; only read where there are no reviews. */
  readonly interval?: number | undefined;
}

/**
 * The history of a card as services take it: sorted by date, the last review with the card's due date. The service
 * identifies a review by its instant, so reviews of the same instant (sources that know only the day have them) are
 * moved apart by a minute each. A schedule without reviews becomes one remembered review, made up, an interval before it
 * is due (docs/design/cards.md, Schedules).
 */
export function historyOf(given: readonly GivenReview[], schedule: GivenSchedule = {}): SourceReview[] {
  const history: SourceReview[] = [];
  let last = Number.NEGATIVE_INFINITY;
  const timed = given.map((review) => ({ review, at: Date.parse(review.date) }));
  for (const { review, at } of timed.sort((a, b) => a.at - b.at)) {
    const { interval, due = interval === undefined ? undefined : after(at, interval), ...rest } = review;
    last = at > last ? at : last + minute;
    const date = last === at ? review.date : new Date(last).toISOString();
    history.push({ ...rest, date, ...(due === undefined ? {} : { due }) });
  }
  const { due, interval = 1 } = schedule;
  if (due === undefined) return history;
  const latest = history.pop() ?? {
    date: after(Date.parse(due), -interval),
    "remembered?": true,
    madeUp: true,
  };
  return [...history, { ...latest, due }];
}

/**
 * Reviews as services take them: one that is made up is dated before its due date, but never of today, of which it would
 * be work.
 *
 * @param now epoch milliseconds
 */
export const sentReviews = (reviews: readonly SourceReview[], now: number): SourceReview[] =>
  reviews.map(({ madeUp, ...review }) =>
    madeUp && Date.parse(review.date) > now - day ? { ...review, date: after(now, -1) } : review,
  );

/**
 * What a card gets of the reviews of a source: all if it has none, else those that are newer than its last one. One that is
 * made up for a due date says less than those that are there. Less than a second does not count: Anki moves equal instants
 * apart by milliseconds.
 *
 * @param last when it was reviewed last, ISO 8601; "" for never
 */
export const newerReviews = (reviews: readonly SourceReview[], last: string): readonly SourceReview[] =>
  last === ""
    ? reviews
    : reviews.filter(({ date, madeUp }) => !madeUp && Date.parse(date) >= Date.parse(last) + 1000);

const after = (at: number, days: number) => new Date(at + days * day).toISOString();
