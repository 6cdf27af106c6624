import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import { UsageError } from "../../errors.ts";
import { listings } from "../../schema/resources.ts";
import { wholeNumber } from "../shared/options.ts";
import { printPages } from "../shared/pages.ts";

export interface ListOptions {
  readonly deck?: string;
  readonly deckId?: string;
  readonly limit?: number;
  readonly all?: boolean;
  readonly bookmark?: string;
}

/** What a table on a terminal stops at without --limit: a screenful, not a flood. */
const screenful = 50;

export function listCommand(start: StartContext): Command {
  return new Command("list")
    .description("List cards, of one deck or of all.")
    .option("-d, --deck <deck>", "only cards of this deck (id, name or path)")
    .option("--deck-id <id>", "only cards of this deck, by id, not looked up")
    .option("-l, --limit <n>", "how many cards in all", wholeNumber(1))
    .option("-a, --all", "all cards, on a terminal too")
    .option("--bookmark <cursor>", "go on where an earlier list stopped")
    .addHelpText(
      "after",
      `
Examples:
  deckhand cards list --deck Geography
  deckhand cards list --deck Geography/Europe -o id | deckhand cards archive -
  deckhand cards list --columns id,name,reviews.0.due -o csv`,
    )
    .action((options: ListOptions, command: Command) => listCards(options, start(command)));
}

export async function listCards(options: ListOptions, context: Context): Promise<void> {
  if (options.deck !== undefined && options.deckId !== undefined)
    throw new UsageError("--deck and --deck-id exclude each other");
  if (options.all && options.limit !== undefined)
    throw new UsageError("--all and --limit exclude each other");
  const client = await context.client();
  const deckId =
    options.deckId ??
    (options.deck === undefined
      ? undefined
      : (await (await context.names()).deck(options.deck, { writing: false })).id);
  const limit = options.limit ?? (context.print.table && !options.all ? screenful : undefined);
  const pages = client.cards.pages({ deckId, limit, bookmark: options.bookmark });
  const advice = options.limit === undefined ? ", or list --all" : "";
  await printPages(pages, listings.cards, { limit, advice }, context);
}
