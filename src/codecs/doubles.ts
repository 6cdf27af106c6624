/**
 * The items without those that are there already; maps and lists are all taken to be different. The same array where
 * nothing had to go.
 *
 * A hash set of numbers, or of strings of digits, can be flooded by whoever knows how they are hashed: the keys carry
 * a letter in front, so that they are hashed with the process's own secret.
 */
export function withoutDoubles(items: unknown[]): unknown[] {
  if (items.length < 2) return items;
  if (items.length <= 16) return items.every(isFirst) ? items : items.filter(isFirst);
  const seen = new Set<string>();
  return items.filter((item) => {
    if (typeof item === "object" && item !== null) return true;
    const key = `${(typeof item)[0]}${item}`;
    return seen.has(key) ? false : seen.add(key);
  });
}

const isFirst = (item: unknown, at: number, items: readonly unknown[]) => items.indexOf(item) === at;
