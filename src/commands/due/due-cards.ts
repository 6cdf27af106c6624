import type { Context } from "../../context/context.ts";
import type { DueCard } from "../../schema/card.ts";
import type { Card } from "../../schema/index.ts";
import { whileCounting } from "../shared/progress.ts";

/** Always the service's answer (docs/design/cli.md, due): asked once for all decks, and kept are those of the deck and under it. */
export async function dueCards(
  text: string | undefined,
  recursive: boolean,
  date: string | undefined,
  context: Context,
): Promise<readonly DueCard[]> {
  const client = await context.client();
  if (text === undefined) return client.due.list({ date }).send();
  const names = await context.names();
  const { id } = await names.deck(text, { writing: false });
  if (!recursive) return client.due.deck(id, { date }).send();
  const decks = await whileCounting("Reading decks", context, (progress) => names.subtree(id, { progress }));
  if (decks.size === 1) return client.due.deck(id, { date }).send();
  const cards = await client.due.list({ date }).send();
  return cards.filter((card) => decks.has(card["deck-id"] ?? ""));
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
