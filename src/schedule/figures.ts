import type { TodayFigures } from "../schema/index.ts";
import type { summed, Today } from "./today.ts";

/** What is asked today, in numbers: what `due`, `decks list`, the end of a session and the screens say (docs/design/review.md). */

export interface TodayNumbers extends Pick<Today, "order" | "backlog" | "left" | "held"> {
  readonly today: ReturnType<typeof summed>;
  /** Each deck by itself; those without any are left out. */
  readonly decks: readonly { id: string; reviews: number; new: number; forgotten: number }[];
  readonly done: { readonly reviews: number; readonly new: number };
  /** Null where the service does not say what is due on other days. */
  readonly tomorrow: number | null;
  /** Reviews that are due on each of the days after today, as far as they were asked for and are known. */
  readonly ahead?: readonly number[];
  /** Days in a row with a review, until today or yesterday, where the days to come were asked for. */
  readonly streak?: number;
  /** How many cards each deck has. */
  readonly cards?: TodayFigures["cards"];
}

/** What each deck has by itself: what is due, what comes back today among it, new cards, and all its cards. */
export function figuresByDeck({ decks, cards }: TodayNumbers) {
  const own = new Map(
    (cards ?? []).map((deck) => [deck.id ?? "", { due: 0, new: 0, cards: deck.cards ?? 0 }]),
  );
  for (const { id, reviews, forgotten, new: fresh } of decks)
    own.set(id, { due: reviews + forgotten, new: fresh, cards: own.get(id)?.cards ?? 0 });
  return own;
}

/** "12 to review, 3 new, 1 forgotten": what there is of each; "" where nothing is asked. */
export function askedText({ reviews, new: fresh, forgotten }: TodayNumbers["today"]): string {
  const parts = [
    [reviews, "to review"],
    [fresh, "new"],
    [forgotten, "forgotten"],
  ] as const;
  return parts.flatMap(([number, what]) => (number > 0 ? [`${number} ${what}`] : [])).join(", ");
}

/** "40 s", "4 min". */
export const durationText = (seconds: number): string =>
  seconds < 60 ? `${Math.floor(seconds)} s` : `${Math.round(seconds / 60)} min`;
