import type { Client } from "../../client/index.ts";
import type { Context } from "../../context/context.ts";
import { parseWhen } from "../../dates.ts";
import type { Forecast } from "../../review/ports.ts";
import { readLog } from "../../review/session/history.ts";
import { answeredHere, dueAt, isNewCard } from "../../review/session/queue.ts";
import { dayOffset, userDays } from "../shared/days.ts";
import { schedulerFor } from "./days.ts";
import { logPath } from "./review-log.ts";

/** How many reviewed cards are due soon: by the service, and by the answers of this machine that it does not have. */
export async function forecastOf(context: Context, client: Client): Promise<Forecast | undefined> {
  const now = context.clock.now();
  const days = userDays(context);
  const today = days.dayOf(now);
  const date = parseWhen("+7d", now, dayOffset(context))?.text;
  const due = (await client.due.list({ date }).send()).filter((card) => !isNewCard(card));
  const scheduler = await schedulerFor(context);
  const answered = answeredHere(due, {
    history: await readLog(logPath(context)),
    schedule: (past) => scheduler.due(past),
    endOfDay: Number.NEGATIVE_INFINITY,
  });
  const dueDays = due.map((card) => days.dayOf(dueInstant(answered.get(card.id)?.until, dueAt(card), now)));
  return {
    tomorrow: dueDays.filter((day) => day <= today + 1).length,
    week: dueDays.filter((day) => day <= today + 7).length,
  };
}

/** A card without a due instant is due now. */
function dueInstant(here: string | undefined, there: number, now: number): number {
  if (here !== undefined) return Date.parse(here);
  return Number.isFinite(there) ? there : now;
}
