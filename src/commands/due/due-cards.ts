import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Context } from "../../context/context.ts";
import { isArchived, isOrphaned, isTrashed } from "../../decks/lines.ts";
import { UsageError } from "../../errors.ts";
import type { Card, DueCard } from "../../schema/index.ts";
import { declare } from "../shared/command.ts";
import { cardPages, decksNamed } from "../shared/lists.ts";
import { deckLines } from "../shared/names.ts";

/** Begins the declaration of a command about the cards of a deck, or of a folder of notes, or of all. */
export const declareForDeck = (text: string) =>
  declare(text)
    .argument(
      "[deck|folder]",
      "only cards of this deck and those under it (id, name or path), or of these notes",
    )
    .option("-d, --deck <deck>", "the deck, instead of the argument")
    .option("--no-recursive", "not those of the decks under it");

/**
 * The deck that the argument of `review` or `due` names, or --deck: where the argument is a folder of notes, what changed
 * there is read first.
 */
export async function deckOfArgument(
  text: string | undefined,
  { deck }: { readonly deck?: string | undefined },
  context: Context,
): Promise<string | undefined> {
  if (text !== undefined && deck !== undefined)
    throw new UsageError("the deck is given twice: as an argument and with --deck");
  if (text === undefined) return deck;
  if (!(existsSync(text) || isAbsolute(text) || /^\.\.?(?:[\\/]|$)/.test(text))) return text;
  return (await import("../notes/follow.ts")).deckOrFolder(text, context);
}

/**
 * Always the service's answer (docs/design/cli.md, due), in its order: one question for all decks, of which the cards of
 * the deck and those under it are kept.
 *
 * @returns with the decks that were asked about; undefined for all
 */
export async function dueCards(
  text: string | undefined,
  recursive: boolean,
  date: string | undefined,
  context: Context,
): Promise<{ readonly due: readonly DueCard[]; readonly decks: ReadonlySet<string> | undefined }> {
  const client = await context.client();
  const decks = await decksNamed(text, recursive, context);
  if (decks === undefined) return { due: await client.due.list({ date }), decks };
  const [id = "", ...others] = decks;
  if (others.length === 0) return { due: await client.due.deck(id, { date }), decks };
  const due = await client.due.list({ date });
  return { due: due.filter((card) => decks.has(card["deck-id"] ?? "")), decks };
}

/**
 * Cards to practise with, whether they are due or not, each whole: those of a deck and the decks under it, or all. Without
 * those that are archived or in the trash, themselves or with a deck; a deck that is named may be archived.
 */
export async function practiceCards(
  text: string | undefined,
  recursive: boolean,
  context: Context,
): Promise<readonly Card[]> {
  const cards: Card[] = [];
  const look = deckLines(context);
  const decks = await decksNamed(text, recursive, context);
  // The deck itself is the first of them.
  const [named] = decks ?? [];
  for await (const page of cardPages(context, decks)) {
    const lineOf = await look(page);
    for (const card of page) {
      const line = lineOf(card["deck-id"]);
      const below = line.slice(line.findIndex(({ id }) => id === named) + 1);
      const isLive = line.length > 0 && !isTrashed(line) && (named !== undefined || !isOrphaned(line));
      if (isLive && !isArchived(below) && !card["archived?"] && card["trashed?"] == null) cards.push(card);
    }
  }
  return cards;
}
