import type { Context } from "../../context/context.ts";
import type { Card } from "../../schema/card.ts";

/** Whether a card is in the trash, itself or with its deck or one above that. */
export type InTrash = (card: Card) => boolean;

/**
 * Looks up the decks of cards, each once, as a list on a terminal does for its paths; where a deck cannot be looked up, only
 * the card itself counts. The returned function answers for the cards that were looked up.
 */
export function trashOf(context: Context): (cards: readonly Card[]) => Promise<InTrash> {
  const decks = new Map<string, boolean>();
  return async (cards) => {
    const { deckPlace } = await import("../../context/names.ts");
    for (const { "deck-id": id, "trashed?": trashed } of cards) {
      if (id == null || trashed != null || decks.has(id)) continue;
      const place = await deckPlace(id, context);
      decks.set(id, typeof place === "object" && place.trashed);
    }
    return (card) => card["trashed?"] != null || decks.get(card["deck-id"] ?? "") === true;
  };
}
