import { cardsWithoutDeck, type Skip, type SourceDeck, type SourceTemplate } from "../model.ts";
import { broken, quoted } from "../place.ts";
import { deckLines } from "./deck-paths.ts";

/** The decks and templates of a source that names them by ids. */
export class Gathered {
  /** Each after the one above it, then those that only cards name; there when `finish` was called. */
  readonly decks: SourceDeck[] = [];
  readonly templates: SourceTemplate[] = [];
  readonly #found: SourceDeck[] = [];
  readonly #templateKeys = new Set<string>();
  readonly #namedDecks = new Map<string, string>();

  deck(deck: SourceDeck): void {
    this.#found.push(deck);
  }

  template(template: SourceTemplate): void {
    this.templates.push(template);
    this.#templateKeys.add(template.key);
  }

  /** Records that a card is in this deck; `place` is the card's. */
  card(deck: string, place: string): void {
    if (!this.#namedDecks.has(deck)) this.#namedDecks.set(deck, place);
  }

  /** The key of a card's template, if it was found; one that was not is reported. */
  templateKey(id: unknown, place: string, skip: Skip): string | undefined {
    if (typeof id !== "string" || id === "") return undefined;
    if (this.#templateKeys.has(id)) return id;
    skip({ place, what: "templates of cards", why: "they are not in the collection" });
    return undefined;
  }

  /** @throws UsageError for duplicate ids, and for a deck that is among its own parents */
  finish(skip: Skip): void {
    uniqueByKey(this.templates, "template");
    for (const deck of orderDecks(this.#found, skip)) this.decks.push(deck);
    const keys = new Set(this.decks.map(({ key }) => key));
    for (const [key, place] of this.#namedDecks) {
      if (keys.has(key)) continue;
      skip({
        place,
        what: "decks that cards name but the collection does not have",
        why: "their cards go to a new deck",
      });
      this.decks.push({ key, body: { name: cardsWithoutDeck }, place });
    }
  }
}

/**
 * The decks in an order in which each comes after the one above it.
 *
 * @throws UsageError for two decks with one id, and for a deck that is among its own parents
 */
function orderDecks(decks: readonly SourceDeck[], skip: Skip): SourceDeck[] {
  const keys = uniqueByKey(decks, "deck");
  const done = new Map<string, SourceDeck>();
  const named = decks.map((deck) => ({ id: deck.key, "parent-id": deck.parent, deck }));
  for (const line of deckLines(named).values())
    for (const [index, { deck }] of line.entries()) {
      if (done.has(deck.key)) continue;
      const isOrphan = index === 0 && deck.parent !== undefined;
      if (isOrphan && keys.has(deck.parent ?? ""))
        throw broken(
          deck.place,
          `deck ${quoted(deck.body.name)} is among its own parents`,
          "Give one of these decks another parent.",
        );
      if (isOrphan)
        skip({ place: deck.place, what: "parents of decks", why: "they are not in the collection" });
      done.set(deck.key, isOrphan ? { ...deck, parent: undefined } : deck);
    }
  return [...done.values()];
}

/** @throws UsageError for a duplicate id; it names both places */
function uniqueByKey<T extends { readonly key: string; readonly place: string }>(
  items: Iterable<T>,
  what: string,
): Map<string, T> {
  const byKey = new Map<string, T>();
  for (const item of items) {
    const before = byKey.get(item.key);
    if (before !== undefined)
      throw broken(
        item.place,
        `the id ${quoted(item.key)} is also used by another ${what} (${before.place})`,
      );
    byKey.set(item.key, item);
  }
  return byKey;
}
