import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { oneLine } from "../../output/table.ts";
import { cut } from "../../output/width.ts";
import { listings } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { flagCommands } from "../shared/flags.ts";
import { areSeveral, byFront, changeEach, eachOf, idsFrom, printChanges } from "../shared/items.ts";
import { deckFrom } from "../shared/names.ts";
import { backUpFirst } from "../shared/removal.ts";

export const moveCommand = command(
  () =>
    declare(`Move cards to another deck.

  deckhand cards move x7Rw2kQp --deck Geography/Asia
  deckhand cards list --deck Drafts -o id |
    deckhand cards move - --deck Geography`)
      .argument("<card...>", "card ids, or - for one id a line on standard input")
      .option("-d, --deck <deck>", "where to (id, name or path)")
      .option("--deck-id <id>", "the deck by id, not looked up")
      .option("--fail-fast", "stop at the first item that fails"),
  async (ids, options, context) => {
    const deck = await deckFrom(options, context);
    if (deck === undefined) throw new UsageError("no deck was given: name it with --deck");
    const { cards } = await context.client();
    await changeEach(ids, options, context, listings.cards, async (id) => {
      const document = await cards.update(id, { "deck-id": deck.id });
      return { id, document, sentence: `Moved ${id} to ${deck.label}` };
    });
  },
);

export const { archiveCommand, unarchiveCommand, trashCommand, restoreCommand } = flagCommands(
  "card",
  "card ids, or - for one id a line on standard input",
  ["x7Rw2kQp", "list --deck Geography"],
  {
    archive: "Archive cards: they are kept, but neither new nor due.",
    unarchive: "Take cards out of the archive.",
    trash: "Put cards in the trash; the card and its attachments stay stored.",
    restore: "Take cards out of the trash. Each card is read back: exit 5 if the service left it there.",
  },
);

const declared = () =>
  declare(`Delete cards permanently, with their attachments. Trash keeps them.

  deckhand cards delete x7Rw2kQp
  deckhand cards list --deck Drafts -o id | deckhand cards delete - --yes`)
    .argument("<card...>", "card ids, or - for one id a line on standard input (needs --yes)")
    .option("--fail-fast", "stop at the first item that fails");

export const deleteCommand = command(declared, async (ids, options, context) => {
  const what = ids.includes("-")
    ? "the cards named on standard input"
    : ids.length === 1
      ? await described(ids[0] ?? "", context)
      : `${ids.length} cards`;
  await context.io.confirm(
    `Delete ${what} permanently, with attachments? It cannot be undone.`,
    "nothing was deleted",
  );
  const all = await idsFrom(ids, context);
  await backUpFirst(all.length, context);
  const client = await context.client();
  const remove = async (id: string) => {
    await client.cards.delete(id);
    return { id, sentence: `Deleted ${id}` };
  };
  const changes = eachOf(all, options, context, byFront(context, remove));
  await printChanges(context, listings.cards, changes, areSeveral(ids));
});

/** For the question on a terminal the card's text, too: an id says little. */
async function described(id: string, context: Context): Promise<string> {
  if (!context.io.interactive || context.options.yes || context.options.dryRun) return `card ${id}`;
  const client = await context.client();
  const card = await byFront(context, (each) => client.cards.get(each))(id);
  return card.name ? `card ${card.id} (${cut(oneLine(card.name), 60)})` : `card ${card.id}`;
}
