import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { resetParameters } from "../shared/schedule.ts";

export function resetCommand(start: StartContext): Command {
  return new Command("reset")
    .description("Go back to the default parameters. Due dates stay as they are.")
    .addHelpText(
      "after",
      `
Examples:
  deckhand schedule reset
  deckhand schedule reset --profile work`,
    )
    .action((_: unknown, command: Command) => resetSchedule(start(command)));
}

async function resetSchedule(context: Context): Promise<void> {
  if (context.options.dryRun) {
    context.io.say("Would reset the parameters to the defaults of FSRS");
    return;
  }
  await resetParameters(context);
  context.io.say("Reset the parameters to the defaults of FSRS");
}
