import type { Context } from "../../context/context.ts";
import { readLog } from "../../review/session/history.ts";
import { type AnsweredHere, answeredHere } from "../../review/session/queue.ts";
import type { DueCard } from "../../schema/card.ts";
import { schedulerFor, sessionDays } from "./days.ts";

/** Which of the due cards were answered on this machine without the service knowing. */
export async function answersHere(
  path: string,
  due: readonly DueCard[],
  date: string | undefined,
  context: Context,
): Promise<ReadonlyMap<string, AnsweredHere>> {
  const history = await readLog(path);
  const scheduler = await schedulerFor(context);
  const { endOfDay } = sessionDays(date, context);
  return answeredHere(due, { history, schedule: (past) => scheduler.due(past), endOfDay });
}
