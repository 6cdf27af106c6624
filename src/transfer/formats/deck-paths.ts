interface NamedDeck {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly "parent-id"?: string | null | undefined;
}

/** The path of each deck's names from the root, joined by `/`; a `/` inside a name is written `\/`. */
export function deckPaths(decks: readonly NamedDeck[]): Map<string, string> {
  const byId = new Map(decks.map((deck) => [deck.id, deck]));
  const paths = new Map<string, string>();
  for (const deck of decks) {
    const names: string[] = [];
    const seen = new Set<string>();
    for (let each: NamedDeck | undefined = deck; each !== undefined && !seen.has(each.id); ) {
      seen.add(each.id);
      names.unshift((each.name ?? "").replaceAll("/", "\\/"));
      each = each["parent-id"] ? byId.get(each["parent-id"]) : undefined;
    }
    paths.set(deck.id, names.join("/"));
  }
  return paths;
}
