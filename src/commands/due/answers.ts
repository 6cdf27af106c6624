import type { Context } from "../../context/context.ts";
import { readLog } from "../../review/session/history.ts";
import { type AnsweredHere, answeredHere, progressToday } from "../../review/session/queue.ts";
import type { DueCard } from "../../schema/card.ts";
import { schedulerFor, sessionDays } from "./days.ts";

/** What the review log of this machine adds to the service's answer. */
interface LoggedHere {
  /** The due cards that were answered on this machine without the service knowing. */
  readonly answered: ReadonlyMap<string, AnsweredHere>;
  /** The ids of cards that are not due, were forgotten today, and come back in the next session of the day. */
  readonly comingBack: ReadonlySet<string>;
}

/** @param decks the decks that were asked about; undefined for all */
export async function answersHere(
  path: string,
  due: readonly DueCard[],
  { date, decks }: { readonly date: string | undefined; readonly decks: ReadonlySet<string> | undefined },
  context: Context,
): Promise<LoggedHere> {
  const history = await readLog(path);
  const scheduler = await schedulerFor(context);
  const { startOfToday, endOfDay } = sessionDays(date, context);
  const known = new Set(due.map(({ id }) => id));
  const comingBack = [
    ...progressToday({ history, startOfToday, now: context.clock.now() }).unfinished,
  ].filter(([id, { deckId, review }]) => review === false && !known.has(id) && (decks?.has(deckId) ?? true));
  return {
    answered: answeredHere(due, { history, schedule: (past) => scheduler.due(past), endOfDay }),
    comingBack: new Set(comingBack.map(([id]) => id)),
  };
}
