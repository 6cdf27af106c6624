import { UsageError } from "../../errors.ts";
import { collectTags, command, declare, option, wholeNumber } from "../shared/command.ts";
import { cardColumns, printPages } from "../shared/lists.ts";
import { cardOrders, cardStates, selectCards } from "./select.ts";

/** Where a table on a terminal stops without --limit. */
const screenful = 50;

const declared = () =>
  declare(`List cards, of one deck or of all, those in the trash too.

  deckhand cards list --deck Geography
  deckhand cards list --deck Geography --tag europe --sort updated
  deckhand cards list --deck Geography/Europe -o id | deckhand cards archive -
  deckhand cards list --columns id,name,reviews.0.due -o csv`)
    .option("-d, --deck <deck>", "only cards of this deck and the decks under it (id, name or path)")
    .option("--deck-id <id>", "the deck by id, not looked up")
    .option("--no-recursive", "with --deck: not those of the decks under it")
    .option("--tag <tag>", "only cards with this tag (repeatable, or a,b: with all of them)", collectTags)
    .addOption(option("--state <state>", "only these; orphaned: their deck was deleted").choices(cardStates))
    .addOption(option("--sort <field>", "order of the cards; the newest first for dates").choices(cardOrders))
    .option("--reverse", "the other way round")
    .option("-l, --limit <n>", "list at most this many cards", wholeNumber(1))
    .option("-a, --all", "all cards, also on a terminal")
    .option("--count", "print only the number of cards")
    .option("--bookmark <cursor>", "continue where an earlier list stopped");

export const listCommand = command(declared, async (options, context) => {
  if (options.all && options.limit !== undefined)
    throw new UsageError("--all and --limit exclude each other");
  if (options.count) {
    let count = 0;
    for await (const page of await selectCards(options, context)) count += page.docs.length;
    return context.print.value(count);
  }
  const limit = options.limit ?? (context.print.table && !options.all ? screenful : undefined);
  const pages = await selectCards({ ...options, limit }, context);
  const advice = options.limit === undefined ? ", or list --all" : "";
  const { listing, complete } = cardColumns(context);
  await printPages(pages, listing, { limit, advice, complete }, context);
});
