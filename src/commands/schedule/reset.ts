import type { Context } from "../../context/context.ts";
import { command, declare } from "../shared/command.ts";
import { resetParameters } from "../shared/schedule.ts";

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
