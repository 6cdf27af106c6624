import type { Context } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { visible } from "../../output/index.ts";
import type { Card } from "../../schema/card.ts";
import { listings } from "../../schema/resources.ts";
import { command, declare } from "../shared/command.ts";
import { areSeveral, byFront, eachItem } from "../shared/items.ts";
import { withAskedPaths } from "../shared/lists.ts";

const declared = () =>
  declare(`Show cards: on a terminal the rendered card with all its sides, elsewhere the document as JSON.

  deckhand cards get x7Rw2kQp
  deckhand cards get x7Rw2kQp --raw > card.md
  deckhand cards list -o id | deckhand cards get - -o ndjson`)
    .argument("<card...>", "card ids or whole fronts, or - for one id a line on standard input")
    .option("--raw", "print the markdown alone")
    .option("--fail-fast", "stop at the first item that fails");

export const getCommand = command(declared, async (ids, options, context) => {
  // These format documents; the markdown alone is none.
  const format = (["output", "columns", "jq"] as const).find((name) => context.options[name] !== undefined);
  if (options.raw && format !== undefined)
    throw new UsageError(`--raw prints the markdown alone: it excludes --${format}`);
  const client = await context.client();
  const cards = eachItem(
    ids,
    options,
    context,
    byFront(context, (id) => client.cards.get(id)),
  );
  if (options.raw) {
    const asItIs = context.io.stdout.isTTY !== true;
    for await (const card of cards) await context.io.write(asItIs ? rawText(card) : visible(rawText(card)));
    return;
  }
  const { jq, columns } = context.options;
  const asIs = context.print.format === undefined && jq === undefined && columns === undefined;
  const rendered = asIs && context.io.stdout.isTTY === true;
  if (rendered) {
    const { showCard } = await import("./show-card.ts");
    for await (const card of cards) await showCard(card, context);
    return;
  }
  await context.print.documents(listings.cards, withPaths(cards, context), areSeveral(ids));
});

function rawText(card: Card): string {
  const content = card.content ?? "";
  return content.endsWith("\n") ? content : `${content}\n`;
}

async function* withPaths(cards: AsyncIterable<Card>, context: Context) {
  for await (const card of cards) yield* await withAskedPaths(listings.cards, [card], context);
}
