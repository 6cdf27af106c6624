import { nearest as nearestItems } from "./config/names/match.ts";

/** The names that `word` was probably meant to be, the nearest first; none if all are far from it. */
export function nearestNames(word: string, names: readonly string[], most = 3): string[] {
  return nearestItems(
    word,
    names.map((name) => ({ name })),
    most,
  ).map(({ name }) => name);
}

export function nearest(word: string, names: readonly string[]): string | undefined {
  return nearestNames(word, names, 1)[0];
}
