import { type Placed, sumsInTree } from "../deck-tree.ts";
import type { HomeDeck } from "./ports.ts";

interface Figures {
  readonly due: number;
  readonly new: number;
  readonly cards: number;
}

/** The decks with their paths, and the figures of each and those under it. @param own of each by itself */
export function treeOf(
  decks: readonly Placed<{ readonly id: string; readonly name: string }>[],
  own: ReadonlyMap<string, Figures>,
): HomeDeck[] {
  const sums = sumsInTree(decks, own);
  const path: string[] = [];
  return decks.map(({ deck: { id, name }, depth }, index) => {
    path.splice(depth, path.length, name.replaceAll("/", "\\/"));
    const hasChildren = (decks[index + 1]?.depth ?? 0) > depth;
    const figures = sums.get(id) ?? { due: 0, new: 0, cards: 0 };
    return { id, name, path: path.join("/"), depth, hasChildren, ...figures };
  });
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
