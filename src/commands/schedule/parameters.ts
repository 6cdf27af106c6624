import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { count } from "../../output/words.ts";
import type { ScheduleDocument } from "../../schema/index.ts";
import { array, integer, number, timestamp } from "../../schema/index.ts";
import { listingOf } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { resetParameters, trainedParameters } from "../shared/schedule.ts";

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

const scheduleListing = listingOf("schedule", {
  retention: number({ about: "The share of cards to be remembered when they are due." }),
  "trained-at": timestamp({ about: "When the parameters were trained; empty for the defaults." }),
  reviews: integer({ about: "How many reviews they were trained on." }),
  "log-loss": number({ about: "How well they predicted reviews that they were not trained on." }),
  w: array(number(), { about: "The 21 parameters of FSRS-6." }),
});

export const resetCommand = command(
  () =>
    declare(`Go back to the default parameters. Due dates stay as they are.

Examples:
  deckhand schedule reset
  deckhand schedule reset --profile work`),
  (_, context) => resetSchedule(context),
);

async function resetSchedule(context: Context): Promise<void> {
  if (context.options.dryRun) return context.io.note("Would reset the parameters to the defaults of FSRS");
  await resetParameters(context);
  context.io.say("Reset the parameters to the defaults of FSRS");
}

const declared = () =>
  declare(`Compute due dates again, by the retention and the parameters that are set now.

Changing either moves nothing that is due already. First says how many cards move, and by how much.

Examples:
  deckhand schedule apply Geography --dry-run
  deckhand schedule apply`).argument("[deck]", "only this deck and the decks under it (id, name or path)");

export const applyCommand = command(declared, async (deck, _options, context) => {
  const client = await context.client();
  if (!(await client.service.has("schedule")))
    throw new UsageError("this service cannot compute due dates again: the API has no way");
  const body = {
    reschedule: true,
    ...(deck === undefined ? {} : { "deck-id": (await (await context.names()).deck(deck)).id }),
  };
  const preview = await client.schedule.put({ ...body, preview: true }).send();
  context.io.note(movesText(preview));
  if (context.options.dryRun || (preview.moved ?? 0) === 0) return;
  await context.io.confirm("Move these due dates?", "nothing was changed");
  const { moved = 0 } = await client.schedule.put(body).send();
  context.io.say(`Moved ${count(moved ?? 0, "card")}`);
});

/** How many cards a reschedule moves, which way and how far. */
export function movesText({ moved, later, days }: ScheduleDocument): string {
  const [all, back] = [moved ?? 0, later ?? 0];
  if (all === 0) return "No due date changes.";
  const mean = ((days ?? 0) / all).toFixed(1);
  return `${count(all - back, "card")} become due earlier, ${back} later; by ${mean} days on average.`;
}
