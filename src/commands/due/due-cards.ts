import type { Context } from "../../context/context.ts";
import type { Card, DueCard, Page } from "../../schema/index.ts";
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

/** Cards to practise with, whether they are due or not, each whole: those of a deck and the decks under it, or all. */
export async function practiceCards(
  text: string | undefined,
  recursive: boolean,
  context: Context,
): Promise<readonly Card[]> {
  const client = await context.client();
  return whileCounting("Reading cards", context, async (progress) => {
    const cards: Card[] = [];
    for (const deckId of await decksOf(text, recursive, context))
      for await (const page of client.cards.pages({ deckId })) {
        for (const card of page.docs) if (isKept(card)) cards.push(card);
        progress(cards.length, 0);
      }
    return cards;
  });
}

const isKept = (card: Card): boolean => !card["archived?"] && card["trashed?"] == null;

async function decksOf(
  text: string | undefined,
  recursive: boolean,
  context: Context,
): Promise<readonly (string | undefined)[]> {
  if (text === undefined) return [undefined];
  const names = await context.names();
  const { id } = await names.deck(text, { writing: false });
  return recursive ? [...(await names.subtree(id))] : [id];
}
