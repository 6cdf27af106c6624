import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { listings } from "../../schema/resources.ts";
import { areSeveral, type EachOptions, eachItem } from "../shared/items.ts";
import { deckArgument, findDeck, noteDeck } from "./items.ts";

export function getCommand(start: StartContext): Command {
  return new Command("get")
    .description("Show decks, with how many cards each holds.")
    .argument("<deck...>", deckArgument)
    .option("--fail-fast", "stop at the first deck that fails")
    .addHelpText(
      "after",
      `
Examples:
  deckhand decks get Geography/Europe
  deckhand decks list -o id | deckhand decks get - -o csv --columns name,card-count`,
    )
    .action((decks: string[], options: EachOptions, command: Command) =>
      getDecks(decks, options, start(command)),
    );
}

export async function getDecks(
  decks: readonly string[],
  options: EachOptions,
  context: Context,
): Promise<void> {
  const client = await context.client();
  const found = eachItem(decks, options, context, async (text) => {
    const { id } = await findDeck(text, context, { writing: false });
    const deck = await client.decks.get(id).send();
    await noteDeck(id, deck, context);
    return deck;
  });
  await context.print.documents(listings.deck, found, areSeveral(decks));
}
