import { UsageError } from "../../errors.ts";
import { listings } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { flagCommands } from "../shared/flags.ts";
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

export const { archiveCommand, unarchiveCommand, trashCommand, restoreCommand } = flagCommands(
  {
    noun: "card",
    argument: "card ids, or - for one id a line on standard input",
    listing: listings.cards,
    example: ["x7Rw2kQp", "list --deck Geography"],
    find: async (id) => ({ id, label: id }),
    update: (client, id, body) => client.cards.update(id, body),
    get: (client, id) => client.cards.get(id),
  },
  {
    archive: "Archive cards: they are kept, but neither new nor due.",
    unarchive: "Take cards out of the archive.",
    trash: "Put cards in the trash; the card and its attachments stay stored.",
    restore: "Take cards out of the trash. Each card is read back: exit 5 if the service left it there.",
  },
);
