import type { Context } from "../../context/context.ts";
import { command, declare } from "../shared/command.ts";
import type { EachOptions } from "../shared/items.ts";
import { deletePermanently, type Removal, wholeDecks } from "../shared/removal.ts";
import { findTrashed, type Trashed } from "./find.ts";

const declared = () =>
  declare(`Delete everything in the trash permanently: cards, and decks with all decks and cards under them.

Examples:
  deckhand trash empty
  deckhand trash empty --dry-run
  deckhand trash empty --yes`).option("--fail-fast", "stop at the first item that fails");

export const emptyCommand = command(declared, emptyTrash);

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
