import { DeckhandError } from "../errors.ts";
import {
  type CachedDeck,
  type CachedName,
  emptyCache,
  type NameCache,
  readNameCache,
  recentCards,
} from "./cache.ts";
import {
  ambiguous,
  findDecks,
  isArchived,
  isOrphaned,
  isTrashed,
  type Look,
  lineage,
  listedCandidates,
  notFound,
  pathOf,
  placeOf,
} from "./decks.ts";
import {
  type DeckFields,
  findNamed,
  idsUnder,
  type NamedFields,
  named,
  orphanedIds,
  put,
  whole,
  withList,
  withParents,
} from "./known.ts";
import { rooted } from "./match.ts";
import type {
  DeckLine,
  DeckPlace,
  DecksOptions,
  NameIndex,
  NameIndexSettings,
  ResolveOptions,
} from "./types.ts";
import { writeNameCache } from "./write-cache.ts";

/** How old the cache may be when something is written, in milliseconds. */
const stale = 10 * 60_000;
/** The same for reading only: retrieving parents can cost a request per deck. */
const day = 24 * 60 * 60_000;
const recentTags = 1000;

export function createNameIndex(settings: NameIndexSettings): NameIndex {
  return new CachedNameIndex(settings);
}

type Change = (cache: NameCache) => NameCache;

class CachedNameIndex implements NameIndex {
  readonly #settings: NameIndexSettings;
  #known: NameCache | undefined;
  /** Changes to apply to the file, which another process may have written meanwhile. */
  #changes: Change[] = [];
  #decksReadNow = false;
  #templatesReadNow = false;
  /** Decks that this process has retrieved. */
  readonly #seenNow = new Set<string>();
  /** Ids that were answered to be of no deck. */
  readonly #goneNow = new Set<string>();
  #indexed:
    | { readonly decks: NameCache["decks"]; readonly byId: ReadonlyMap<string, CachedDeck> }
    | undefined;

  constructor(settings: NameIndexSettings) {
    this.#settings = settings;
  }

  async deck(text: string, { writing, again = false }: ResolveOptions): Promise<CachedDeck> {
    if (again) this.#decksReadNow = false;
    if (again || this.#isOld(this.#cache.decksRead, writing)) await this.#readDecks();
    // Parents and flags may have changed as well as names.
    let found = await findDecks(text, this.#cache.decks, this.#look(writing ? stale : day));
    if (found.length !== 1) {
      await this.#readDecks();
      found = await findDecks(text, this.#cache.decks, this.#look(0));
    }
    const [deck] = found;
    if (deck === undefined) throw notFound("deck", text, this.#cache.decks);
    if (found.length === 1) return deck;
    const candidates: string[] = [];
    const paths = new Set<string>();
    for (const each of found.slice(0, listedCandidates)) {
      const path = rooted(pathOf(await lineage(each, this.#look())) || each.name);
      paths.add(path);
      candidates.push(`${each.id} (${path})`);
    }
    const hint =
      paths.size < candidates.length
        ? "Some have the same path: give the id of the deck."
        : "Give the path of the deck, /Name at the root, or its id.";
    throw ambiguous("deck", text, candidates, found.length, hint);
  }

  async template(text: string, { writing }: ResolveOptions): Promise<CachedName> {
    if (this.#isOld(this.#cache.templatesRead, writing)) await this.#readTemplates();
    let found = findNamed(text, this.#cache.templates);
    if (found.length !== 1) {
      await this.#readTemplates();
      found = findNamed(text, this.#cache.templates);
    }
    const [template] = found;
    if (template === undefined) throw notFound("template", text, this.#cache.templates);
    if (found.length === 1) return template;
    throw ambiguous(
      "template",
      text,
      found.slice(0, listedCandidates).map(({ id, name }) => `${id} (${name})`),
      found.length,
      "Give the id of the template.",
    );
  }

  async path(id: string): Promise<string | undefined> {
    const line = await lineage({ id }, this.#look());
    return line.length === 0 ? undefined : pathOf(line);
  }

  async place(id: string): Promise<DeckPlace | undefined> {
    const line = await this.#line(id, undefined, (each) => isTrashed(each) || isOrphaned(each));
    return line.length === 0 ? undefined : placeOf(line);
  }

  async inTrash(id: string): Promise<CachedDeck | undefined> {
    return (await this.#line(id, undefined, isTrashed)).find(({ trashed }) => trashed);
  }

  async line(id: string): Promise<DeckLine> {
    await this.#readDecks();
    return this.#line(id, day, (each) => isTrashed(each) || isArchived(each) || isOrphaned(each));
  }

  async decks({ maxAge = day, again = false, progress }: DecksOptions = {}): Promise<readonly CachedDeck[]> {
    if (again) this.#decksReadNow = false;
    await this.#readDecks();
    const missing = this.#cache.decks.filter((deck) => !this.#isSeen(deck, "parent", maxAge));
    const look = this.#look(maxAge);
    for (const [index, deck] of missing.entries()) {
      progress?.(index, missing.length);
      await look(deck.id, "parent");
    }
    if (missing.length > 0) progress?.(missing.length, missing.length);
    for (const id of orphanedIds(this.#cache.decks)) await this.#look(0)(id, "parent");
    return this.#cache.decks;
  }

  async subtree(id: string, options?: DecksOptions): Promise<ReadonlySet<string>> {
    return idsUnder([id], await this.decks(options));
  }

  noteDeck(deck: DeckFields): void {
    const known = whole(deck, this.#settings.now());
    this.#seenNow.add(deck.id);
    this.#change((cache) => ({ ...cache, decks: put(cache.decks, known) }));
  }

  noteDeckList(decks: readonly DeckFields[]): void {
    const [list, at] = [withParents(decks), this.#settings.now()];
    this.#decksReadNow = true;
    for (const deck of list) if (Object.hasOwn(deck, "parent-id")) this.#seenNow.add(deck.id);
    const isLater = ({ seen = 0 }: CachedDeck) => this.#isNewer(seen, at);
    this.#change((cache) =>
      this.#isNewer(cache.decksRead, at)
        ? cache
        : { ...cache, decksRead: at, decks: withList(cache.decks, list, isLater, at) },
    );
  }

  forgetDeck(id: string): void {
    this.#seenNow.delete(id);
    this.#change((cache) => ({ ...cache, decks: cache.decks.filter((deck) => deck.id !== id) }));
  }

  noteTemplate(template: NamedFields): void {
    this.#change((cache) => ({ ...cache, templates: put(cache.templates, named(template)) }));
  }

  noteSeen(cards: readonly CachedName[], tags: readonly string[]): void {
    const ids = new Set(cards.map(({ id }) => id));
    this.#changes.unshift((cache) => ({
      ...cache,
      cards: [...cards, ...cache.cards.filter(({ id }) => !ids.has(id))].slice(0, recentCards),
      tags: [...new Set([...tags, ...(cache.tags ?? [])])].slice(0, recentTags),
    }));
  }

  forgetCard(id: string): void {
    this.#change((cache) => ({ ...cache, cards: cache.cards.filter((card) => card.id !== id) }));
  }

  noteFiles(id: string, change: (files: readonly string[]) => readonly string[]): void {
    this.#change((cache) => {
      const card = cache.cards.find((each) => each.id === id) ?? { id, name: "" };
      const others = cache.cards.filter((each) => each !== card);
      const files = [...new Set(change(card.files ?? []))];
      return { ...cache, cards: [{ ...card, files }, ...others].slice(0, recentCards) };
    });
  }

  noteAllTags(tags: readonly string[]): void {
    this.#change((cache) => ({ ...cache, tags: tags.slice(0, recentTags) }));
  }

  forgetTags(tags: ReadonlySet<string>): void {
    this.#change((cache) => ({ ...cache, tags: (cache.tags ?? []).filter((tag) => !tags.has(tag)) }));
  }

  save(): void {
    if (this.#changes.length === 0) return;
    const { folder, accountHash } = this.#settings;
    const changes = this.#changes;
    this.#changes = [];
    const before = readNameCache(folder, accountHash);
    const changed = changes.reduce((cache, change) => change(cache), before);
    if (JSON.stringify(changed) !== JSON.stringify(before)) writeNameCache(folder, accountHash, changed);
  }

  get #cache(): NameCache {
    const { fresh, folder, accountHash } = this.#settings;
    this.#known ??= fresh ? emptyCache : readNameCache(folder, accountHash);
    return this.#known;
  }

  #change(change: Change): void {
    this.#known = change(this.#cache);
    this.#changes.push(change);
  }

  #isOld(read: number, writing: boolean): boolean {
    const age = this.#settings.now() - read;
    return read === 0 || age < 0 || age > (writing ? stale : day);
  }

  async #readDecks(): Promise<void> {
    if (!this.#decksReadNow) this.noteDeckList(await this.#settings.fetchDecks());
  }

  async #readTemplates(): Promise<void> {
    if (this.#templatesReadNow) return;
    const list = await this.#settings.fetchTemplates();
    const at = this.#settings.now();
    this.#templatesReadNow = true;
    this.#change((cache) =>
      this.#isNewer(cache.templatesRead, at)
        ? cache
        : { ...cache, templatesRead: at, templates: list.map(named) },
    );
  }

  /** Whether another process has read the list since; a time in the future is a clock that was set back. */
  #isNewer(read: number, at: number): boolean {
    return read > at && read <= this.#settings.now();
  }

  #isSeen(deck: CachedDeck, what: "parent" | "flags", maxAge: number | undefined): boolean {
    if ((what === "parent" ? deck.parent : deck.trashed) === undefined) return false;
    if (maxAge === undefined || this.#seenNow.has(deck.id)) return true;
    const age = this.#settings.now() - (deck.seen ?? 0);
    return age >= 0 && age < maxAge;
  }

  /** A deck and those above it; where the cache keeps its cards back, as they are now: that may have changed elsewhere. */
  async #line(id: string, maxAge: number | undefined, keepsBack: typeof isTrashed): Promise<DeckLine> {
    const line = await lineage({ id }, this.#look(maxAge));
    return keepsBack(line) ? lineage({ id }, this.#look(0)) : line;
  }

  /** Looks decks up, retrieving those of which too little is known, or that were retrieved over `maxAge` ms ago. */
  #look(maxAge?: number): Look {
    return async (id, what) => {
      const deck = this.#byId.get(id);
      if (deck === undefined ? this.#goneNow.has(id) : this.#isSeen(deck, what, maxAge)) return deck;
      try {
        this.noteDeck(await this.#settings.fetchDeck(id));
      } catch (error) {
        // An id that cannot be in a request, which a card or a deck of the service names, is that of no deck.
        if (!(error instanceof DeckhandError) || !["not-found", "usage"].includes(error.code)) throw error;
        this.forgetDeck(id);
        this.#goneNow.add(id);
      }
      return this.#byId.get(id);
    };
  }

  /** Decks are looked up by id once for each deck below them. */
  get #byId(): ReadonlyMap<string, CachedDeck> {
    const { decks } = this.#cache;
    if (this.#indexed?.decks !== decks)
      this.#indexed = { decks, byId: new Map(decks.map((deck) => [deck.id, deck])) };
    return this.#indexed.byId;
  }
}
