import { listings } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { areSeveral, eachItem } from "../shared/items.ts";
import { withDeckPaths } from "../shared/lists.ts";
import { deckArgument, findDeck, noteDeck } from "./deck-options.ts";

const declared = () =>
  declare(`Show decks, with how many cards each holds, archived ones and those in the trash included.

  deckhand decks get Geography/Europe
  deckhand decks list -o id |
    deckhand decks get - -o csv --columns name,card-count`)
    .argument("<deck...>", deckArgument)
    .option("--fail-fast", "stop at the first item that fails");

export const getCommand = command(declared, async (decks, options, context) => {
  const client = await context.client();
  const columns = { id: "id", instead: ["name", "parent-id"] };
  const { listing, complete } = withDeckPaths(listings.deck, columns, context);
  const found = eachItem(decks, options, context, async (text) => {
    const { id } = await findDeck(text, context);
    const deck = await client.decks.get(id);
    await noteDeck(id, deck, context);
    const [shown = deck] = await complete([deck]);
    return shown;
  });
  await context.print.documents(listing, found, areSeveral(decks));
});
