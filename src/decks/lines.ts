import { joinPath } from "./match.ts";
import type { KnownDeck } from "./snapshot.ts";

/** A deck and those above it, the highest first; empty for a deck that does not exist. */
export type DeckLine = readonly KnownDeck[];

export const pathOf = (line: DeckLine): string => joinPath(line.map(({ name }) => name));

/** Whether a deck is in the trash, itself or with one above it. */
export const isTrashed = (line: DeckLine): boolean => line.some(({ trashed }) => trashed);

export const isArchived = (line: DeckLine): boolean => line.some(({ archived }) => archived);

/** Whether a deck above was deleted: no review asks its cards (docs/design/service.md). */
export function isOrphaned(line: DeckLine): boolean {
  const above = line[0]?.parent;
  // Decks that are each other's parents have no highest one.
  return above != null && !line.some(({ id }) => id === above);
}

/** The ids of decks with those of all decks under them; a deck comes before those under it. */
export function idsUnder(ids: readonly string[], decks: readonly KnownDeck[]): ReadonlySet<string> {
  const children = new Map<string, string[]>();
  for (const { id, parent } of decks) {
    if (parent == null) continue;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [id]);
    else siblings.push(id);
  }
  const inside = new Set(ids);
  // A set is walked in the order of insertion, what is added on the way included.
  for (const each of inside) for (const child of children.get(each) ?? []) inside.add(child);
  return inside;
}

/** The ids of the decks below one that is not among them. */
export function orphanedIds(decks: readonly KnownDeck[]): ReadonlySet<string> {
  const ids = new Set(decks.map(({ id }) => id));
  const deleted = decks.flatMap(({ parent }) => (parent == null || ids.has(parent) ? [] : [parent]));
  const inside = new Set(idsUnder(deleted, decks));
  for (const id of deleted) inside.delete(id);
  return inside;
}
