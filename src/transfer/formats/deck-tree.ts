import { limits } from "../limits.ts";
import type { SourceDeck } from "../model.ts";
import { broken } from "../place.ts";

/** Decks named by paths, each deck with those above it. */
export class DeckTree {
  /** Those that were added so far. */
  readonly decks: SourceDeck[] = [];
  readonly #added = new Set<string>();
  /** The keys of paths that were added: each card has one. */
  readonly #keys = new Map<string, string>();
  readonly #split: (path: string) => readonly string[];

  constructor(split: (path: string) => readonly string[] = splitPath) {
    this.#split = split;
  }

  /** The key of the deck at a path; it and those above it are there from now on. */
  add(path: string, place: string): string {
    const known = this.#keys.get(path);
    if (known !== undefined) return known;
    const key = this.#add(path, place);
    this.#keys.set(path, key);
    return key;
  }

  #add(path: string, place: string): string {
    const names = this.#split(path).map((name) => name.trim().normalize("NFC"));
    if (names.length > limits.deckDepth)
      throw broken(place, `the deck is below more than ${limits.deckDepth} others`);
    let parent: string | undefined;
    for (const name of names) {
      const key: string = JSON.stringify(parent === undefined ? [name] : [...JSON.parse(parent), name]);
      if (name === "") throw broken(place, `the deck ${JSON.stringify(path)} has a part without a name`);
      if (!this.#added.has(key)) this.decks.push({ key, parent, body: { name }, place });
      this.#added.add(key);
      parent = key;
    }
    return parent as string;
  }
}

/** Names joined by `/`; a `/` inside a name is written `\/`. */
function splitPath(path: string): string[] {
  return path.split(/(?<!\\)\//).map((name) => name.replaceAll("\\/", "/"));
}
