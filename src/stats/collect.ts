import { dateOfDay } from "../schedule/days.ts";
import type { ScheduledReview, Scheduler } from "../schedule/index.ts";
import { lapsesOf } from "../schedule/lapses.ts";
import { streakOf } from "../schedule/streak.ts";
import type { Card } from "../schema/index.ts";
import {
  type DayFigures,
  difficultyBounds,
  type Figures,
  forecastDays,
  type HardCard,
  hardestCards,
  intervalBounds,
  leastForShare,
  type MonthFigures,
  matureDays,
  recallBounds,
  stabilityBounds,
} from "./figures.ts";
import { Histogram, PeriodSum, sumOf } from "./sums.ts";

/** A review of a card. Instants are epoch milliseconds. */
export interface CountedReview {
  readonly at: number;
  readonly remembered: boolean;
  /** Seconds; undefined if unknown. */
  readonly seconds?: number | undefined;
}

/** A card with its whole history: the reviews of the service and of the log, each instant once. */
export interface CountedCard {
  readonly id: string;
  readonly deckId: string | undefined;
  readonly name: string | undefined;
  /** Oldest first. */
  readonly reviews: readonly CountedReview[];
  /** When the service says that it is due, in epoch milliseconds; undefined where only the replay can say. */
  readonly due: number | undefined;
  /**
   * By itself or through its decks. An archived card is never due; of a trashed or deleted one only the reviews count.
   */
  readonly state: "active" | "archived" | "trashed";
}

interface StatsPorts {
  /** The day that an instant belongs to, counted in days since 1970-01-01 of the user's calendar. */
  dayOf(instant: number): number;
  readonly scheduler: Pick<Scheduler, "replay" | "recallAt">;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Days (as `dayOf` counts them) outside are left out of days and retention. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** What FSRS makes of a history: one entry for each review. */
export const memoryOf = (reviews: readonly CountedReview[], scheduler: Pick<Scheduler, "replay">) =>
  scheduler.replay(
    reviews.map(({ at, remembered }) => ({ date: new Date(at).toISOString(), "remembered?": remembered })),
  );

/** Adds up cards one after the other; what it keeps grows with the days, not with the reviews. */
export class StatsCollector {
  readonly #ports: StatsPorts;
  readonly #today: number;
  readonly #days = new Map<number, PeriodSum>();
  readonly #months = new Map<string, PeriodSum>();
  readonly #due = new Map<number, number>();
  readonly #intervals = new Histogram(intervalBounds, null);
  readonly #stability = new Histogram(stabilityBounds, null);
  readonly #difficulty = new Histogram(difficultyBounds, 10);
  readonly #recall = new Histogram(recallBounds, 1);
  #hardest: readonly HardCard[] = [];
  readonly #totals = { cards: 0, new: 0, young: 0, mature: 0, archived: 0 };

  constructor(ports: StatsPorts) {
    this.#ports = ports;
    this.#today = ports.dayOf(ports.now);
  }

  add(card: CountedCard): void {
    const last = card.reviews.at(-1);
    const memory = memoryOf(card.reviews, this.#ports.scheduler);
    this.#countReviews(card.reviews, memory);
    if (card.state === "trashed") return;
    this.#totals.cards += 1;
    if (card.state === "archived") this.#totals.archived += 1;
    else if (last === undefined) this.#totals.new += 1;
    else {
      this.#countState(card, last.at, memory.at(-1));
      this.#keepIfHard(card, memory.at(-1));
    }
  }

  #countReviews(reviews: readonly CountedReview[], memory: readonly ScheduledReview[]): void {
    let before: number | undefined;
    for (const [index, review] of reviews.entries()) {
      const day = this.#ports.dayOf(review.at);
      const sum = sumOf(this.#days, day);
      sum.reviews += 1;
      if (review.remembered) sum.remembered += 1;
      if (before === undefined) sum.new += 1;
      if (review.seconds !== undefined) sum.seconds = (sum.seconds ?? 0) + review.seconds;
      const predicted = memory[index]?.recall;
      if (before !== undefined && day > before && this.#within(day)) {
        const month = sumOf(this.#months, dateOfDay(day).slice(0, 7));
        month.reviews += 1;
        if (review.remembered) month.remembered += 1;
        month.predicted += predicted ?? 0;
      }
      before = day;
    }
  }

  /** A card that was reviewed and is not archived. */
  #countState(card: CountedCard, lastAt: number, memory: ScheduledReview | undefined): void {
    const lastDay = this.#ports.dayOf(lastAt);
    const due = card.due ?? (memory && Date.parse(memory.due));
    if (due !== undefined) {
      const dueDay = this.#ports.dayOf(due);
      const interval = Math.max(0, dueDay - lastDay);
      this.#totals[interval >= matureDays ? "mature" : "young"] += 1;
      this.#intervals.add(interval);
      this.#due.set(dueDay, (this.#due.get(dueDay) ?? 0) + 1);
    } else this.#totals.young += 1;
    if (memory === undefined) return;
    this.#stability.add(memory.stability);
    this.#difficulty.add(memory.difficulty);
    this.#recall.add(this.#ports.scheduler.recallAt(memory, this.#ports.now));
  }

  #keepIfHard(card: CountedCard, memory: ScheduledReview | undefined): void {
    const lapses = lapsesOf(card.reviews, this.#ports.dayOf);
    if (lapses === 0) return;
    const hard = {
      id: card.id,
      "deck-id": card.deckId ?? null,
      name: card.name ?? null,
      lapses,
      stability: memory === undefined ? null : round(memory.stability, 2),
    };
    this.#hardest = [...this.#hardest, hard].sort(compareHard).slice(0, hardestCards);
  }

  finish(): Figures {
    const all = [...this.#days].sort(([a], [b]) => a - b);
    const shown = all.filter(([day]) => this.#within(day));
    const today = this.#days.get(this.#today) ?? new PeriodSum();
    return {
      today: {
        reviews: today.reviews,
        remembered: today.remembered,
        new: today.new,
        seconds: today.reviews === 0 ? 0 : roundOrNull(today.seconds),
      },
      streak: streakOf(this.#days.keys(), this.#today),
      days: shown.map(([day, sum]) => dayFigures(day, sum)),
      due: this.#forecast(),
      retention: [...this.#months].sort(([a], [b]) => (a < b ? -1 : 1)).map(monthFigures),
      intervals: this.#intervals.bins(),
      stability: this.#stability.bins(),
      difficulty: this.#difficulty.bins(),
      retrievability: this.#recall.bins(),
      hardest: this.#hardest,
      totals: { ...this.#totals, ...totalOf(shown.map(([, sum]) => sum)) },
    };
  }

  #forecast(): Figures["due"] {
    let overdue = 0;
    for (const [day, cards] of this.#due) if (day < this.#today) overdue += cards;
    const days = Array.from({ length: forecastDays }, (_, index) => ({
      date: dateOfDay(this.#today + index),
      cards: this.#due.get(this.#today + index) ?? 0,
    }));
    return { overdue, days };
  }

  #within(day: number): boolean {
    const { since = -Infinity, until = Infinity } = this.#ports;
    return day >= since && day <= until;
  }
}

const dayFigures = (day: number, sum: PeriodSum): DayFigures => ({
  date: dateOfDay(day),
  reviews: sum.reviews,
  new: sum.new,
  seconds: roundOrNull(sum.seconds),
});

function monthFigures([month, sum]: [string, PeriodSum]): MonthFigures {
  const enough = sum.reviews >= leastForShare;
  return {
    month,
    reviews: sum.reviews,
    remembered: sum.remembered,
    true: enough ? round(sum.remembered / sum.reviews, 4) : null,
    predicted: enough ? round(sum.predicted / sum.reviews, 4) : null,
  };
}

function totalOf(sums: readonly PeriodSum[]): { reviews: number; seconds: number | null } {
  let reviews = 0;
  let seconds: number | undefined = sums.length === 0 ? 0 : undefined;
  for (const sum of sums) {
    reviews += sum.reviews;
    if (sum.seconds !== undefined) seconds = (seconds ?? 0) + sum.seconds;
  }
  return { reviews, seconds: roundOrNull(seconds) };
}

/** More lapses first, then the lower stability, then the id. */
function compareHard(a: HardCard, b: HardCard): number {
  if (a.lapses !== b.lapses) return b.lapses - a.lapses;
  const [left, right] = [a.stability ?? Infinity, b.stability ?? Infinity];
  if (left !== right) return left - right;
  return a.id < b.id ? -1 : 1;
}

const roundOrNull = (seconds: number | undefined): number | null =>
  seconds === undefined ? null : round(seconds, 1);

function round(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.round(value * factor) / factor;
}

/**
 * A card as statistics count it.
 *
 * @param decks its deck and those above it
 * @param logged reviews that the service does not have
 */
export function countedCard(
  card: Card,
  decks: readonly Partial<Record<"archived" | "trashed", boolean | undefined>>[],
  logged: readonly CountedReview[] = [],
): CountedCard {
  const recorded = (card.reviews ?? []).flatMap((review): CountedReview[] => {
    const at = Date.parse(review.date ?? "");
    const { "remembered?": remembered, duration } = review;
    if (Number.isNaN(at) || typeof remembered !== "boolean") return [];
    return [{ at, remembered, seconds: duration ?? undefined }];
  });
  const reviews = inOrder([...recorded, ...logged]);
  const newest = card.reviews?.find(({ date }) => Date.parse(date ?? "") === reviews.at(-1)?.at);
  const due = Date.parse(newest?.due ?? "");
  const isTrashed = card["trashed?"] != null || decks.some(({ trashed }) => trashed);
  const isArchived = card["archived?"] === true || decks.some(({ archived }) => archived);
  return {
    id: card.id,
    deckId: card["deck-id"] ?? undefined,
    name: card.name ?? undefined,
    reviews,
    due: Number.isNaN(due) ? undefined : due,
    state: isTrashed ? "trashed" : isArchived ? "archived" : "active",
  };
}

/** Oldest first, each instant once. */
export function inOrder(reviews: readonly CountedReview[]): CountedReview[] {
  return [...new Map(reviews.map((review) => [review.at, review])).values()].sort((a, b) => a.at - b.at);
}
