import { Command } from "commander";
import type { Context, StartContext } from "../../context.ts";
import { keep } from "./store.ts";
import { settingName } from "./values.ts";

export function setCommand(start: StartContext): Command {
  return new Command("set")
    .description("Change a setting, of the profile in use or of all as it is one or the other.")
    .argument("<setting>", "its name, as `deckhand config list` has it")
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
