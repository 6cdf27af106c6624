import type { Context } from "../../context/context.ts";
import type { Card, DueCard } from "../../schema/index.ts";
import { whileCounting } from "../shared/progress.ts";

/** What is due, and the decks that were asked about; undefined for all. */
export interface DueScope {
  readonly cards: readonly DueCard[];
  readonly decks: ReadonlySet<string> | undefined;
}

/**
 * Always the service's answer (docs/design/cli.md, due): one question for all decks, of which the cards of the deck and
 * those under it are kept.
 */
export async function dueCards(
  text: string | undefined,
  recursive: boolean,
  date: string | undefined,
  context: Context,
): Promise<DueScope> {
  const client = await context.client();
  if (text === undefined) return { cards: await client.due.list({ date }).send(), decks: undefined };
  const names = await context.names();
  const { id } = await names.deck(text, { writing: false });
  const decks = recursive
    ? await whileCounting("Reading decks", context, (progress) => names.subtree(id, { progress }))
    : new Set([id]);
  if (decks.size === 1) return { cards: await client.due.deck(id, { date }).send(), decks };
  const cards = await client.due.list({ date }).send();
  return { cards: cards.filter((card) => decks.has(card["deck-id"] ?? "")), decks };
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
