import type { CachedDeck, CachedName } from "./cache.ts";
import type { DeckFields, NamedFields } from "./known.ts";

export interface NameIndexSettings {
  /** The cache folder. */
  readonly folder: string;
  /** Names the account in the file's name. */
  readonly accountHash: string;
  /** All decks, as in the list. */
  fetchDecks(): Promise<readonly DeckFields[]>;
  /** One deck whole; throws a not-found error if it does not exist. */
  fetchDeck(id: string): Promise<DeckFields>;
  fetchTemplates(): Promise<readonly NamedFields[]>;
  now(): number;
  /** Whether requests are cheap (the local service): then nothing cached is used. */
  readonly fresh?: boolean;
}

export interface ResolveOptions {
  /** Whether it is for a change: the index is then refreshed after ten minutes, else after a day. */
  readonly writing: boolean;
  /** Whether to list decks again, even if this process has: another one may have created it since. */
  readonly again?: boolean;
}

/** Called while decks are retrieved one by one. */
type DeckProgress = (done: number, total: number) => void;

export interface DecksOptions {
  /** How long ago the parent of a deck may have been retrieved, in milliseconds; a day if absent. */
  readonly maxAge?: number;
  /** Whether to list decks again, even if this process has. */
  readonly again?: boolean;
  readonly progress?: DeckProgress;
}

/** A deck and those above it, the highest first; empty for a deck that does not exist. */
export type DeckLine = readonly CachedDeck[];

export interface DeckPlace {
  readonly path: string;
  /** Whether the deck or one above it is in the trash: a cached "no" is trusted. */
  readonly trashed: boolean;
  /** Whether the deck or one above it is archived, by what the cache has. */
  readonly archived: boolean;
  /** Whether a deck above it was deleted: no review asks its cards (docs/design/service.md). */
  readonly orphaned: boolean;
}

/** Decks, templates and recent cards by name (docs/design/cli.md, Naming things). */
export interface NameIndex {
  /**
   * The deck of an id, a name or a path of names.
   * @throws UsageError if several match, a not-found error with the nearest names if none does
   */
  deck(text: string, options: ResolveOptions): Promise<CachedDeck>;
  /** The template of an id or a name; throws like `deck`. */
  template(text: string, options: ResolveOptions): Promise<CachedName>;
  /** The path of a deck's names from the root, `/` inside a name as `\/`; undefined if there is no such deck. */
  path(id: string): Promise<string | undefined>;
  /**
   * The path with what else its lookup has found; undefined if there is no such deck. Costs what `path` costs, and retrieves
   * what the cache has as in the trash or below a deleted deck.
   */
  place(id: string): Promise<DeckPlace | undefined>;
  /**
   * The deck in the trash that a deck is in the trash with: itself or the highest above it; undefined if none is. A cached
   * "no" is trusted, a cached "yes" is checked.
   */
  inTrash(id: string): Promise<CachedDeck | undefined>;
  /**
   * The deck and those above it, to decide whether its cards are kept back: what is archived, in the trash or below a deleted
   * deck is so by what this process has read; anything else up to a day ago. Reads the list.
   *
   * @throws DeckhandError if a deck cannot be looked up
   */
  line(id: string): Promise<DeckLine>;
  /**
   * Every deck with its parent. Reads the list; unless that has parents, retrieves each deck that is not cached or too
   * old, or that the cache has below a deleted deck: other programs move decks as well.
   */
  decks(options?: DecksOptions): Promise<readonly CachedDeck[]>;
  /** The deck's id and those of all decks under it; costs what `decks` costs. */
  subtree(id: string, options?: DecksOptions): Promise<ReadonlySet<string>>;
  /** Records a deck from an answer: created, changed or retrieved. */
  noteDeck(deck: DeckFields): void;
  /** Records the whole list of decks, which is then not read again unless that is asked for. */
  noteDeckList(decks: readonly DeckFields[]): void;
  /** The deck was deleted, or changed without an answer that shows how. */
  forgetDeck(id: string): void;
  noteTemplate(template: NamedFields): void;
  /** Cards and tags that answers contained, for completion. What else was noted or forgotten comes after them. */
  noteSeen(cards: readonly CachedName[], tags: readonly string[]): void;
  forgetCard(id: string): void;
  /** Changes the file names of a card. */
  noteFiles(card: string, change: (files: readonly string[]) => readonly string[]): void;
  /** All tags of the account. */
  noteAllTags(tags: readonly string[]): void;
  forgetTags(tags: ReadonlySet<string>): void;
  /** Writes the cache. Never fails. */
  save(): void;
}
