import { count } from "../../output/words.ts";
import type { Today } from "../../schedule/today.ts";
import type { Order } from "../../schema/today.ts";

/** Which part of a day is asked, and what is said of it (docs/design/review.md). */

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
