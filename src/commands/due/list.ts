import { Command } from "commander";
import type { Context, StartContext } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { listings } from "../../schema/resources.ts";
import { timestampFrom } from "../shared/when.ts";
import { dueCards } from "./due-cards.ts";

export interface ListOptions {
  readonly deck?: string;
  readonly recursive: boolean;
  readonly date?: string;
  readonly count?: boolean;
}

export function listCommand(start: StartContext): Command {
  return new Command("list")
    .description("List the cards that are due: of all decks, or of one deck and those under it.")
    .argument("[deck]", "only cards of this deck and the decks under it (id, name or path)")
    .option("-d, --deck <deck>", "the same as an option")
    .option("--no-recursive", "not those of the decks under it")
    .option(
      "--date <when>",
      "due on another day: an ISO date or timestamp, today, tomorrow, yesterday, +3d, -1w",
    )
    .option("--count", "print only how many they are")
    .addHelpText(
      "after",
      `
Examples:
  deckhand due
  deckhand due Geography/Europe --date tomorrow
  deckhand due --count`,
    )
    .action((deck: string | undefined, options: ListOptions, command: Command) =>
      listDue(deck, options, start(command)),
    );
}

export async function listDue(
  deck: string | undefined,
  options: ListOptions,
  context: Context,
): Promise<void> {
  if (deck !== undefined && options.deck !== undefined)
    throw new UsageError("the deck is given twice: as an argument and with --deck");
  const date = options.date === undefined ? undefined : timestampFrom(options.date, "--date", context);
  const cards = await dueCards(deck ?? options.deck, options.recursive, date, context);
  if (options.count) await context.printJson(cards.length);
  else await context.printList(listings.due, cards);
}
