import { FSRSAlgorithm, Rating } from "ts-fsrs";

/**
 * Trains the 21 parameters of FSRS-6 on one's own reviews (docs/design/stats.md, Training). The optimizer is an optional
 * package; everything else here is plain arithmetic. Loads ts-fsrs: import it dynamically.
 */

/** The first review of a card on a local day. Days are counted from 1970-01-01 of the user's calendar. */
interface DayReview {
  readonly day: number;
  readonly remembered: boolean;
}

/** The days of one card's reviews, oldest first, each day once. */
export type DayHistory = readonly DayReview[];

/** A sequence of reviews and the days between them, as optimizers take it; `rating` is 1 (forgot) or 3 (remembered). */
interface TrainingItem {
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
  /** How well held-out reviews were predicted, by the parameters in use and by trained ones; lower is better. */
  readonly logLoss: { readonly before: number; readonly after: number };
  /** Whether the trained parameters were better by more than chance explains: by more than one standard error. */
  readonly better: boolean;
}

/** With fewer usable reviews nothing is trained. */
export const leastReviews = 400;

/** The reviews are parted by time; each of the later parts is predicted by parameters trained on all before it. */
const parts = 5;
const heldOutParts = 3;

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
 * Trains on all histories, and measures on later reviews what training on earlier ones gains over the parameters in
 * use. The same input gives the same parameters.
 */
export async function train(
  histories: readonly DayHistory[],
  current: readonly number[],
  optimize: Optimizer,
  progress: (share: number) => void = () => {},
): Promise<Training> {
  const steps = heldOutParts + 1;
  const run = (of: readonly DayHistory[], step: number) =>
    optimize(trainingItems(of), (done, all) => progress((step + done / all) / steps));
  const pairs: { readonly before: number; readonly after: number }[] = [];
  for (let step = 0; step < heldOutParts; step++) {
    const from = boundary(histories, parts - heldOutParts + step);
    const to = boundary(histories, parts - heldOutParts + step + 1);
    const learned = await run(
      histories.map((history) => history.filter(({ day }) => day < from)),
      step,
    );
    const [before, after] = [
      logLosses(histories, current, from, to),
      logLosses(histories, learned, from, to),
    ];
    for (const [index, loss] of before.entries()) pairs.push({ before: loss, after: after[index] ?? loss });
  }
  const parameters = await run(histories, heldOutParts);
  const gains = pairs.map(({ before, after }) => before - after);
  return {
    parameters,
    reviews: usableReviews(histories),
    logLoss: {
      before: mean(pairs.map(({ before }) => before)),
      after: mean(pairs.map(({ after }) => after)),
    },
    better: mean(gains) > standardError(gains),
  };
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Of the mean; without two values it is unbounded. */
function standardError(values: readonly number[]): number {
  if (values.length < 2) return Number.POSITIVE_INFINITY;
  const middle = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1) / values.length);
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

/** The log loss of each review from a day on and before another. */
function logLosses(
  histories: readonly DayHistory[],
  parameters: readonly number[],
  from: number,
  to: number,
): number[] {
  const fsrs = new FSRSAlgorithm({ w: [...parameters], enable_short_term: false, enable_fuzz: false });
  const losses: number[] = [];
  for (const history of histories) {
    let memory: { stability: number; difficulty: number } | null = null;
    let last = 0;
    for (const { day, remembered } of history) {
      const elapsed = memory === null ? 0 : day - last;
      const recall = memory === null ? undefined : fsrs.forgetting_curve(elapsed, memory.stability);
      if (recall !== undefined && day >= from && day < to) {
        const share = Math.min(1 - 1e-7, Math.max(1e-7, recall));
        losses.push(-Math.log(remembered ? share : 1 - share));
      }
      memory = fsrs.next_state(memory, elapsed, remembered ? Rating.Good : Rating.Again, recall);
      last = day;
    }
  }
  return losses;
}

/** The day on which a part begins: parts hold about the same number of usable reviews. */
function boundary(histories: readonly DayHistory[], part: number): number {
  if (part >= parts) return Number.POSITIVE_INFINITY;
  const days = histories.flatMap((history) => history.slice(1).map(({ day }) => day)).sort((a, b) => a - b);
  return days[Math.floor((days.length * part) / parts)] ?? Number.POSITIVE_INFINITY;
}
