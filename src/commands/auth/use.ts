import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { placeOf } from "../shared/profiles.ts";

export function useCommand(start: StartContext): Command {
  return new Command("use")
    .description("Choose the account to use from now on.")
    .argument("<profile>", "a profile of `deckhand auth list`")
    .addHelpText(
      "after",
      `
Examples:
  deckhand auth use local
  deckhand auth use work`,
    )
    .action((profile: string, _options: object, command: Command) => chooseAccount(profile, start(command)));
}

async function chooseAccount(profile: string, context: Context): Promise<void> {
  if (context.options.dryRun) return context.io.note(`Would make ${profile} the default profile`);
  const { chooseProfile } = await import("../../config/profiles.ts");
  await chooseProfile(placeOf(context), profile);
  context.io.note(`${profile} is now the default profile`);
}
