import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { keep } from "./store.ts";
import { settingName } from "./values.ts";

export function setCommand(start: StartContext): Command {
  return new Command("set")
    .description("Change a setting: of the profile in use, or of all profiles.")
    .argument("<setting>", "its name; `deckhand help settings` tells what each is")
    .argument("<value>", "what it is to be")
    .addHelpText(
      "after",
      `
Examples:
  deckhand config set deck Geography
  deckhand config set timeout 30s --profile local`,
    )
    .action((name: string, value: string, _options: object, command: Command) =>
      setSetting(name, value, start(command)),
    );
}

export async function setSetting(name: string, value: string, context: Context): Promise<void> {
  await keep(settingName(name), value, context);
}
