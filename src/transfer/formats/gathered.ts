import { cardsWithoutDeck, type Skip, type Skipped, type SourceDeck, type SourceTemplate } from "../model.ts";
import { broken, quoted } from "../place.ts";
import { deckLines } from "./deck-paths.ts";

/** What the first pass over a source finds: all but the cards, and which decks the cards name. */
export class Gathered {
  readonly #decks: SourceDeck[] = [];
  readonly #templates: SourceTemplate[] = [];
  readonly #skipped: Skipped[] = [];
  readonly #namedDecks = new Map<string, string>();

  readonly skip: Skip = (skipped) => {
    this.#skipped.push(skipped);
  };

  deck(deck: SourceDeck): void {
    this.#decks.push(deck);
  }

  template(template: SourceTemplate): void {
    this.#templates.push(template);
  }

  /** Records that a card is in this deck; `place` is the card's. */
  card(deck: string, place: string): void {
    if (!this.#namedDecks.has(deck)) this.#namedDecks.set(deck, place);
  }

  /** @throws UsageError for duplicate ids, and for a deck that is among its own parents */
  finish(): Finished {
    const decks = orderDecks(this.#decks, this.skip);
    const keys = new Set(decks.map(({ key }) => key));
    for (const [key, place] of this.#namedDecks) {
      if (keys.has(key)) continue;
      this.skip({
        place,
        what: "decks that cards name but the collection does not have",
        why: "their cards go to a new deck",
      });
      decks.push({ key, body: { name: cardsWithoutDeck }, place });
    }
    const templates = [...uniqueByKey(this.#templates, "template").values()];
    return {
      decks,
      templates,
      templateKeys: new Set(templates.map(({ key }) => key)),
      skipped: this.#skipped,
    };
  }
}

export interface Finished {
  readonly decks: readonly SourceDeck[];
  readonly templates: readonly SourceTemplate[];
  readonly templateKeys: ReadonlySet<string>;
  readonly skipped: readonly Skipped[];
}

/** The key of a card's template if the collection has it; a missing one is reported through `skip`. */
export function templateKey(
  id: unknown,
  { templateKeys }: Pick<Finished, "templateKeys">,
  place: string,
  skip: Skip,
): string | undefined {
  if (typeof id !== "string" || id === "") return undefined;
  if (templateKeys.has(id)) return id;
  skip({ place, what: "templates of cards", why: "they are not in the collection" });
  return undefined;
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
