import type { Context } from "../../context/context.ts";
import { Scheduler } from "../../schedule/index.ts";
import { userDays } from "../shared/days.ts";

/** The schedule of the user's days, with the share of cards to be remembered that the settings say. */
export const schedulerFor = (context: Context): Scheduler =>
  new Scheduler({ days: userDays(context), retention: context.settings()["review.retention"].value });
