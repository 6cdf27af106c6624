import type { Context } from "../../context/context.ts";
import type { CachedDeck } from "../../names/cache.ts";
import type { Card, DueCard, Page } from "../../schema/index.ts";
import { deckLine, decksById } from "../shared/deck-line.ts";
import { whileCounting } from "../shared/progress.ts";

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
  const { id } = await names.deck(text, { writing: false });
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
    const named = text === undefined ? undefined : (await names.deck(text, { writing: false })).id;
    const decks = decksById(await names.decks({ progress }));
    const taken = practisedDecks(named, decks);
    const lists = named === undefined || !recursive ? [named] : await names.subtree(named);
    for (const deckId of lists)
      for await (const page of client.cards.pages({ deckId })) {
        for (const card of page.docs) if (isKept(card) && taken(card["deck-id"])) cards.push(card);
        progress(cards.length, 0);
      }
    return cards;
  });
}

const isKept = (card: Card): boolean => !card["archived?"] && card["trashed?"] == null;

/** Whether the cards of a deck are practised, where a deck is named or none. */
function practisedDecks(named: string | undefined, decks: ReadonlyMap<string, CachedDeck>) {
  return (id: string | null | undefined): boolean => {
    const line = [...deckLine(id, decks)];
    if (line.length === 0 || line.some(({ trashed }) => trashed)) return false;
    const place = line.findIndex((deck) => deck.id === named);
    if (place >= 0) return !line.slice(0, place).some(({ archived }) => archived);
    const above = line.at(-1)?.parent;
    return !line.some(({ archived }) => archived) && (above == null || decks.has(above));
  };
}

/**
 * Why nothing of a deck is due, where the deck keeps its cards from it: `: the deck A is archived (deckhand decks
 * unarchive x)`; else empty.
 */
export async function whyNotDue(text: string, context: Context): Promise<string> {
  const names = await context.names();
  const { id } = await names.deck(text, { writing: false });
  const decks = decksById(await names.decks());
  const line = [...deckLine(id, decks)];
  const because = async (deck: CachedDeck, state: string, command: string) =>
    `: the deck ${(await names.path(deck.id)) ?? deck.name} ${state} (deckhand decks ${command})`;
  const [trashed, archived, highest] = [
    line.findLast((deck) => deck.trashed),
    line.findLast((deck) => deck.archived),
    line.at(-1),
  ];
  if (trashed !== undefined) return because(trashed, "is in the trash", `restore ${trashed.id}`);
  if (archived !== undefined) return because(archived, "is archived", `unarchive ${archived.id}`);
  if (highest?.parent != null && !decks.has(highest.parent))
    return because(highest, "was below a deck that was deleted", `update ${highest.id} --no-parent`);
  return "";
}
