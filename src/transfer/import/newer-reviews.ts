import type { SourceReview } from "../model.ts";

/** What becomes of a source's history for a card that the account has. */
export interface HistoryMatch {
  /** The reviews after this instant (ISO 8601) are imported, all where it is ""; none where it is undefined. */
  readonly since?: string;
  /** How many reviews are newer than the account's last one and not imported, since it has others of its own. */
  readonly apart?: number;
}

interface HistoryThere {
  /** The instants of the card's reviews. */
  readonly dates: readonly string[];
  /** When the last of them makes it due, ISO 8601. */
  readonly due: string | undefined;
  /** How many of them earlier imports of the same input gave it. */
  readonly given: number;
}

/**
 * A card without reviews gets the whole history, one whose reviews all came from the source those that are newer than its
 * last one. Some sources know only the last review (Obsidian): there it counts how many were imported. One that is made up
 * for a due date adds nothing to a card that is due then.
 */
export function historyMatch(
  reviews: readonly SourceReview[],
  { dates, due, given }: HistoryThere,
): HistoryMatch {
  if (dates.length === 0) return { since: "" };
  const last = reviews.at(-1);
  if (last?.madeUp && Date.parse(last.due ?? "") === Date.parse(due ?? "")) return {};
  const source = new Set(reviews.map(({ date }) => Date.parse(date)));
  const there = dates.map((date) => Date.parse(date));
  const own = there.filter((date) => !source.has(date)).length;
  const since = new Date(there.reduce((a, b) => Math.max(a, b))).toISOString();
  const newer = reviewsAfter(reviews, since).length;
  if (newer === 0) return {};
  if (own === 0 || given === dates.length) return { since };
  // Of histories that have nothing in common, one may be made up from a due date alone.
  return own < dates.length || given > 0 ? { apart: newer } : {};
}

/** @param since as in `HistoryMatch` */
export const reviewsAfter = (
  reviews: readonly SourceReview[],
  since: string | undefined,
): readonly SourceReview[] =>
  since === undefined
    ? []
    : since === ""
      ? reviews
      : reviews.filter(({ date }) => Date.parse(date) > Date.parse(since));
