import { Command } from "commander";
import { settingNames } from "../../config/index.ts";
import type { Context, StartContext } from "../../context/context.ts";
import { object, string } from "../../schema/kinds.ts";
import type { Listing } from "../../schema/resources.ts";
import { shownValue } from "./values.ts";

const settingsListing: Listing = {
  name: "settings",
  kind: object({ name: string(), value: string(), origin: string() }),
  columns: ["name", "value", "origin"],
};

export function listCommand(start: StartContext): Command {
  return new Command("list")
    .description("List the settings: what each is now, and where that comes from.")
    .addHelpText(
      "after",
      `
Examples:
  deckhand config list
  deckhand config list -o json`,
    )
    .action((_options: object, command: Command) => listSettings(start(command)));
}

async function listSettings(context: Context): Promise<void> {
  const settings = context.settings();
  const rows = settingNames.map((name) => ({
    name,
    value: shownValue(name, settings[name].value) ?? null,
    origin: settings[name].origin,
  }));
  await context.print.list(settingsListing, rows);
  const { configProblem } = context.sources();
  if (configProblem !== undefined) context.io.warn(configProblem);
}
