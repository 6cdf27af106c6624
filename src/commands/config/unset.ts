import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { keep } from "./store.ts";
import { settingName } from "./values.ts";

export function unsetCommand(start: StartContext): Command {
  return new Command("unset")
    .description("Forget a setting: it is then what it is by default.")
    .argument("<setting>", "its name, as `deckhand config list` has it")
    .addHelpText(
      "after",
      `
Examples:
  deckhand config unset deck
  deckhand config unset codec --profile local`,
    )
    .action((name: string, _options: object, command: Command) => unsetSetting(name, start(command)));
}

async function unsetSetting(name: string, context: Context): Promise<void> {
  await keep(settingName(name), undefined, context);
}
