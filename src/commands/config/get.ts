import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { DeckhandError } from "../../errors.ts";
import { settingName, shownValue } from "./values.ts";

export function getCommand(start: StartContext): Command {
  return new Command("get")
    .description("Print a setting's value, wherever it comes from.")
    .argument("<setting>", "its name, as `deckhand config list` has it")
    .addHelpText(
      "after",
      `
Examples:
  deckhand config get codec
  deckhand config get timeout --profile local`,
    )
    .action((name: string, _options: object, command: Command) => getSetting(name, start(command)));
}

async function getSetting(text: string, context: Context): Promise<void> {
  const name = settingName(text);
  const value = shownValue(name, context.settings()[name].value);
  if (value === undefined) throw new DeckhandError("not-found", `${name} is not set`);
  const asJson =
    context.print.format === "json" || context.print.format === "ndjson" || context.options.jq !== undefined;
  if (asJson) await context.print.value(value);
  else await context.io.write(`${value}\n`);
}
