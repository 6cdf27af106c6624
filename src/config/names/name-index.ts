import { DeckhandError } from "../../errors.ts";
import {
  type CachedDeck,
  type CachedName,
  emptyCache,
  type NameCache,
  readNameCache,
  writeNameCache,
} from "./cache.ts";
import { ambiguous, deckPath, findDecks, lineage, notFound } from "./decks.ts";
import { exactForm, foldedForm } from "./match.ts";

/** A deck as any answer gives it: the list may leave everything out but id and name. */
export interface DeckFields {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly sort?: number | null | undefined;
  readonly "parent-id"?: string | null | undefined;
  readonly "trashed?"?: string | null | undefined;
  readonly "archived?"?: boolean | null | undefined;
}
export interface NamedFields {
  readonly id: string;
  readonly name?: string | null | undefined;
}

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
  /** Whether something will be written with it: an index older than ten minutes is then read anew. */
  readonly writing: boolean;
}

/** Told how far fetching decks one by one has come. */
export type DeckProgress = (done: number, total: number) => void;

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
  /** Every deck with its parent. Reads the list; fetches each deck that is not cached, unless the list has parents. */
  decks(progress?: DeckProgress): Promise<readonly CachedDeck[]>;
  /** The deck and all decks under it. */
  subtree(id: string, progress?: DeckProgress): Promise<ReadonlySet<string>>;
  /** What an answer told of a deck: created, changed or fetched. */
  noteDeck(deck: DeckFields): void;
  forgetDeck(id: string): void;
  noteTemplate(template: NamedFields): void;
  /** Cards that were shown or changed, for completions. */
  noteCards(cards: readonly NamedFields[]): void;
  forgetCard(id: string): void;
  /** Keeps what was learnt. Never fails. */
  save(): void;
}

const stale = 10 * 60_000;
const recentCards = 50;

export function createNameIndex(settings: NameIndexSettings): NameIndex {
  return new CachedNameIndex(settings);
}

type Change = (cache: NameCache) => NameCache;

class CachedNameIndex implements NameIndex {
  readonly #settings: NameIndexSettings;
  #cache: NameCache | undefined;
  /** What is to be applied to the file, which another process may have written meanwhile. */
  #changes: Change[] = [];
  #decksReadNow = false;
  #templatesReadNow = false;
  /** Decks whose parent was seen by this process. */
  readonly #seenNow = new Set<string>();

  constructor(settings: NameIndexSettings) {
    this.#settings = settings;
  }

  async deck(text: string, { writing }: ResolveOptions): Promise<CachedDeck> {
    await this.#readDecks(this.#isOld(this.#now().decksRead, writing));
    // A parent may have changed as well as a name: before writing it must not be old either.
    let found = await findDecks(text, this.#now().decks, (id) => this.#look(id, writing ? stale : undefined));
    if (found.length !== 1 && !this.#decksReadNow) {
      await this.#readDecks(true);
      found = await findDecks(text, this.#now().decks, (id) => this.#look(id, 0));
    }
    const [deck] = found;
    if (deck === undefined) throw notFound("deck", text, this.#now().decks);
    if (found.length === 1) return deck;
    const candidates: string[] = [];
    for (const each of found)
      candidates.push(`${each.id} (${await deckPath(each, (id) => this.#look(id, undefined))})`);
    throw ambiguous("deck", text, candidates);
  }

  async template(text: string, { writing }: ResolveOptions): Promise<CachedName> {
    await this.#readTemplates(this.#isOld(this.#now().templatesRead, writing));
    let found = findNamed(text, this.#now().templates);
    if (found.length !== 1 && !this.#templatesReadNow) {
      await this.#readTemplates(true);
      found = findNamed(text, this.#now().templates);
    }
    const [template] = found;
    if (template === undefined) throw notFound("template", text, this.#now().templates);
    if (found.length > 1)
      throw ambiguous(
        "template",
        text,
        found.map(({ id, name }) => `${id} (${name})`),
      );
    return template;
  }

  async path(id: string): Promise<string | undefined> {
    const deck = await this.#look(id, undefined);
    return deck && deckPath(deck, (each) => this.#look(each, undefined));
  }

  async decks(progress?: DeckProgress): Promise<readonly CachedDeck[]> {
    await this.#readDecks(true);
    const known = this.#now().decks;
    const missing = known.filter((deck) => !this.#isSeen(deck, undefined));
    for (const [index, deck] of missing.entries()) {
      progress?.(index, missing.length);
      await this.#look(deck.id, undefined);
    }
    if (missing.length > 0) progress?.(missing.length, missing.length);
    return this.#now().decks;
  }

  async subtree(id: string, progress?: DeckProgress): Promise<ReadonlySet<string>> {
    const decks = await this.decks(progress);
    const inside = new Set([id]);
    for (const deck of decks) {
      const line = await lineage(deck, async (each) => decks.find((other) => other.id === each));
      if (line.some((each) => each.id === id)) inside.add(deck.id);
    }
    return inside;
  }

  noteDeck(deck: DeckFields): void {
    const at = this.#settings.now();
    this.#seenNow.add(deck.id);
    this.#change((cache) => ({ ...cache, decks: put(cache.decks, merged(deck, cache.decks, at)) }));
  }

  forgetDeck(id: string): void {
    this.#change((cache) => ({ ...cache, decks: cache.decks.filter((deck) => deck.id !== id) }));
  }

  noteTemplate({ id, name }: NamedFields): void {
    this.#change((cache) => ({ ...cache, templates: put(cache.templates, { id, name: name ?? "" }) }));
  }

  noteCards(cards: readonly NamedFields[]): void {
    const newest = cards.slice(-recentCards).map(({ id, name }) => ({ id, name: name ?? "" }));
    const ids = new Set(newest.map(({ id }) => id));
    this.#change((cache) => ({
      ...cache,
      cards: [...newest, ...cache.cards.filter(({ id }) => !ids.has(id))].slice(0, recentCards),
    }));
  }

  forgetCard(id: string): void {
    this.#change((cache) => ({ ...cache, cards: cache.cards.filter((card) => card.id !== id) }));
  }

  save(): void {
    if (this.#changes.length === 0) return;
    const { folder, accountHash } = this.#settings;
    const changes = this.#changes;
    this.#changes = [];
    this.#cache = changes.reduce((cache, change) => change(cache), readNameCache(folder, accountHash));
    writeNameCache(folder, accountHash, this.#cache);
  }

  #now(): NameCache {
    const { fresh, folder, accountHash } = this.#settings;
    this.#cache ??= fresh ? emptyCache : readNameCache(folder, accountHash);
    return this.#cache;
  }

  #change(change: Change): void {
    this.#cache = change(this.#now());
    this.#changes.push(change);
  }

  #isOld(read: number, writing: boolean): boolean {
    if (read === 0 || this.#settings.fresh) return true;
    const age = this.#settings.now() - read;
    return writing && (age > stale || age < 0);
  }

  async #readDecks(needed: boolean): Promise<void> {
    if (!needed || this.#decksReadNow) return;
    const list = await this.#settings.fetchDecks();
    const at = this.#settings.now();
    this.#decksReadNow = true;
    for (const deck of list) if (Object.hasOwn(deck, "parent-id")) this.#seenNow.add(deck.id);
    this.#change((cache) =>
      cache.decksRead > at
        ? cache
        : {
            ...cache,
            decksRead: at,
            decks: list.map((deck) => merged(deck, cache.decks, at)),
          },
    );
  }

  async #readTemplates(needed: boolean): Promise<void> {
    if (!needed || this.#templatesReadNow) return;
    const list = await this.#settings.fetchTemplates();
    const at = this.#settings.now();
    this.#templatesReadNow = true;
    const templates = list.map(({ id, name }) => ({ id, name: name ?? "" }));
    this.#change((cache) => (cache.templatesRead > at ? cache : { ...cache, templatesRead: at, templates }));
  }

  #isSeen(deck: CachedDeck, maxAge: number | undefined): boolean {
    if (this.#seenNow.has(deck.id)) return true;
    if (deck.seen === undefined || deck.parent === undefined) return false;
    return maxAge === undefined || this.#settings.now() - deck.seen <= maxAge;
  }

  /** A deck with its parent and flags, fetched if what is known is older than `maxAge` milliseconds. */
  async #look(id: string, maxAge: number | undefined): Promise<CachedDeck | undefined> {
    const known = this.#now().decks.find((deck) => deck.id === id);
    if (known !== undefined && this.#isSeen(known, maxAge)) return known;
    try {
      this.noteDeck(await this.#settings.fetchDeck(id));
    } catch (error) {
      if (!(error instanceof DeckhandError) || error.code !== "not-found") throw error;
      this.forgetDeck(id);
    }
    return this.#now().decks.find((deck) => deck.id === id);
  }
}

/** What a new answer tells, over what was known: the list may leave parent and flags out. */
function merged(deck: DeckFields, known: readonly CachedDeck[], at: number): CachedDeck {
  const before = known.find(({ id }) => id === deck.id);
  const tells = Object.hasOwn(deck, "parent-id") || Object.hasOwn(deck, "trashed?");
  return {
    id: deck.id,
    name: deck.name ?? before?.name ?? "",
    sort: deck.sort ?? before?.sort,
    parent: tells || before === undefined ? undefined : before.parent,
    trashed: before?.trashed,
    archived: before?.archived,
    seen: before?.seen,
    ...(tells ? { parent: deck["parent-id"] ?? null, trashed: deck["trashed?"] != null, seen: at } : {}),
    ...(tells ? { archived: deck["archived?"] === true } : {}),
  };
}

const put = <T extends { readonly id: string }>(items: readonly T[], item: T): T[] =>
  items.some(({ id }) => id === item.id)
    ? items.map((each) => (each.id === item.id ? item : each))
    : [...items, item];

function findNamed(text: string, items: readonly CachedName[]): readonly CachedName[] {
  const byId = items.find(({ id }) => id === text);
  if (byId !== undefined) return [byId];
  for (const form of [exactForm, foldedForm]) {
    const found = items.filter(({ name }) => form(name) === form(text));
    if (found.length > 0) return found;
  }
  return [];
}
