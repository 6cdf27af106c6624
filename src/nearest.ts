import { distance } from "fastest-levenshtein";

/** The names that `word` was probably meant to be, the nearest first; none if all are far from it. */
export function nearestNames(word: string, names: readonly string[], most = 3): string[] {
  const wanted = word.toLowerCase();
  const farthest = Math.max(1, Math.floor(word.length / 2));
  return names
    .map((name) => ({ name, far: closeness(wanted, name.toLowerCase()) }))
    .filter(({ far }) => far <= farthest)
    .sort((one, other) => one.far - other.far)
    .slice(0, most)
    .map(({ name }) => name);
}

export function nearest(word: string, names: readonly string[]): string | undefined {
  return nearestNames(word, names, 1)[0];
}

/** Edits between the two; a beginning counts as half an edit. */
function closeness(wanted: string, name: string): number {
  return wanted.length > 1 && name.startsWith(wanted) ? 0.5 : distance(wanted, name);
}
