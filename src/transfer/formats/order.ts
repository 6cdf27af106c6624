import type { Skip, SourceDeck } from "../model.ts";
import { broken, quoted } from "../place.ts";

/**
 * The decks in an order in which each comes after the one above it.
 *
 * @throws UsageError for two decks with one id, and for a deck that is among its own parents
 */
export function orderDecks(decks: readonly SourceDeck[], skip: Skip): SourceDeck[] {
  const byKey = uniqueByKey(decks, "deck");
  const done = new Map<string, SourceDeck>();
  for (const deck of decks) {
    const line: SourceDeck[] = [];
    const above = new Set<string>();
    for (let each: SourceDeck | undefined = deck; each !== undefined && !done.has(each.key); ) {
      if (above.has(each.key))
        throw broken(
          each.place,
          `deck ${quoted(each.body.name)} is among its own parents`,
          "Give one of these decks another parent.",
        );
      above.add(each.key);
      line.push(each);
      each = each.parent === undefined ? undefined : byKey.get(each.parent);
    }
    for (const each of line.reverse()) {
      const orphan = each.parent !== undefined && !byKey.has(each.parent);
      if (orphan)
        skip({ place: each.place, what: "parents of decks", why: "they are not in the collection" });
      done.set(each.key, orphan ? { ...each, parent: undefined } : each);
    }
  }
  return [...done.values()];
}

/** @throws UsageError for a duplicate id; it names both places */
export function uniqueByKey<T extends { readonly key: string; readonly place: string }>(
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
