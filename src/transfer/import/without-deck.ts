import { cardsWithoutDeck, type Source } from "../model.ts";
import type { Matches } from "./match.ts";

/** The source with a deck for its cards that have none; `key` is that of the deck. */
export function withDeckForAll(source: Source): { readonly source: Source; readonly key: string } {
  const name = cardsWithoutDeck;
  const own = source.decks.find((deck) => deck.parent === undefined && deck.body.name === name);
  // Too short for a key that is remembered: the next source has other cards without a deck, and this may be renamed.
  const key = own?.key ?? "/";
  const decks = own ? source.decks : [...source.decks, { key, body: { name }, place: name }];
  async function* cards(...[skip]: Parameters<Source["cards"]>): ReturnType<Source["cards"]> {
    for await (const card of source.cards(skip))
      yield card.deck === undefined ? { ...card, deck: key } : card;
  }
  return { source: { ...source, decks, cards }, key };
}

/** How many cards of a source have no deck, and are not in the account. Reads the source once more. */
export async function countWithoutDeck(source: Source, matches: Matches): Promise<number> {
  let [found, number] = [0, 0];
  for await (const card of source.cards(() => {}))
    if (matches.get(++number) === undefined && card.deck === undefined) found++;
  return found;
}
