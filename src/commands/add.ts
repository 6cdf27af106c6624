import { Command } from "commander";
import type { Context, StartContext } from "../context/context.ts";
import { UsageError } from "../errors.ts";
import { createCard } from "./cards/create.ts";
import { collect } from "./shared/options.ts";

export interface AddOptions {
  readonly deck?: string;
  readonly deckId?: string;
  readonly tag?: readonly string[];
}

export function addCommand(start: StartContext): Command {
  return new Command("add")
    .description("Create a card from its front and back. More is said with cards create.")
    .argument("<front>", "the first side")
    .argument("<back>", "the second side")
    .option("-d, --deck <deck>", "the deck (id, name or path); without it that of `config set deck`")
    .option("--deck-id <id>", "the deck, by id, not looked up")
    .option("--tag <tag>", "a tag, with or without its # (repeatable)", collect)
    .addHelpText(
      "after",
      `
Examples:
  deckhand add "Capital of Norway?" Oslo --deck Geography
  deckhand config set deck Geography && deckhand add "Capital of Peru?" Lima`,
    )
    .action((front: string, back: string, options: AddOptions, command: Command) =>
      addCard(front, back, options, start(command)),
    );
}

export async function addCard(
  front: string,
  back: string,
  options: AddOptions,
  context: Context,
): Promise<void> {
  const named = options.deck !== undefined || options.deckId !== undefined;
  const deck = named ? undefined : context.settings().deck.value;
  if (!named && deck === undefined)
    throw new UsageError("which deck? Name it with --deck", {
      hint: "Or choose one for all cards to come: deckhand config set deck <deck>",
    });
  await createCard({ ...options, front, back, ...(deck === undefined ? {} : { deck }) }, context);
}
