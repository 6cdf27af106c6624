import { FSRSAlgorithm, Rating } from "ts-fsrs";

/**
 * Trains the 21 parameters of FSRS-6 on one's own reviews (docs/design/stats.md, Training). The optimizer is an optional
 * package; everything else here is plain arithmetic. Loads ts-fsrs: import it dynamically.
 */

/** The first review of a card on a local day. Days are counted from 1970-01-01 of the user's calendar. */
export interface DayReview {
  readonly day: number;
  readonly remembered: boolean;
}

/** The days of one card's reviews, oldest first, each day once. */
export type DayHistory = readonly DayReview[];

/** A sequence of reviews and the days between them, as optimizers take it; `rating` is 1 (forgot) or 3 (remembered). */
export interface TrainingItem {
  readonly reviews: readonly { readonly rating: 1 | 3; readonly deltaT: number }[];
}

/** Finds parameters for items; in the program `@open-spaced-repetition/binding`. */
export type Optimizer = (
  items: readonly TrainingItem[],
  progress: (done: number, all: number) => void,
) => Promise<readonly number[]>;

export interface Training {
  /** Trained on every usable review. */
  readonly parameters: readonly number[];
  /** Usable reviews: all but the first of each card. */
  readonly reviews: number;
  /** How well the held-out reviews were predicted; lower is better. */
  readonly logLoss: { readonly before: number; readonly after: number };
}

/** With fewer usable reviews nothing is trained. */
export const leastReviews = 400;

/** The last reviews in time, which the compared parameters were not trained on. */
const heldOutShare = 0.2;

/** The first review of each local day. @param reviews oldest first; `at` is epoch milliseconds */
export function dayHistory(
  reviews: readonly { readonly at: number; readonly remembered: boolean }[],
  dayOf: (instant: number) => number,
): DayHistory {
  const history: DayReview[] = [];
  for (const { at, remembered } of reviews) {
    const day = dayOf(at);
    const last = history.at(-1);
    if (last === undefined || day > last.day) history.push({ day, remembered });
  }
  return history;
}

/** How many reviews of these histories can be learned from. */
export const usableReviews = (histories: readonly DayHistory[]): number =>
  histories.reduce((sum, { length }) => sum + Math.max(0, length - 1), 0);

/**
 * Trains on all histories, and measures on the last fifth in time what training on the rest would have gained over the
 * parameters in use. The same input gives the same parameters.
 */
export async function train(
  histories: readonly DayHistory[],
  current: readonly number[],
  optimize: Optimizer,
  progress: (share: number) => void = () => {},
): Promise<Training> {
  const split = splitDay(histories);
  const earlier = histories.map((history) => history.filter(({ day }) => day < split));
  const learned = await optimize(trainingItems(earlier), (done, all) => progress((done / all) * 0.45));
  const logLoss = {
    before: meanLogLoss(histories, current, split),
    after: meanLogLoss(histories, learned, split),
  };
  const parameters = await optimize(trainingItems(histories), (done, all) =>
    progress(0.5 + (done / all) * 0.5),
  );
  return { parameters, reviews: usableReviews(histories), logLoss };
}

/** Every prefix of two reviews and more: one item for each usable review, in order of time. */
export function trainingItems(histories: readonly DayHistory[]): TrainingItem[] {
  const items: { readonly day: number; readonly item: TrainingItem }[] = [];
  for (const history of histories) {
    const reviews = history.map(({ day, remembered }, index) => ({
      rating: remembered ? (3 as const) : (1 as const),
      deltaT: index === 0 ? 0 : day - (history[index - 1]?.day ?? day),
    }));
    for (let length = 2; length <= reviews.length; length++)
      items.push({ day: history[length - 1]?.day ?? 0, item: { reviews: reviews.slice(0, length) } });
  }
  return items.sort((a, b) => a.day - b.day).map(({ item }) => item);
}

/** The mean log loss of the reviews from a day on, each predicted from those before it. */
export function meanLogLoss(
  histories: readonly DayHistory[],
  parameters: readonly number[],
  from = Number.NEGATIVE_INFINITY,
): number {
  const fsrs = new FSRSAlgorithm({ w: [...parameters], enable_short_term: false, enable_fuzz: false });
  let sum = 0;
  let count = 0;
  for (const history of histories) {
    let memory: { stability: number; difficulty: number } | null = null;
    let last = 0;
    for (const { day, remembered } of history) {
      const elapsed = memory === null ? 0 : day - last;
      const recall = memory === null ? undefined : fsrs.forgetting_curve(elapsed, memory.stability);
      if (recall !== undefined && day >= from) {
        const share = Math.min(1 - 1e-7, Math.max(1e-7, recall));
        sum -= Math.log(remembered ? share : 1 - share);
        count += 1;
      }
      memory = fsrs.next_state(memory, elapsed, remembered ? Rating.Good : Rating.Again, recall);
      last = day;
    }
  }
  return count === 0 ? 0 : sum / count;
}

/** The day from which the last reviews are held out. */
function splitDay(histories: readonly DayHistory[]): number {
  const days = histories.flatMap((history) => history.slice(1).map(({ day }) => day)).sort((a, b) => a - b);
  return days[Math.floor(days.length * (1 - heldOutShare))] ?? Number.POSITIVE_INFINITY;
}
