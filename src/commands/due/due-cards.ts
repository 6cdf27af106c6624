import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Context } from "../../context/context.ts";
import { type DeckLine, isArchived, isOrphaned, isTrashed, trashedIn } from "../../decks/lines.ts";
import type { KnownDeck } from "../../decks/snapshot.ts";
import type { Card, DueCard, Page } from "../../schema/index.ts";
import { whileCounting } from "../shared/lists.ts";
import { deckLines } from "../shared/names.ts";

/** The deck that an argument of `review` or `due` names: where it is a folder of notes, what changed there is read first. */
export async function deckOfArgument(
  text: string | undefined,
  context: Context,
): Promise<string | undefined> {
  if (text === undefined || !(existsSync(text) || isAbsolute(text) || /^\.\.?(?:[\\/]|$)/.test(text)))
    return text;
  return (await import("../notes/follow.ts")).deckOrFolder(text, context);
}

/** What is due in pages, in the order of the service, and the decks that were asked about; undefined for all. */
export interface DueScope {
  readonly pages: AsyncIterator<Page<DueCard>, void>;
  readonly decks: ReadonlySet<string> | undefined;
}

/**
 * Always the service's answer (docs/design/cli.md, due): one question for all decks, of which the cards of the deck and
 * those under it are kept.
 */
export async function dueScope(
  text: string | undefined,
  recursive: boolean,
  date: string | undefined,
  context: Context,
): Promise<DueScope> {
  const client = await context.client();
  if (text === undefined) return { pages: client.due.list({ date }).pages(), decks: undefined };
  const names = await context.names();
  const { id } = await names.deck(text);
  const decks = recursive
    ? await whileCounting("Reading decks", context, (progress) => names.subtree(id, { progress }))
    : new Set([id]);
  if (decks.size === 1) return { pages: client.due.deck(id, { date }).pages(), decks };
  return { pages: cardsIn(decks, client.due.list({ date }).pages()), decks };
}

async function* cardsIn(decks: ReadonlySet<string>, pages: AsyncIterable<Page<DueCard>>) {
  for await (const page of pages)
    yield { ...page, docs: page.docs.filter((card) => decks.has(card["deck-id"] ?? "")) };
}

/**
 * Reads pages into a list.
 *
 * @returns whether that was the last one
 */
export async function readPages(
  pages: DueScope["pages"],
  cards: DueCard[],
  most = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  for (let read = 0; read < most; read++) {
    const { value: page } = await pages.next();
    for (const card of page?.docs ?? []) cards.push(card);
    if (page?.bookmark == null) return true;
  }
  return false;
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
    const names = await context.names();
    const named = text === undefined ? undefined : (await names.deck(text)).id;
    const look = deckLines(context);
    const lists = named === undefined || !recursive ? [named] : await names.subtree(named);
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
