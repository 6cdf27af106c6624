import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { listings } from "../../schema/resources.ts";
import { type Change, perform, printChanges } from "../shared/changes.ts";
import { command, declare, type OptionsOf } from "../shared/command.ts";
import { areSeveral, eachItem } from "../shared/items.ts";
import { destinationFrom } from "../shared/names.ts";

const declared = () =>
  declare(`Move cards to another deck.

Examples:
  deckhand cards move x7Rw2kQp --deck Geography/Asia
  deckhand cards list --deck Drafts -o id |
    deckhand cards move - --deck Geography`)
    .argument("<card...>", "card ids, or - for one id a line on standard input")
    .option("-d, --deck <deck>", "where to (id, name or path)")
    .option("--deck-id <id>", "where to, by id, not looked up")
    .option("--fail-fast", "stop at the first card that fails");

type MoveOptions = OptionsOf<typeof declared>;

export const moveCommand = command(declared, moveCards);

async function moveCards(ids: readonly string[], options: MoveOptions, context: Context): Promise<void> {
  const deck = await destinationFrom(options, context);
  if (deck === undefined) throw new UsageError("no deck was given: name it with --deck");
  const client = await context.client();
  const changes = eachItem(ids, options, context, (id) =>
    perform(
      context,
      client.cards.update(id, { "deck-id": deck.id }),
      (document): Change => ({ id, document, sentence: `Moved ${id} to ${deck.label}` }),
    ),
  );
  await printChanges(context, listings.cards, changes, areSeveral(ids));
}
