import type { Context } from "../../context/context.ts";
import type { Schedule } from "../../review/session/queue.ts";
import { schedule } from "../../schedule/index.ts";

/** When a card is due again, with the share of cards to be remembered that the settings say. */
export function schedulerFor(context: Context): Schedule {
  const retention = context.settings()["review.retention"].value;
  return (history) => schedule(history, { retention });
}
