import type { Context } from "../../context.ts";
import { readLog } from "../../review/log/file.ts";
import { type AnsweredHere, answeredHere } from "../../review/queue.ts";
import { schedule } from "../../schedule/index.ts";
import type { DueCard } from "../../schema/card.ts";
import { daysOf } from "./days.ts";

/** Which of the due cards were answered on this machine without the service knowing. */
export async function answersHere(
  path: string,
  due: readonly DueCard[],
  date: string | undefined,
  context: Context,
): Promise<ReadonlyMap<string, AnsweredHere>> {
  const history = await readLog(path);
  return answeredHere(due, { history, schedule, endOfDay: daysOf(date, context.now()).endOfDay });
}
