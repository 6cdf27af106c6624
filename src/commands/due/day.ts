import { count } from "../../output/words.ts";
import type { summed, Today } from "../../schedule/today.ts";
import type { Order, TodayFigures } from "../../schema/index.ts";

/** What is asked today, in numbers: what `due`, `decks list` and the end of a session say (docs/design/review.md). */

/** The options of `review`, once its deck is resolved. */
export interface SessionOptions {
  readonly deck?: string | undefined;
  readonly recursive: boolean;
  readonly date?: string | undefined;
  readonly limit?: number | undefined;
  /** How many new cards today, or all. */
  readonly new?: number | "all" | undefined;
  /** What follows from the backlog if absent. */
  readonly order?: Order | undefined;
  readonly tag?: readonly string[] | undefined;
  readonly search?: string | undefined;
  readonly type?: boolean | undefined;
  readonly practice?: boolean | undefined;
  readonly plain?: boolean | undefined;
}

/** Which part of the day, and what is otherwise than by the settings. */
export type TodayOptions = Pick<SessionOptions, "deck" | "recursive" | "order" | "new">;

export const wholeDay: TodayOptions = { recursive: true };

export interface DayFigures extends Pick<Today, "order" | "backlog" | "left" | "held"> {
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
export function figuresByDeck({ decks, cards }: DayFigures) {
  const own = new Map(
    (cards ?? []).map((deck) => [deck.id ?? "", { due: 0, new: 0, cards: deck.cards ?? 0 }]),
  );
  for (const { id, reviews, forgotten, new: fresh } of decks)
    own.set(id, { due: reviews + forgotten, new: fresh, cards: own.get(id)?.cards ?? 0 });
  return own;
}

const orderNames: Readonly<Record<Order, string>> = {
  due: "the longest overdue first",
  easiest: "the most likely to be recalled first",
  hardest: "the least likely to be recalled first",
  deck: "deck by deck",
  random: "in random order",
};

/** Which order applies and how many cards are left for later days; undefined where nothing is left. */
export function openingLine({ order, backlog, left }: Pick<Today, "order" | "backlog" | "left">) {
  if (!backlog && left === 0) return undefined;
  const later =
    left === 0 ? "" : `; ${count(left, "review")} ${left === 1 ? "is" : "are"} left for later days`;
  return `A backlog: ${orderNames[order]}${later}${backlog ? ", and no new cards are begun (--new overrides)" : ""}.`;
}
