/**
 * The items without duplicates; maps and lists all count as different. Returns the same array if there are none.
 *
 * V8 hashes numbers and strings of digits without a secret, so that an attacker can choose ones that collide. A letter in
 * front makes them ordinary strings.
 */
export function dedupe(items: unknown[]): unknown[] {
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
