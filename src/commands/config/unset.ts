import type { Context } from "../../context/context.ts";
import { command, declare } from "../shared/command.ts";
import { keep } from "./store.ts";
import { settingName } from "./values.ts";

const declared = () =>
  declare(`Forget a setting: it is then what it is by default.

Examples:
  deckhand config unset deck
  deckhand config unset codec --profile local`).argument(
    "<setting>",
    "its name, as `deckhand config list` has it",
  );

export const unsetCommand = command(declared, (name, _options, context) => unsetSetting(name, context));

async function unsetSetting(name: string, context: Context): Promise<void> {
  await keep(settingName(name), undefined, context);
}
