import type { CachedDeck, CachedName } from "./cache.ts";
import type { DeckFields, NamedFields } from "./known.ts";

export interface NameIndexSettings {
  /** The cache folder. */
  readonly folder: string;
  /** Names the account in the file's name. */
  readonly accountHash: string;
  /** All decks, as the list gives them. */
  fetchDecks(): Promise<readonly DeckFields[]>;
  /** One deck whole; throws a not-found error if it is gone. */
  fetchDeck(id: string): Promise<DeckFields>;
  fetchTemplates(): Promise<readonly NamedFields[]>;
  now(): number;
  /** Whether asking costs next to nothing (the local service): then nothing cached is relied on. */
  readonly fresh?: boolean;
}

export interface ResolveOptions {
  /** Whether something will be written with it: an index is then read anew after ten minutes, else after a day. */
  readonly writing: boolean;
}

/** Told how far fetching decks one by one has come. */
export type DeckProgress = (done: number, total: number) => void;

export interface DecksOptions {
  /** How long ago it may have been seen where a deck stands, in milliseconds; a day if absent. */
  readonly maxAge?: number;
  readonly progress?: DeckProgress;
}

/** Decks, templates and recent cards by name (cli.md, Naming things). */
export interface NameIndex {
  /**
   * The deck of an id, a name or a path of names.
   * @throws UsageError if several fit, a not-found error with the nearest names if none does
   */
  deck(text: string, options: ResolveOptions): Promise<CachedDeck>;
  /** The template of an id or a name; throws like `deck`. */
  template(text: string, options: ResolveOptions): Promise<CachedName>;
  /** The path of a deck's names from the root, `/` inside a name as `\/`; undefined if there is no such deck. */
  path(id: string): Promise<string | undefined>;
  /** Whether a deck is in the trash, or one above it. What was seen before is believed where it says that it is not. */
  inTrash(id: string): Promise<boolean>;
  /**
   * Every deck with its parent. Reads the list; unless that has parents, fetches each deck that is not cached or was seen
   * too long ago: other programs move decks, too.
   */
  decks(options?: DecksOptions): Promise<readonly CachedDeck[]>;
  /** The deck's id and those of all decks under it; costs what `decks` costs. */
  subtree(id: string, options?: DecksOptions): Promise<ReadonlySet<string>>;
  /** What an answer told of a whole deck: created, changed or fetched. */
  noteDeck(deck: DeckFields): void;
  /** The deck is gone, or was changed in a way that no answer told. */
  forgetDeck(id: string): void;
  noteTemplate(template: NamedFields): void;
  /** Cards that were shown or changed, for completions. */
  noteCards(cards: readonly NamedFields[]): void;
  forgetCard(id: string): void;
  /** Keeps what was learnt. Never fails. */
  save(): void;
}
