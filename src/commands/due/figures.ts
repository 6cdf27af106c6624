import { type Placed, sumsInTree } from "../../deck-tree.ts";
import { count } from "../../output/words.ts";
import type { Planned } from "../../review/session/queue.ts";
import { figuresOf } from "../../schedule/today.ts";
import type { Order, TodayFigures } from "../../schema/index.ts";

/** What is asked today, in numbers: what `due`, `decks list` and the end of a session say (docs/design/review.md). */

interface DeckFigures {
  readonly id: string;
  readonly reviews: number;
  readonly new: number;
  readonly forgotten: number;
}

export interface DayFigures {
  readonly today: Omit<DeckFigures, "id"> & { readonly count: number; readonly seconds: number };
  /** Each deck by itself; those without any are left out. */
  readonly decks: readonly DeckFigures[];
  readonly done: { readonly reviews: number; readonly new: number };
  readonly tomorrow: number;
  /** Reviews that are due and put off until tomorrow. */
  readonly "put-off": number;
  readonly order: Order;
  readonly backlog: boolean;
  /** Reviews that are left for later days, and new cards that are not begun today. */
  readonly left: number;
  readonly held: number;
}

/** Seconds for an answer where nobody's are known. */
export const usualAnswer = 8;

/** The figures as the service gives them: one that has them is of our own, and leaves no number out. */
export const figuresFrom = (day: TodayFigures): DayFigures => day as DayFigures;

/** The figures of a day that was planned here. */
export function figuresOfPlan(
  { plan, asked, done }: Pick<Planned, "plan" | "asked" | "done">,
  tomorrow: number,
  seconds = usualAnswer,
): DayFigures {
  const decks = [...figuresOf(asked)].map(([id, figures]) => ({ id, ...figures }));
  const { order, backlog, left, held } = plan;
  const doneOf = (what: "reviews" | "new") => done.reduce((sum, each) => sum + each[what], 0);
  return {
    today: summed(decks, seconds),
    decks,
    done: { reviews: doneOf("reviews"), new: doneOf("new") },
    ...{ tomorrow, "put-off": 0, order, backlog, left, held },
  };
}

export function summed(decks: readonly DeckFigures[], seconds: number): DayFigures["today"] {
  const sum = (what: "reviews" | "new" | "forgotten") => decks.reduce((all, deck) => all + deck[what], 0);
  const [reviews, fresh, forgotten] = [sum("reviews"), sum("new"), sum("forgotten")];
  const all = reviews + fresh + forgotten;
  return { reviews, new: fresh, forgotten, count: all, seconds: Math.round(all * seconds) };
}

const orderNames: Readonly<Record<Order, string>> = {
  due: "the longest overdue first",
  easiest: "the most likely to be recalled first",
  hardest: "the least likely to be recalled first",
  deck: "deck by deck",
  random: "in random order",
};

/** Which order applies and how many cards are left for later days; undefined where nothing is left. */
export function openingLine({ order, backlog, left }: DayFigures): string | undefined {
  if (!backlog && left === 0) return undefined;
  const later =
    left === 0 ? "" : `; ${count(left, "review")} ${left === 1 ? "is" : "are"} left for later days`;
  return `A backlog: ${orderNames[order]}${later}${backlog ? ", and no new cards are begun (--new overrides)" : ""}.`;
}

/** What is asked today of each deck and those under it; decks without any are absent. */
export const sumsOfDecks = (decks: readonly Placed<{ readonly id: string }>[], day: DayFigures) =>
  sumsInTree(decks, new Map(day.decks.map(({ id, ...figures }) => [id, figures])));
