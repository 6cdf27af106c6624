import { default_w, FSRSAlgorithm, Rating } from "ts-fsrs";
import { chooseInterval } from "./choose-day.ts";
import type { Days } from "./days.ts";

/**
 * When a card is due again, by FSRS-6 (docs/design/review.md, Days). ts-fsrs supplies stability and difficulty; days are
 * counted here, as the user's. Forgotten is Again, remembered is Good; the memory is replayed from the whole history, so
 * that imported reviews count. No steps within a day. The local service and the review of a service that keeps
 * no reviews use the same function. Loads ts-fsrs: import it dynamically.
 */

/** A past review, in the shape of the API; one without a date or an outcome is left out. */
export interface PastReview {
  readonly date?: string | null | undefined;
  readonly "remembered?"?: boolean | null | undefined;
}

interface ScheduleOptions {
  /** The user's days, which intervals are counted in. */
  readonly days: Days;
  /** The share of cards that should be remembered when they come up, over 0 and under 1; 0.9 if absent. */
  readonly retention?: number | undefined;
  /** The 21 parameters of FSRS-6; its defaults if absent. */
  readonly parameters?: readonly number[] | undefined;
  /** Whether the day is chosen near the interval, so that cards of one day part. A service of ours chooses it itself. */
  readonly fuzz?: boolean;
}

/** What a review led to. */
export interface ScheduledReview {
  /** ISO 8601, UTC. */
  readonly date: string;
  /** Noon of the local date on which the card is due: ISO 8601, UTC. */
  readonly due: string;
  /** Whole days from the review to the due date, at least 1. */
  readonly interval: number;
  /** Days after which the chance to recall is 0.9. */
  readonly stability: number;
  /** 1 to 10. */
  readonly difficulty: number;
  /** The chance to recall just before the review, 0 to 1; undefined for the first one. */
  readonly recall: number | undefined;
}

/** The schedule of one user. Create one and use it for many cards: the library checks its parameters each time. */
export class Scheduler {
  readonly #options: ScheduleOptions;
  readonly #days: Days;
  readonly #fsrs: FSRSAlgorithm;
  readonly #fuzz: boolean;

  constructor(options: ScheduleOptions) {
    const { days, retention = 0.9, parameters = default_w, fuzz = false } = options;
    this.#options = options;
    this.#days = days;
    this.#fuzz = fuzz;
    this.#fsrs = new FSRSAlgorithm({
      request_retention: retention,
      w: parameters,
      enable_short_term: false,
      enable_fuzz: false,
    });
  }

  /** The same with the retention of a deck, where it has one. */
  withRetention(retention: number | null | undefined): Scheduler {
    return retention == null ? this : new Scheduler({ ...this.#options, retention });
  }

  /**
   * The instant (ISO 8601, UTC) at which a card with this history is due; undefined for one never reviewed. The order
   * of the history does not matter, and an instant given twice is one review.
   */
  due(history: readonly PastReview[]): string | undefined {
    return this.replay(history).at(-1)?.due;
  }

  /** Every review of a history, oldest first, with what it led to. */
  replay(history: readonly PastReview[]): ScheduledReview[] {
    let last: ScheduledReview | undefined;
    return inOrder(history).map((review) => {
      last = this.next(last, review);
      return last;
    });
  }

  /** What a review leads to, after the `last` one; undefined for a new card. @param at epoch milliseconds */
  next(last: ScheduledReview | undefined, { at, remembered }: Answered): ScheduledReview {
    const elapsed = last === undefined ? 0 : this.#days.between(Date.parse(last.date), at);
    const recall = last && this.#fsrs.forgetting_curve(elapsed, last.stability);
    const before = last === undefined ? null : { stability: last.stability, difficulty: last.difficulty };
    const rating = remembered ? Rating.Good : Rating.Again;
    const memory = this.#fsrs.next_state(before, elapsed, rating, recall);
    // The formula's interval for the retention. The library's scheduler would make Good exceed Hard besides, which two
    // grades do not need.
    const plain = this.#fsrs.next_interval(memory.stability, elapsed);
    const day = this.#days.dayOf(at);
    const interval = this.#fuzz ? chooseInterval({ interval: plain, elapsed, day, seed: String(at) }) : plain;
    const due = new Date(this.#days.noonOf(day + interval)).toISOString();
    return { date: new Date(at).toISOString(), due, interval, ...memory, recall };
  }

  /** The chance (0 to 1) to recall a card at an instant (epoch milliseconds) after this review, at an instant or a date. */
  recallAt({ date, stability }: { date: string | number; stability: number }, instant: number): number {
    return this.#fsrs.forgetting_curve(this.#days.between(new Date(date).getTime(), instant), stability);
  }
}

interface Answered {
  readonly at: number;
  readonly remembered: boolean;
}

function inOrder(history: readonly PastReview[]): Answered[] {
  const reviews = new Map<number, boolean>();
  for (const { date, "remembered?": remembered } of history) {
    const at = typeof date === "string" ? Date.parse(date) : Number.NaN;
    if (!Number.isNaN(at) && typeof remembered === "boolean") reviews.set(at, remembered);
  }
  return [...reviews].sort(([a], [b]) => a - b).map(([at, remembered]) => ({ at, remembered }));
}
