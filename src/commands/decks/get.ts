import type { Context } from "../../context/context.ts";
import type { Deck } from "../../schema/deck.ts";
import { listings } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { areSeveral, eachItem } from "../shared/items.ts";
import { isShown, whileCounting, withDeckPaths } from "../shared/lists.ts";
import { deckArgument, findDeck, noteDeck } from "./deck-options.ts";

const declared = () =>
  declare(`Show decks, with how many cards each holds, archived ones and those in the trash included; on a terminal also with the cards of the decks under it.

Examples:
  deckhand decks get Geography/Europe
  deckhand decks list -o id |
    deckhand decks get - -o csv --columns name,total-card-count`)
    .argument("<deck...>", deckArgument)
    .option("--fail-fast", "stop at the first item that fails");

export const getCommand = command(declared, async (decks, options, context) => {
  const client = await context.client();
  const counted = isShown(total, context);
  const { listing, complete } = withDeckPaths(
    counted ? { ...listings.deck, columns: withTotal } : listings.deck,
    { id: "id", instead: ["name", "parent-id"] },
    context,
  );
  const found = eachItem(decks, options, context, async (text) => {
    const { id } = await findDeck(text, context);
    const deck = await client.decks.get(id).send();
    await noteDeck(id, deck, context);
    const [shown = deck] = await complete([deck]);
    return counted ? { ...shown, [total]: await cardsUnder(deck, context) } : shown;
  });
  await context.print.documents(listing, found, areSeveral(decks));
});

const total = "total-card-count";
const withTotal = listings.deck.columns.flatMap((name) => (name === "card-count" ? [name, total] : [name]));

/** The cards of a deck and of those under it: a request for each of these. */
async function cardsUnder(deck: Deck, context: Context): Promise<number> {
  const client = await context.client();
  const below = [...(await (await context.names()).subtree(deck.id))].filter((id) => id !== deck.id);
  return whileCounting("Counting cards", context, async (progress) => {
    let cards = deck["card-count"] ?? 0;
    for (const [index, id] of below.entries()) {
      progress(index, below.length);
      cards += (await client.decks.get(id).send())["card-count"] ?? 0;
    }
    return cards;
  });
}
