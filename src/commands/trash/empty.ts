import { Command } from "commander";
import type { Context, StartContext } from "../../context/context.ts";
import type { EachOptions } from "../shared/items.ts";
import { deletePermanently, type Removal, wholeDecks } from "../shared/removal.ts";
import { findTrashed, type Trashed } from "./find.ts";

export function emptyCommand(start: StartContext): Command {
  return new Command("empty")
    .description(
      "Delete everything in the trash permanently: cards, and decks with all decks and cards under them.",
    )
    .option("--fail-fast", "stop at the first item that fails")
    .addHelpText(
      "after",
      `
Examples:
  deckhand trash empty
  deckhand trash empty --dry-run
  deckhand trash empty --yes`,
    )
    .action((options: EachOptions, command: Command) => emptyTrash(options, start(command)));
}

async function emptyTrash(options: EachOptions, context: Context): Promise<void> {
  const found = await findTrashed(context);
  if (found.length === 0) return context.io.note("The trash is empty");
  const removal = await removalOf(found, context);
  for (const { kind, name, id } of found.slice(0, 20)) context.io.note(`${kind} ${name || id}`);
  if (found.length > 20) context.io.note(`and ${found.length - 20} more`);
  await deletePermanently(removal, options, context);
}

async function removalOf(found: readonly Trashed[], context: Context): Promise<Removal> {
  const ids = (kind: Trashed["kind"]) => found.filter((each) => each.kind === kind).map(({ id }) => id);
  const below = await wholeDecks(ids("deck"), context);
  return { cards: [...new Set([...below.cards, ...ids("card")])], decks: below.decks };
}
