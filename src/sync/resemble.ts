import { type CardDocument, hashOfDocument } from "../cards/document.ts";
import { linesOf, similarity } from "./doc.ts";

/** The share of lines from which on two texts may be one that was edited. */
const leastShare = 0.5;
/** Lines that more texts have say nothing of one; of those that share rare ones, the best few are compared. */
const [mostTexts, candidates] = [50, 3];

/**
 * Pairs things with others by their documents, each at most once: equal documents first, whatever their positions, then
 * those that share most lines. Whichever is looked at first takes none from another that resembles it more.
 */
export function pairAlike<A, B>(
  ones: readonly (readonly [A, CardDocument])[],
  others: readonly (readonly [B, CardDocument])[],
): ReadonlyMap<A, B> {
  const pairs = pairEqual(ones, others);
  const used = new Set(pairs.values());
  const alike = new Alike(others.filter(([other]) => !used.has(other)));
  const found = ones
    .filter(([one]) => !pairs.has(one))
    .flatMap(([one, doc]) => alike.to(doc).map((each) => ({ one, ...each })));
  for (const { one, other } of found.sort((a, b) => b.share - a.share)) {
    if (pairs.has(one) || used.has(other)) continue;
    pairs.set(one, other);
    used.add(other);
  }
  return pairs;
}

/** Pairs things with others that have equal documents, whatever their positions, each at most once. */
export function pairEqual<A, B>(
  ones: readonly (readonly [A, CardDocument])[],
  others: readonly (readonly [B, CardDocument])[],
): Map<A, B> {
  const equal = new Map<string, B[]>();
  for (const [other, doc] of others) add(equal, keyOf(doc), other);
  const pairs = new Map<A, B>();
  for (const [one, doc] of ones) {
    const other = equal.get(keyOf(doc))?.shift();
    if (other !== undefined) pairs.set(one, other);
  }
  return pairs;
}

/** Finds what resembles a document among many: by the lines that few of them have. */
class Alike<B> {
  readonly #others: readonly (readonly [B, CardDocument])[];
  readonly #byLine = new Map<string, number[]>();

  constructor(others: readonly (readonly [B, CardDocument])[]) {
    this.#others = others;
    for (const [index, [, doc]] of others.entries())
      for (const line of new Set(linesOf(doc))) add(this.#byLine, line, index);
  }

  to(doc: CardDocument): { readonly other: B; readonly share: number }[] {
    const weights = new Map<number, number>();
    for (const line of new Set(linesOf(doc))) {
      const having = this.#byLine.get(line) ?? [];
      if (having.length <= mostTexts)
        for (const index of having) weights.set(index, (weights.get(index) ?? 0) + 1 / having.length);
    }
    const best = [...weights].sort(([, a], [, b]) => b - a).slice(0, candidates);
    return best.flatMap(([index]) => {
      const [other, there] = this.#others[index] as readonly [B, CardDocument];
      const share = similarity(doc, there);
      return share >= leastShare ? [{ other, share }] : [];
    });
  }
}

function add<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

const keyOf = (doc: CardDocument): string => hashOfDocument({ ...doc, pos: null });
