import type { PastReview } from "../../schedule/index.ts";
import { answersSince, type LogHistory, standingReviews } from "./history.ts";
import type { AnswerLine, ReviewBody } from "./log.ts";
import type { Resumed } from "./state.ts";

/** How far the sessions of a day got, by the log of this machine. */

/** What the log is read by. Epoch milliseconds. */
export interface LogDay {
  readonly history: LogHistory;
  readonly now: number;
  readonly startOfToday: number;
}

/** A card that a session of today began and did not finish. */
interface Unfinished extends Resumed {
  readonly deckId: string;
}

/**
 * How far the sessions of today got: the cards that they did not finish, which were forgotten and not yet remembered since
 * or of which only some passes were asked, and when they finished those that had been forgotten (epoch milliseconds).
 */
export function progressToday({ history, startOfToday, now }: LogDay): {
  readonly unfinished: ReadonlyMap<string, Unfinished>;
  readonly finished: ReadonlyMap<string, number>;
} {
  const unfinished = new Map<string, Unfinished>();
  const finished = new Map<string, number>();
  for (const line of answersSince(history, startOfToday)) {
    if (Date.parse(line.at) > now) continue;
    const cardId = line["card-id"];
    const before = unfinished.get(cardId);
    const passes = { ...before?.passes, [line.pass]: line["remembered?"] };
    const review = line.review?.["remembered?"] ?? before?.review;
    if (line.left === 0) {
      unfinished.delete(cardId);
      // An answer that gave today's review ends no asking again.
      if (line.review === undefined) finished.set(cardId, Date.parse(line.at));
      continue;
    }
    finished.delete(cardId);
    unfinished.set(cardId, { deckId: line["deck-id"], passes, review });
  }
  return { unfinished, finished };
}

/** How far a card got that was forgotten today, on whichever machine: what is asked still gives no review. */
export const resumedForgotten = (here: Resumed | undefined): Resumed => ({
  passes: here?.passes ?? {},
  review: false,
});

/** An answer of an earlier session, and how far its card was before it. */
export interface Earlier {
  readonly line: AnswerLine;
  readonly resumed: Resumed | undefined;
  readonly logged: readonly ReviewBody[];
  readonly startOfToday: number;
}

/** The answers of today's earlier sessions, the last first: what is undone where this session has done nothing yet. */
export function earlierAnswers(day: LogDay): () => Earlier | undefined {
  let { history } = day;
  return () => {
    const line = answersSince(history, day.startOfToday).findLast(({ at }) => Date.parse(at) <= day.now);
    if (line === undefined) return undefined;
    const id = line["card-id"];
    history = { ...history, answers: history.answers.filter((answer) => answer.id !== line.id) };
    const resumed = progressToday({ ...day, history }).unfinished.get(id);
    const logged = standingReviews(history, [{ id }]).get(id) ?? [];
    return { line, resumed, logged, startOfToday: day.startOfToday };
  };
}

/** How far a card is that comes back with an answer. @param reviews all that it has, perhaps that of the answer still */
export function resumedBy(
  { line, resumed, startOfToday }: Earlier,
  reviews: readonly PastReview[],
): Resumed | undefined {
  const own = Date.parse(line.review?.date ?? "");
  const others = reviews.map(({ date }) => Date.parse(date ?? "")).filter((at) => at !== own);
  const isGiven = others.some((at) => at >= startOfToday);
  return isGiven ? resumedForgotten(resumed) : resumed;
}
