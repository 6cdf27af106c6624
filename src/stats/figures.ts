import type { Streak } from "../schedule/streak.ts";

/**
 * The figures of `deckhand stats` (docs/design/stats.md, Definitions). The keys of `Figures` are a contract: `-o json`
 * prints the object as it is. Dates are local days `YYYY-MM-DD`, months `YYYY-MM`, durations seconds; an unknown figure
 * is null.
 */
export interface Figures {
  readonly today: {
    readonly reviews: number;
    readonly remembered: number;
    readonly new: number;
    readonly seconds: number | null;
  };
  readonly streak: Streak;
  /** The days with a review, oldest first. */
  readonly days: readonly DayFigures[];
  readonly due: { readonly overdue: number; readonly days: readonly DueDay[] };
  readonly retention: readonly MonthFigures[];
  /** Days from the last review of a card to its due date. */
  readonly intervals: readonly Bin[];
  /** Days until the chance to recall a card falls to 90%. */
  readonly stability: readonly Bin[];
  /** From 1 to 10. */
  readonly difficulty: readonly Bin[];
  /** The chance to recall a card now, from 0 to 1. */
  readonly retrievability: readonly Bin[];
  readonly hardest: readonly HardCard[];
  readonly totals: {
    readonly cards: number;
    readonly new: number;
    readonly young: number;
    readonly mature: number;
    readonly archived: number;
    readonly reviews: number;
    readonly seconds: number | null;
  };
}

export interface DayFigures {
  readonly date: string;
  readonly reviews: number;
  readonly new: number;
  readonly seconds: number | null;
}

export interface DueDay {
  readonly date: string;
  readonly cards: number;
}

export interface MonthFigures {
  readonly month: string;
  /** The reviews that count: the first of a card on a day, at least a day after its previous one. */
  readonly reviews: number;
  readonly remembered: number;
  /** `remembered` as a share of `reviews`; null with fewer than `leastForShare`. */
  readonly true: number | null;
  /** The mean chance to recall that FSRS gave these cards; null as above. */
  readonly predicted: number | null;
}

/** Cards with `from` <= value < `to`; the last bin of a share includes its end, and one without `to` has no end. */
export interface Bin {
  readonly from: number;
  readonly to: number | null;
  readonly cards: number;
}

/** What a retention costs in the next year: `schedule forecast`. */
export interface WorkStep {
  readonly retention: number;
  readonly "reviews-per-day": number;
  readonly "minutes-per-day": number;
  /** How many cards would be recalled at its end. */
  readonly known: number;
}

export interface HardCard {
  readonly id: string;
  readonly "deck-id": string | null;
  readonly name: string | null;
  readonly lapses: number;
  readonly stability: number | null;
}

/** A share of fewer reviews than this says nothing and is null. */
export const leastForShare = 5;

/** An interval from which on a card counts as mature, in days. */
export const matureDays = 21;

/** How many days the forecast has, today included. */
export const forecastDays = 30;

/** How many hard cards are kept. */
export const hardestCards = 20;

export const intervalBounds = [0, 1, 3, 7, 14, 21, 30, 60, 90, 180, 365] as const;
export const stabilityBounds = [0, 1, 3, 7, 14, 30, 60, 90, 180, 365] as const;
export const difficultyBounds = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
export const recallBounds = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9] as const;
