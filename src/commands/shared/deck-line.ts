import type { CachedDeck } from "../../names/cache.ts";

/**
 * A deck and those above it, the nearest first. None for a deleted deck; where one above was deleted, the last of them has
 * it as its parent.
 */
export function* deckLine(
  id: string | null | undefined,
  decks: ReadonlyMap<string, CachedDeck>,
): Generator<CachedDeck, void> {
  // Decks that are each other's parents have no highest one.
  for (let at = decks.get(id ?? ""), left = decks.size; at !== undefined && left > 0; left--) {
    yield at;
    at = decks.get(at.parent ?? "");
  }
}

export const decksById = (decks: readonly CachedDeck[]): ReadonlyMap<string, CachedDeck> =>
  new Map(decks.map((deck) => [deck.id, deck]));
