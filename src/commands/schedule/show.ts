import type { Context } from "../../context/context.ts";
import { array, integer, type Listing, number, object, timestamp } from "../../schema/index.ts";
import { command, declare } from "../shared/command.ts";
import { trainedParameters } from "../shared/schedule.ts";

export const showCommand = command(
  () =>
    declare(`Show the parameters by which due dates are computed.

Examples:
  deckhand schedule show
  deckhand schedule show --jq .retention`),
  (_, context) => showSchedule(context),
);

async function showSchedule(context: Context): Promise<void> {
  const { default_w } = await import("ts-fsrs");
  const trained = await trainedParameters(context);
  const document = {
    retention: context.settings()["review.retention"].value,
    "trained-at": trained?.["trained-at"] ?? null,
    reviews: trained?.reviews ?? null,
    "log-loss": trained?.["log-loss"] ?? null,
    w: trained?.w ?? default_w,
  };
  await context.print.documents(scheduleListing, [document], false);
  if (trained === undefined)
    context.io.say("These are the defaults of FSRS. `deckhand schedule train` learns from your reviews.");
}

const scheduleListing: Listing = {
  name: "schedule",
  kind: object({
    retention: number({ about: "The share of cards to be remembered when they are due." }),
    "trained-at": timestamp({ about: "When the parameters were trained; empty for the defaults." }),
    reviews: integer({ about: "How many reviews they were trained on." }),
    "log-loss": number({ about: "How well they predicted reviews that they were not trained on." }),
    w: array(number(), { about: "The 21 parameters of FSRS-6." }),
  }),
  columns: ["retention", "trained-at", "reviews", "log-loss", "w"],
};
