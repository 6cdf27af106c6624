interface NamedDeck {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly "parent-id"?: string | null | undefined;
}

/** Each deck with those above it, from the root down, by its id. */
export function deckLines<T extends NamedDeck>(decks: readonly T[]): Map<string, T[]> {
  const byId = new Map(decks.map((deck) => [deck.id, deck]));
  const lines = new Map<string, T[]>();
  for (const deck of decks) {
    const line: T[] = [];
    for (let each: T | undefined = deck; each !== undefined && !line.includes(each); ) {
      line.unshift(each);
      each = byId.get(each["parent-id"] ?? "");
    }
    lines.set(deck.id, line);
  }
  return lines;
}

/** The path of each deck's names from the root, joined by `/`; a `/` inside a name is written `\/`. */
export const deckPaths = (decks: readonly NamedDeck[]): Map<string, string> =>
  new Map(
    [...deckLines(decks)].map(([id, line]) => [
      id,
      line.map(({ name }) => (name ?? "").replaceAll("/", "\\/")).join("/"),
    ]),
  );
