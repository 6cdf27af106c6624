import type { Context } from "../../context/context.ts";
import { DeckhandError } from "../../errors.ts";
import { command, declare } from "../shared/command.ts";
import { keep } from "./store.ts";
import { settingName } from "./values.ts";

const declared = () =>
  declare(`Change a setting: of the profile in use, or of all profiles.

Examples:
  deckhand config set deck Geography
  deckhand config set timeout 30s --profile local`)
    .argument("<setting>", "its name; `deckhand help settings` describes each")
    .argument("<value>", "what it is to be");

export const setCommand = command(declared, (name, value, _options, context) =>
  setSetting(name, value, context),
);

/** A mistyped deck is refused now; a service that does not answer is no reason to refuse. */
async function assertDeck(text: string, context: Context): Promise<void> {
  try {
    await (await context.names()).deck(text);
  } catch (error) {
    if (error instanceof DeckhandError && (error.code === "not-found" || error.code === "usage")) throw error;
    context.io.warn("the deck could not be checked");
  }
}

async function setSetting(name: string, value: string, context: Context): Promise<void> {
  const setting = settingName(name);
  if (setting === "deck") await assertDeck(value, context);
  await keep(setting, value, context);
}
