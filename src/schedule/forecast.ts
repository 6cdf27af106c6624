import { FSRSAlgorithm, Rating } from "ts-fsrs";

/**
 * How much work the next year is, for several retentions: every card is reviewed on the day it is due, and remembered by
 * chance (docs/design/review.md). Pure; loads ts-fsrs: import it dynamically.
 */

/** What is known of a card that was reviewed. Days are the user's (`Days.dayOf`). */
export interface ForecastCard {
  readonly stability: number;
  readonly difficulty: number;
  /** The day of its last review. */
  readonly last: number;
  readonly due: number;
}

export interface ForecastInput {
  readonly cards: readonly ForecastCard[];
  /** How many cards were never reviewed, and how many of them are begun a day. */
  readonly newCards: number;
  readonly newPerDay: number;
  readonly today: number;
  /** How many days are simulated. */
  readonly days: number;
  readonly parameters: readonly number[];
  /** Measured over predicted recall; 1 if nothing is known. */
  readonly ownRecall: number;
  /** Seconds that an answer takes. */
  readonly seconds: { readonly remembered: number; readonly forgotten: number };
  /** From 0 to 1; begun anew for each retention, so that retentions differ by nothing else. */
  random(): () => number;
}

export interface Forecast {
  readonly retention: number;
  /** Answers on each day. */
  readonly reviews: readonly number[];
  /** On average. */
  readonly reviewsPerDay: number;
  readonly minutesPerDay: number;
  /** How many cards would be recalled at the end: the sum of their chances. */
  readonly known: number;
}

/** @param retention the share of cards to be remembered when they are due, 0 to 1 */
export function forecast(input: ForecastInput, retention: number): Forecast {
  const { cards, newCards, newPerDay, today, days, parameters, ownRecall, seconds } = input;
  const fsrs = new FSRSAlgorithm({
    request_retention: retention,
    w: [...parameters],
    enable_short_term: false,
    enable_fuzz: false,
  });
  const random = input.random();
  const reviews = new Array<number>(days).fill(0);
  let known = 0;
  let spent = 0;
  const end = today + days;
  const live = (begun: ForecastCard | undefined, from: number): void => {
    let [memory, last, day] = [begun ?? null, begun?.last ?? from, from];
    while (day < end) {
      const elapsed = memory === null ? 0 : Math.max(0, day - last);
      const recall = memory === null ? undefined : fsrs.forgetting_curve(elapsed, memory.stability);
      // A new card counts as learned by its first answer, as in the review.
      const remembered = recall === undefined || random() < recall * ownRecall;
      const { stability, difficulty } = fsrs.next_state(
        memory,
        elapsed,
        remembered ? Rating.Good : Rating.Again,
        recall,
      );
      const interval = fsrs.next_interval(stability, elapsed);
      reviews[day - today] = (reviews[day - today] ?? 0) + 1;
      spent += remembered ? seconds.remembered : seconds.forgotten;
      memory = { stability, difficulty, last: day, due: day + interval };
      last = day;
      day += interval;
    }
    if (memory !== null) known += fsrs.forgetting_curve(Math.max(0, end - last), memory.stability);
  };
  for (const card of cards) live(card, Math.max(today, card.due));
  for (let index = 0; index < newCards && newPerDay > 0; index++) {
    const day = today + Math.floor(index / newPerDay);
    if (day >= end) break;
    live(undefined, day);
  }
  const total = reviews.reduce((sum, each) => sum + each, 0);
  return {
    retention,
    reviews,
    reviewsPerDay: total / days,
    minutesPerDay: spent / 60 / days,
    known: Math.min(known, cards.length + newCards),
  };
}
