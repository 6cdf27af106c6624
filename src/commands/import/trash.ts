import type { Context } from "../../context/context.ts";
import { isTrashed } from "../../decks/lines.ts";
import { UsageError } from "../../errors.ts";
import type { NamedDeck } from "../shared/names.ts";
import type { Prepared } from "./prepare.ts";

/** New cards must not disappear in a deck that is in the trash. An import that continues only warns. */
export async function refuseTrash(
  { id, label }: NamedDeck,
  resumed: boolean,
  context: Context,
): Promise<void> {
  if (!isTrashed(await (await context.names()).line(id))) return;
  const problem = `the deck ${JSON.stringify(label)} is in the trash: nothing new is put there`;
  if (!resumed)
    throw new UsageError(problem, {
      hint: "Restore it, or the deck above it that is in the trash, with `deckhand decks restore`, or name another deck.",
    });
  context.io.warn(problem);
}

/**
 * The same for the decks of the account that the source has: those in the trash get no new card and no new deck, unless
 * they are in the trash in the source, too. Reads the source once more where there are such decks.
 */
export async function refuseTrashOfSource(
  { source, plan, newDecks, decks, matches, resumed }: Prepared,
  context: Context,
): Promise<void> {
  if (plan.cards + newDecks.length === 0) return;
  const names = await context.names();
  const trashedInSource = new Set<string>();
  const trashed = new Map<string, NamedDeck>();
  for (const { key, parent, body } of source.decks) {
    const id = decks.get(key);
    if (body["trashed?"] != null || trashedInSource.has(parent ?? "")) trashedInSource.add(key);
    else if (id !== undefined && isTrashed(await names.line(id))) trashed.set(key, { id, label: body.name });
  }
  if (trashed.size === 0) return;
  const into = async (): Promise<NamedDeck | undefined> => {
    for (const { parent } of newDecks) if (trashed.has(parent ?? "")) return trashed.get(parent ?? "");
    let number = 0;
    for await (const { deck } of source.cards(() => {}))
      if (matches.get(++number) === undefined && trashed.has(deck ?? "")) return trashed.get(deck ?? "");
    return undefined;
  };
  const deck = await into();
  if (deck !== undefined) await refuseTrash(deck, resumed, context);
}
