import type { Context } from "../../context/context.ts";
import type { DeckLine } from "../../names/types.ts";
import type { Card } from "../../schema/card.ts";

/**
 * Looks up the decks of cards, each once, to decide by which cards are kept back (`NameIndex.line`). The returned function
 * answers for the cards that were looked up.
 *
 * @throws DeckhandError if a deck cannot be looked up
 */
export function deckLines(
  context: Context,
): (cards: readonly Card[]) => Promise<(deckId: string | null | undefined) => DeckLine> {
  const lines = new Map<string, DeckLine>();
  return async (cards) => {
    for (const { "deck-id": id } of cards)
      if (id != null && !lines.has(id)) lines.set(id, await (await context.names()).line(id));
    return (id) => lines.get(id ?? "") ?? [];
  };
}

/** Whether a card is in the trash, itself or with its deck or one above that. */
export type InTrash = (card: Card) => boolean;

/** The same for cards in the trash; the decks of those that are there themselves are not looked up. */
export function trashOf(context: Context): (cards: readonly Card[]) => Promise<InTrash> {
  const look = deckLines(context);
  const isItself = (card: Card) => card["trashed?"] != null;
  return async (cards) => {
    const lineOf = await look(cards.filter((card) => !isItself(card)));
    return (card) => isItself(card) || lineOf(card["deck-id"]).some(({ trashed }) => trashed);
  };
}
