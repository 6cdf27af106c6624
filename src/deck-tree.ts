/** Decks as a tree. Linear in their number: a line of decks may be deeper than the call stack. */

export interface TreeDeck {
  readonly id: string;
  readonly sort?: number | null | undefined;
  readonly parent?: string | null | undefined;
  readonly trashed?: boolean | undefined;
  readonly archived?: boolean | undefined;
}

/** A deck at its place in the tree. */
export interface Placed<T> {
  readonly deck: T;
  /** How many decks are above it. */
  readonly depth: number;
  /** Whether it is the last one under its parent. */
  readonly isLast: boolean;
}

/**
 * The decks in the order in which people read them: each below its parent, in the service's order. Every deck once: one
 * whose parent was deleted is at the root, and so is the first of decks that are each other's parents.
 */
export function inTree<T extends TreeDeck>(decks: readonly T[]): Placed<T>[] {
  const sorted = decks.toSorted(inOrder);
  const ids = new Set(decks.map(({ id }) => id));
  const children = new Map<string | null, T[]>();
  for (const deck of sorted) {
    const parent = deck.parent != null && ids.has(deck.parent) ? deck.parent : null;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [deck]);
    else siblings.push(deck);
  }
  const placed: Placed<T>[] = [];
  const seen = new Set<string>();
  const pending: Placed<T>[] = [];
  const walk = (roots: readonly T[]) => {
    let [siblings, depth] = [roots, 0];
    for (;;) {
      for (let index = siblings.length - 1; index >= 0; index--)
        pending.push({ deck: siblings[index] as T, depth, isLast: index === siblings.length - 1 });
      let next = pending.pop();
      while (next !== undefined && seen.has(next.deck.id)) next = pending.pop();
      if (next === undefined) return;
      seen.add(next.deck.id);
      placed.push(next);
      [siblings, depth] = [children.get(next.deck.id) ?? [], next.depth + 1];
    }
  };
  walk(children.get(null) ?? []);
  for (const deck of sorted) if (!seen.has(deck.id)) walk([deck]);
  return placed;
}

/** The decks whose cards a review may ask: neither they nor those above them are archived, in the trash or deleted. */
export function liveInTree<T extends TreeDeck>(decks: readonly T[]): Placed<T>[] {
  const live = new Set<string>();
  return inTree(decks).filter(({ deck: { id, parent, trashed, archived } }) => {
    const isLive = !trashed && !archived && (parent == null || live.has(parent));
    if (isLive) live.add(id);
    return isLive;
  });
}

type Figures<K extends string> = Readonly<Record<K, number>>;

/**
 * What each deck has together with those under it.
 *
 * @param own what each has by itself; decks without anything may be absent, and are from the sums, too
 */
export function sumsInTree<K extends string>(
  placed: readonly Placed<{ readonly id: string }>[],
  own: ReadonlyMap<string, Figures<K>>,
): Map<string, Figures<K>> {
  const sums = new Map(own);
  /** By depth, what was found under the deck that comes next there. */
  const under: (Figures<K> | undefined)[] = [];
  for (const { deck, depth } of placed.toReversed()) {
    const sum = added(own.get(deck.id), under[depth + 1]);
    under[depth + 1] = undefined;
    if (sum === undefined) continue;
    sums.set(deck.id, sum);
    under[depth] = added(under[depth], sum);
  }
  return sums;
}

function added<K extends string>(
  one: Figures<K> | undefined,
  other: Figures<K> | undefined,
): Figures<K> | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const keys = Object.keys(one) as K[];
  return Object.fromEntries(keys.map((key) => [key, one[key] + other[key]])) as Figures<K>;
}

const inOrder = (a: TreeDeck, b: TreeDeck) =>
  (a.sort ?? 0) - (b.sort ?? 0) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
