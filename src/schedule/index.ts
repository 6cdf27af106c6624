import { type Card, createEmptyCard, fsrs, Rating } from "ts-fsrs";

/**
 * When a card is due again, by FSRS as ts-fsrs implements it (service.md, What it adds). Forgotten is Again, remembered
 * is Good; the memory state is replayed from the whole history, so that imported reviews count. Day-grained and
 * deterministic: no learning steps within a day, no fuzz. The local service and the review of a service that keeps no
 * reviews use the same function. Loads ts-fsrs: import it dynamically.
 */

/** A past review, in the shape of the API; one without a date or an outcome says nothing and is left out. */
export interface PastReview {
  readonly date?: string | null | undefined;
  readonly "remembered?"?: boolean | null | undefined;
}

export interface ScheduleOptions {
  /** The share of cards that should be remembered when they come up, over 0 and under 1; 0.9 if absent. */
  readonly retention?: number;
}

/** A review, and the instant at which the card was due after it; both ISO 8601, UTC. */
export interface ScheduledReview {
  readonly date: string;
  readonly due: string;
}

/**
 * The instant (ISO 8601, UTC) at which a card with this history is due; undefined for one never reviewed. The order of
 * the history does not matter, and an instant given twice is one review.
 */
export function schedule(history: readonly PastReview[], options: ScheduleOptions = {}): string | undefined {
  return replay(history, options).at(-1)?.due;
}

/** ts-fsrs counts days with Date.UTC, which takes the years before 100 for those from 1900. In epoch milliseconds. */
const yearHundred = Date.UTC(100, 0);

/**
 * Every review of a history, oldest first, with the due instant that it led to. One before the year 100, which is some
 * program's zero, counts as of that year's beginning.
 */
export function replay(history: readonly PastReview[], options: ScheduleOptions = {}): ScheduledReview[] {
  const scheduler = fsrs({
    request_retention: options.retention ?? 0.9,
    enable_short_term: false,
    enable_fuzz: false,
  });
  let card: Card | undefined;
  return inOrder(history).map(({ at, remembered }) => {
    const date = new Date(Math.max(at, yearHundred));
    const rating = remembered ? Rating.Good : Rating.Again;
    card = scheduler.next(card ?? createEmptyCard(date), date, rating).card;
    return { date: new Date(at).toISOString(), due: card.due.toISOString() };
  });
}

function inOrder(history: readonly PastReview[]): { at: number; remembered: boolean }[] {
  const reviews = new Map<number, boolean>();
  for (const { date, "remembered?": remembered } of history) {
    const at = typeof date === "string" ? Date.parse(date) : Number.NaN;
    if (!Number.isNaN(at) && typeof remembered === "boolean") reviews.set(at, remembered);
  }
  return [...reviews].sort(([a], [b]) => a - b).map(([at, remembered]) => ({ at, remembered }));
}
