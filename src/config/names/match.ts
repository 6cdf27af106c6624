/** A path of names from the root, as it is typed: `Languages/Spanish`, a `/` inside a name written `\/`. */
export function splitPath(text: string): string[] {
  const names: string[] = [];
  let name = "";
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? "";
    if (character === "\\" && text[index + 1] === "/") {
      name += "/";
      index++;
    } else if (character === "/") {
      names.push(name);
      name = "";
    } else name += character;
  }
  return [...names, name];
}

/** Names as a path that `splitPath` reads back. */
export const joinPath = (names: readonly string[]): string =>
  names.map((name) => name.replaceAll("/", "\\/")).join("/");

const ascii = /^[\0-\x7f]*$/;

/** The form in which names are compared exactly: composed and decomposed letters are the same. */
export const exactForm = (text: string): string => (ascii.test(text) ? text : text.normalize("NFC"));

/** The form in which names are compared without regard to case. Upper case first, for letters like ß and ς. */
export const foldedForm = (text: string): string =>
  ascii.test(text) ? text.toLowerCase() : text.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");

/** How many letters differ between two texts, with neighbours exchanged counting once; `limit` + 1 if more than that. */
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

/** The names most like a text, best first: few letters differ, or one begins with or contains the other. */
export function nearest<T extends { readonly name: string }>(
  text: string,
  items: readonly T[],
  count = 3,
): T[] {
  const wanted = foldedForm(text).slice(0, 200);
  if (wanted === "") return [];
  const limit = Math.max(1, Math.floor([...wanted].length / 3));
  return items
    .map((item) => ({ item, score: score(wanted, foldedForm(item.name).slice(0, 200), limit) }))
    .filter(({ score }) => score <= limit)
    .sort((a, b) => a.score - b.score)
    .slice(0, count)
    .map(({ item }) => item);
}

function score(wanted: string, name: string, limit: number): number {
  const part = wanted.length >= 3 && (name.includes(wanted) || (name.length >= 3 && wanted.includes(name)));
  return part ? 0.5 : distance(wanted, name, limit);
}
