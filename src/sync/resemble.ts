import { type CardDocument, hashOfDocument } from "../cards/document.ts";
import { similarity } from "./doc.ts";

/** The share of lines from which on two texts may be one that was edited. */
const leastShare = 0.5;

/**
 * Pairs things with others by their documents, each at most once: equal documents first, whatever their positions, then
 * those that share most lines. Whichever is looked at first takes none from another that resembles it more.
 */
export function pairAlike<A, B>(
  ones: readonly (readonly [A, CardDocument])[],
  others: readonly (readonly [B, CardDocument])[],
): ReadonlyMap<A, B> {
  const pairs = new Map<A, B>();
  const used = new Set<B>();
  const pair = (one: A, other: B) => {
    if (pairs.has(one) || used.has(other)) return;
    pairs.set(one, other);
    used.add(other);
  };
  const equal = new Map<string, B[]>();
  for (const [other, doc] of others) {
    const key = keyOf(doc);
    const same = equal.get(key);
    if (same === undefined) equal.set(key, [other]);
    else same.push(other);
  }
  for (const [one, doc] of ones) {
    const other = equal.get(keyOf(doc))?.shift();
    if (other !== undefined) pair(one, other);
  }
  const free = others.filter(([other]) => !used.has(other));
  const alike: { readonly one: A; readonly other: B; readonly share: number }[] = [];
  for (const [one, doc] of ones)
    if (!pairs.has(one))
      for (const [other, there] of free) {
        const share = similarity(doc, there);
        if (share >= leastShare) alike.push({ one, other, share });
      }
  for (const { one, other } of alike.sort((a, b) => b.share - a.share)) pair(one, other);
  return pairs;
}

const keyOf = (doc: CardDocument): string => hashOfDocument({ ...doc, pos: null });
