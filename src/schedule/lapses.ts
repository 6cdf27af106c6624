import type { PastReview } from "./index.ts";

/** A card with so many lapses is a leech: it takes time that another wording would save. */
export const LEECH_LAPSES = 8;

interface Answer {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly remembered: boolean;
}

/**
 * On how many days a card was forgotten that had been remembered on an earlier one. Forgetting it again on the same day is
 * no further lapse.
 *
 * @param reviews oldest first
 * @param dayOf the number of the user's day that an instant belongs to
 */
export function lapsesOf(reviews: readonly Answer[], dayOf: (instant: number) => number): number {
  const days = new Set<number>();
  let known: number | undefined;
  for (const { at, remembered } of reviews) {
    const day = dayOf(at);
    if (remembered) known ??= day;
    else if (known !== undefined && known < day) days.add(day);
  }
  return days.size;
}

/** The same for reviews in any order; those without a date do not count. */
export function lapsesOfReviews(reviews: readonly PastReview[], dayOf: (instant: number) => number): number {
  const answers = reviews
    .map((review) => ({ at: Date.parse(review.date ?? ""), remembered: review["remembered?"] === true }))
    .filter(({ at }) => !Number.isNaN(at));
  answers.sort((a, b) => a.at - b.at);
  return lapsesOf(answers, dayOf);
}
