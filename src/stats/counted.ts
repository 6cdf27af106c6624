import type { Card } from "../schema/index.ts";
import type { CountedCard, CountedReview } from "./collect.ts";

/** A card as statistics count it. @param logged reviews that the service does not have */
export function countedCard(
  card: Card,
  logged: readonly CountedReview[] = [],
  state: CountedCard["state"],
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
  return {
    id: card.id,
    deckId: card["deck-id"] ?? undefined,
    name: card.name ?? undefined,
    reviews,
    due: Number.isNaN(due) ? undefined : due,
    state,
  };
}

/** Oldest first, each instant once. */
export function inOrder(reviews: readonly CountedReview[]): CountedReview[] {
  return [...new Map(reviews.map((review) => [review.at, review])).values()].sort((a, b) => a.at - b.at);
}
