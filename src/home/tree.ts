import type { HomeDeck } from "./ports.ts";

/** A deck as the service lists it, in the order in which decks are shown. */
interface PlainDeck {
  readonly id: string;
  readonly name: string;
  readonly parent: string | undefined;
}

/** What is known of each deck by itself. */
interface OwnFigures {
  readonly due: number;
  readonly new: number;
  readonly cards: number | undefined;
}

/**
 * The decks with their places in the tree, and the figures of each and those under it.
 *
 * @param decks each above those under it
 */
export function treeOf(decks: readonly PlainDeck[], own: ReadonlyMap<string, OwnFigures>): HomeDeck[] {
  const places = new Map<string, { depth: number; path: string }>();
  const parents = new Set(decks.flatMap(({ parent }) => parent ?? []));
  const sums = new Map<string, { due: number; new: number; cards: number | undefined }>();
  for (const { id, name, parent } of decks) {
    const above = parent === undefined ? undefined : places.get(parent);
    const escaped = name.replaceAll("/", "\\/");
    const path = above === undefined ? escaped : `${above.path}/${escaped}`;
    places.set(id, { depth: above === undefined ? 0 : above.depth + 1, path });
    sums.set(id, { ...(own.get(id) ?? { due: 0, new: 0, cards: undefined }) });
  }
  // From the last: what is under a deck comes after it.
  for (const { id, parent } of [...decks].reverse()) {
    const [sum, above] = [sums.get(id), parent === undefined ? undefined : sums.get(parent)];
    if (sum === undefined || above === undefined) continue;
    above.due += sum.due;
    above.new += sum.new;
    if (sum.cards !== undefined) above.cards = (above.cards ?? 0) + sum.cards;
  }
  return decks.map(({ id, name }) => ({
    ...{ id, name, hasChildren: parents.has(id) },
    ...(places.get(id) ?? { depth: 0, path: name }),
    ...(sums.get(id) ?? { due: 0, new: 0, cards: undefined }),
  }));
}

/** The decks that are not under a folded one. */
export function unfolded(decks: readonly HomeDeck[], folded: ReadonlySet<string>): readonly HomeDeck[] {
  if (folded.size === 0) return decks;
  let hidden = Number.POSITIVE_INFINITY;
  return decks.filter(({ id, depth }) => {
    if (depth > hidden) return false;
    hidden = folded.has(id) ? depth : Number.POSITIVE_INFINITY;
    return true;
  });
}
