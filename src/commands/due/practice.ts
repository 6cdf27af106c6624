import type { Context } from "../../context/context.ts";
import type { Card } from "../../schema/index.ts";
import { whileCounting } from "../shared/progress.ts";

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
