import { ifNamed } from "../client/if-there.ts";
import { writeCache } from "../files/cache.ts";
import { ambiguous, findDecks, findNamed, type Look, lineOf, notFound } from "./find.ts";
import { type DeckLine, isArchived, isOrphaned, isTrashed, orphanedIds, pathOf } from "./lines.ts";
import { rooted } from "./match.ts";
import {
  type DeckFields,
  type KnownDeck,
  type KnownTemplate,
  type NamedFields,
  named,
  readSnapshot,
  type Snapshot,
  snapshotPath,
  whole,
  withItem,
  withList,
} from "./snapshot.ts";

/** How old a list may be, in milliseconds. */
const stale = 10 * 60_000;
/** The same for the parent and flags of a deck where the list has none: each costs a request. */
const day = 24 * 60 * 60_000;

export interface NamesSettings {
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
  /** Whether it is the local service: its lists of decks have parents, and nothing stored is relied on. */
  readonly fresh?: boolean;
}

export interface DecksOptions {
  /** Whether every deck has to be as it is now: before something is deleted, exported or imported. */
  readonly now?: boolean;
  /** Called while decks are retrieved one by one. */
  readonly progress?: (done: number, total: number) => void;
}

/**
 * Decks and templates by name (docs/design/cli.md, Naming things): a snapshot of the account, read again after ten minutes
 * and where a name is not found. Where the list of decks has no parents, a deck is retrieved when its place is asked for.
 */
export class Names {
  readonly #settings: NamesSettings;
  readonly #opened: number;
  #snapshot: Snapshot | undefined;
  #changed = false;
  #decksReadNow = false;
  #templatesReadNow = false;
  /** Ids that were answered to be of no deck. */
  readonly #goneNow = new Set<string>();
  #indexed: { readonly of: Snapshot["decks"]; readonly byId: ReadonlyMap<string, KnownDeck> } | undefined;

  constructor(settings: NamesSettings) {
    this.#settings = settings;
    this.#opened = settings.now();
  }

  /**
   * The deck of an id, a name or a path of names.
   *
   * @param again whether to list the decks again, even if this process has: another one may have created it since
   * @throws UsageError if several match, a not-found error with the nearest names if none does
   */
  async deck(text: string, { again = false } = {}): Promise<KnownDeck> {
    if (again) await this.#readDecks();
    let found = await findDecks(text, await this.#decks(), this.#look(day));
    if (found.length !== 1) {
      if (!this.#decksReadNow) await this.#readDecks();
      found = await findDecks(text, await this.#decks(), this.#look(0));
    }
    const [deck] = found;
    if (deck === undefined) throw notFound("deck", text, await this.#decks());
    if (found.length === 1) return deck;
    const labelOf = async ({ id, name }: KnownDeck) => rooted((await this.path(id)) || name);
    const hint = "Give the path of the deck, /Name at the root, or its id.";
    throw await ambiguous("deck", text, found, labelOf, hint);
  }

  /** The template of an id or a name; throws like `deck`. */
  async template(text: string): Promise<KnownTemplate> {
    if (!this.#isWithin(this.#known.templatesRead, stale)) await this.#readTemplates();
    let found = findNamed(text, this.#known.templates);
    if (found.length !== 1 && !this.#templatesReadNow) {
      await this.#readTemplates();
      found = findNamed(text, this.#known.templates);
    }
    const [template] = found;
    if (template === undefined) throw notFound("template", text, this.#known.templates);
    if (found.length === 1) return template;
    throw await ambiguous("template", text, found, ({ name }) => name, "Give the id of the template.");
  }

  /** The path of a deck's names from the root, `/` inside a name as `\/`; undefined if there is no such deck. */
  async path(id: string): Promise<string | undefined> {
    await this.#decks();
    const line = await lineOf(id, this.#look());
    return line.length === 0 ? undefined : pathOf(line);
  }

  /**
   * The deck and those above it. Where that keeps its cards back (in the trash, archived, below a deleted deck), it is as the
   * service has it now: it may have been restored elsewhere.
   */
  async line(id: string): Promise<DeckLine> {
    await this.#decks();
    const line = await lineOf(id, this.#look(day));
    const keepsBack = isTrashed(line) || isArchived(line) || isOrphaned(line);
    return keepsBack ? lineOf(id, this.#look(0)) : line;
  }

  /** Every deck with its parent and flags. */
  async decks({ now = false, progress }: DecksOptions = {}): Promise<readonly KnownDeck[]> {
    if (now) await this.#readDecks();
    const maxAge = now ? 0 : day;
    const missing = (await this.#decks()).filter((deck) => !this.#isKnown(deck, maxAge));
    const look = this.#look(maxAge);
    for (const [index, { id }] of missing.entries()) {
      progress?.(index, missing.length);
      await look(id);
    }
    if (missing.length > 0) progress?.(missing.length, missing.length);
    // Another program may have moved it out from below a deck that was deleted.
    for (const id of orphanedIds(this.#known.decks)) await this.#look(0)(id);
    return this.#known.decks;
  }

  /** Records a deck from an answer: created, changed or retrieved. */
  noteDeck(deck: DeckFields): void {
    this.#change({ decks: withItem(this.#known.decks, whole(deck, this.#settings.now())) });
  }

  /** Records the whole list of decks, which is then not read again unless that is asked for. */
  noteDeckList(list: readonly DeckFields[]): void {
    const at = this.#settings.now();
    this.#decksReadNow = true;
    this.#change({ decksRead: at, decks: withList(this.#known.decks, list, at, this.#settings.fresh) });
  }

  /** The deck was deleted, or changed without an answer that shows how. */
  forgetDeck(id: string): void {
    this.#change({ decks: this.#known.decks.filter((deck) => deck.id !== id) });
  }

  noteTemplate(template: NamedFields): void {
    this.#change({ templates: withItem(this.#known.templates, named(template)) });
  }

  forgetTemplate(id: string): void {
    this.#change({ templates: this.#known.templates.filter((each) => each.id !== id) });
  }

  /** Writes the snapshot. Never fails: everything works without it, with more requests. */
  save(): void {
    if (!this.#changed) return;
    this.#changed = false;
    const { folder, accountHash } = this.#settings;
    writeCache(snapshotPath(folder, accountHash), this.#known);
  }

  get #known(): Snapshot {
    const { fresh, folder, accountHash } = this.#settings;
    if (this.#snapshot !== undefined) return this.#snapshot;
    const stored = readSnapshot(folder, accountHash);
    // What it has of a collection that is at hand is only names for completion.
    this.#snapshot = fresh ? { ...stored, decksRead: 0, templatesRead: 0 } : stored;
    return this.#snapshot;
  }

  #change(part: Partial<Snapshot>): void {
    this.#snapshot = { ...this.#known, ...part };
    this.#changed = true;
  }

  /** The decks as listed within the last ten minutes. */
  async #decks(): Promise<readonly KnownDeck[]> {
    if (!this.#decksReadNow && !this.#isWithin(this.#known.decksRead, stale)) await this.#readDecks();
    return this.#known.decks;
  }

  async #readDecks(): Promise<void> {
    this.noteDeckList(await this.#settings.fetchDecks());
  }

  async #readTemplates(): Promise<void> {
    const templates = (await this.#settings.fetchTemplates()).map(named);
    this.#templatesReadNow = true;
    this.#change({ templatesRead: this.#settings.now(), templates });
  }

  #isWithin(read: number, ms: number): boolean {
    const age = this.#settings.now() - read;
    return read > 0 && age >= 0 && age <= ms;
  }

  /** Whether parent and flags were read so many milliseconds ago at most, or by this process. */
  #isKnown({ seen }: KnownDeck, maxAge: number): boolean {
    return seen !== undefined && (seen >= this.#opened || (maxAge > 0 && this.#isWithin(seen, maxAge)));
  }

  /** Looks decks up, retrieving those that are not known, or that were retrieved more than `maxAge` ms ago. */
  #look(maxAge = Number.POSITIVE_INFINITY): Look {
    return async (id) => {
      const deck = this.#byId.get(id);
      if (deck === undefined ? this.#goneNow.has(id) : this.#isKnown(deck, maxAge)) return deck;
      const found = await ifNamed(id, (each) => this.#settings.fetchDeck(each));
      if (found !== undefined) this.noteDeck(found);
      else {
        this.forgetDeck(id);
        this.#goneNow.add(id);
      }
      return this.#byId.get(id);
    };
  }

  /** Decks are looked up by id once for each deck below them. */
  get #byId(): ReadonlyMap<string, KnownDeck> {
    const { decks } = this.#known;
    if (this.#indexed?.of !== decks)
      this.#indexed = { of: decks, byId: new Map(decks.map((deck) => [deck.id, deck])) };
    return this.#indexed.byId;
  }
}
