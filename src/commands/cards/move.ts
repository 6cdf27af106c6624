import { UsageError } from "../../errors.ts";
import { listings } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { changeEach } from "../shared/items.ts";
import { destinationFrom } from "../shared/names.ts";

export const moveCommand = command(
  () =>
    declare(`Move cards to another deck.

Examples:
  deckhand cards move x7Rw2kQp --deck Geography/Asia
  deckhand cards list --deck Drafts -o id |
    deckhand cards move - --deck Geography`)
      .argument("<card...>", "card ids, or - for one id a line on standard input")
      .option("-d, --deck <deck>", "where to (id, name or path)")
      .option("--deck-id <id>", "the deck by id, not looked up")
      .option("--fail-fast", "stop at the first item that fails"),
  async (ids, options, context) => {
    const deck = await destinationFrom(options, context);
    if (deck === undefined) throw new UsageError("no deck was given: name it with --deck");
    const { cards } = await context.client();
    await changeEach(ids, options, context, listings.cards, async (id) => {
      const document = await cards.update(id, { "deck-id": deck.id }).send();
      return { id, document, sentence: `Moved ${id} to ${deck.label}` };
    });
  },
);
