import type { Context } from "../../context/context.ts";
import { DeckhandError } from "../../errors.ts";
import { command, declare } from "../shared/command.ts";
import { settingName, shownValue } from "./values.ts";

const declared = () =>
  declare(`Print a setting's value, wherever it comes from.

Examples:
  deckhand config get codec
  deckhand config get timeout --profile local`).argument(
    "<setting>",
    "its name, as `deckhand config list` has it",
  );

export const getCommand = command(declared, (name, _options, context) => getSetting(name, context));

async function getSetting(text: string, context: Context): Promise<void> {
  const name = settingName(text);
  const value = shownValue(name, context.settings()[name].value);
  if (value === undefined) throw new DeckhandError("not-found", `${name} is not set`);
  const asJson =
    context.print.format === "json" || context.print.format === "ndjson" || context.options.jq !== undefined;
  if (asJson) await context.print.value(value);
  else await context.io.write(`${value}\n`);
}
