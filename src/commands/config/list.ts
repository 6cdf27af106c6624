import { settingNames } from "../../config/index.ts";
import type { Context } from "../../context/context.ts";
import { object, string } from "../../schema/kinds.ts";
import type { Listing } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { shownValue } from "./values.ts";

const settingsListing: Listing = {
  name: "settings",
  kind: object({ name: string(), value: string(), origin: string() }),
  columns: ["name", "value", "origin"],
};

const declared = () =>
  declare(`List the settings: what each is now, and where that comes from.

Examples:
  deckhand config list
  deckhand config list -o json`);

export const listCommand = command(declared, (_options, context) => listSettings(context));

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
