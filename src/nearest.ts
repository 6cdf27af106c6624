/** The name that `word` was probably meant to be; undefined if all are far from it. */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const items = names.map((name) => ({ name }));
  return nearestItems(word, items, 1)[0]?.name;
}

/** Names longer than this are compared by their beginning: comparing takes the product of the lengths. */
const compared = 100;

/** The items whose names are most like a text: few letters differ, or one contains the other. Case does not count. */
export function nearestItems<T extends { readonly name: string }>(
  text: string,
  items: readonly T[],
  most = 3,
): T[] {
  const wanted = text.slice(0, compared).toLowerCase();
  if (wanted === "") return [];
  const limit = Math.max(1, Math.floor([...wanted].length / 3));
  return items
    .map((item) => ({ item, far: howFar(wanted, item.name.slice(0, compared).toLowerCase(), limit) }))
    .filter(({ far }) => far <= limit)
    .sort((a, b) => a.far - b.far)
    .slice(0, most)
    .map(({ item }) => item);
}

function howFar(wanted: string, name: string, limit: number): number {
  const part = wanted.length >= 3 && (name.includes(wanted) || (name.length >= 3 && wanted.includes(name)));
  return part ? 0.5 : distance(wanted, name, limit);
}

/** How many letters differ, two neighbours exchanged counting once; `limit` + 1 if more than that. */
export function distance(a: string, b: string, limit: number): number {
  const left = [...a];
  const right = [...b];
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  let before: number[] = [];
  let above = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i++) {
    const row = [i];
    for (let j = 1; j <= right.length; j++) {
      const cost = left[i - 1] === right[j - 1] ? 0 : 1;
      let best = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + cost);
      if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      row.push(best);
    }
    if (Math.min(...row) > limit) return limit + 1;
    before = above;
    above = row;
  }
  return above[right.length] ?? limit + 1;
}
