import { answersSince, standingReviews } from "./history.ts";
import type { AnswerLine, ReviewBody } from "./log.ts";
import { type LogDay, progressToday } from "./queue.ts";
import type { Resumed } from "./state.ts";

/** An answer of an earlier session, and how far its card was before it. */
export interface Earlier {
  readonly line: AnswerLine;
  readonly resumed: Resumed | undefined;
  readonly logged: readonly ReviewBody[];
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
    return { line, resumed, logged: standingReviews(history, [{ id }]).get(id) ?? [] };
  };
}
