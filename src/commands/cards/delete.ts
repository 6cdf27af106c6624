import type { Context } from "../../context/context.ts";
import { oneLine } from "../../output/table.ts";
import { cut } from "../../output/width.ts";
import { listings } from "../../schema/resources.ts";
import { byFront } from "../shared/by-front.ts";
import { command, declare } from "../shared/command.ts";
import { areSeveral, eachOf, idsFrom, printChanges } from "../shared/items.ts";
import { backUpFirst } from "../shared/removal.ts";

const declared = () =>
  declare(`Delete cards permanently, with their attachments. Trash keeps them.

Examples:
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
  const all: string[] = [];
  for await (const id of idsFrom(ids, context)) all.push(id);
  await backUpFirst(all.length, context);
  const client = await context.client();
  const remove = async (id: string) => {
    await client.cards.delete(id).send();
    return { id, sentence: `Deleted ${id}` };
  };
  const changes = eachOf(all, options, context, byFront(context, remove));
  await printChanges(context, listings.cards, changes, areSeveral(ids));
});

/** For the question on a terminal the card's text, too: an id says little. */
async function described(id: string, context: Context): Promise<string> {
  if (!context.io.interactive || context.options.yes || context.options.dryRun) return `card ${id}`;
  const client = await context.client();
  const card = await byFront(context, (each) => client.cards.get(each).send())(id);
  const text = cut(oneLine(card.name || (await import("./excerpt.ts")).lineOf(card)), longestText);
  return text === "" ? `card ${card.id}` : `card ${card.id} (${text})`;
}

/** Columns of a card's text in a question. */
const longestText = 60;
