import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Context } from "../../context/context.ts";
import { type DeckLine, isArchived, isOrphaned, isTrashed, trashedIn } from "../../decks/lines.ts";
import type { KnownDeck } from "../../decks/snapshot.ts";
import { UsageError } from "../../errors.ts";
import type { Card, DueCard } from "../../schema/index.ts";
import { decksNamed, whileCounting } from "../shared/lists.ts";
import { deckLines } from "../shared/names.ts";

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
  if (decks === undefined) return { due: await client.due.list({ date }).send(), decks };
  const [id = "", ...others] = decks;
  if (others.length === 0) return { due: await client.due.deck(id, { date }).send(), decks };
  const due = await client.due.list({ date }).send();
  return { due: due.filter((card) => decks.has(card["deck-id"] ?? "")), decks };
}

/**
 * Cards to practise with, whether they are due or not, each whole: those of a deck and the decks under it, or all. Without
 * those that are archived or in the trash, themselves or with a deck, and those of deleted decks; a deck that is named may
 * be archived.
 */
export async function practiceCards(
  text: string | undefined,
  recursive: boolean,
  context: Context,
): Promise<readonly Card[]> {
  const client = await context.client();
  return whileCounting("Reading cards", context, async (progress) => {
    const cards: Card[] = [];
    const look = deckLines(context);
    // The deck itself is the first of them.
    const lists = (await decksNamed(text, recursive, context)) ?? [undefined];
    const [named] = lists;
    for (const deckId of lists)
      for await (const page of client.cards.pages({ deckId })) {
        const kept = page.docs.filter(isKept);
        const lineOf = await look(kept);
        for (const card of kept) if (isPractised(lineOf(card["deck-id"]), named)) cards.push(card);
        progress(cards.length, 0);
      }
    return cards;
  });
}

const isKept = (card: Card): boolean => !card["archived?"] && card["trashed?"] == null;

/** Whether the cards of a deck are practised, where a deck is named or none. */
function isPractised(line: DeckLine, named: string | undefined): boolean {
  if (line.length === 0 || isTrashed(line)) return false;
  const place = line.findIndex(({ id }) => id === named);
  if (place >= 0) return !isArchived(line.slice(place + 1));
  return !isArchived(line) && !isOrphaned(line);
}

/**
 * Why nothing of a deck is due, where the deck keeps its cards from it: `: the deck A is archived (deckhand decks
 * unarchive x)`; else empty.
 */
export async function whyNotDue(text: string, context: Context): Promise<string> {
  const names = await context.names();
  // It may have been archived elsewhere a moment ago.
  const { id } = await names.deck(text, { again: true });
  const line = await names.line(id);
  const because = async (deck: KnownDeck, state: string, command: string) =>
    `: the deck ${(await names.path(deck.id)) ?? deck.name} ${state} (deckhand decks ${command})`;
  const trashed = trashedIn(line);
  if (trashed !== undefined) return because(trashed, "is in the trash", `restore ${trashed.id}`);
  const archived = line.find((deck) => deck.archived);
  if (archived !== undefined) return because(archived, "is archived", `unarchive ${archived.id}`);
  const [highest] = line;
  if (highest !== undefined && isOrphaned(line))
    return because(highest, "was below a deck that was deleted", `update ${highest.id} --no-parent`);
  return "";
}
