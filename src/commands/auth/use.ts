import type { Context } from "../../context/context.ts";
import { command, declare } from "../shared/command.ts";
import { placeOf } from "../shared/profiles.ts";

const declared = () =>
  declare(`Choose the account to use from now on.

Examples:
  deckhand auth use local
  deckhand auth use work`).argument("<profile>", "a profile of `deckhand auth list`");

export const useCommand = command(declared, (profile, _options, context) => chooseAccount(profile, context));

async function chooseAccount(profile: string, context: Context): Promise<void> {
  if (context.options.dryRun) return context.io.note(`Would make ${profile} the default profile`);
  const { chooseProfile } = await import("../../config/profiles.ts");
  await chooseProfile(placeOf(context), profile);
  context.io.note(`${profile} is now the default profile`);
}
