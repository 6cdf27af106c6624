import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { type CardDocument, hashOfDocument } from "../cards/document.ts";
import { UsageError } from "../errors.ts";
import { makeDurableFolder } from "../files/folders.ts";
import { isSameStat, neverUnchanged, type Stat, settled } from "../folder/stat.ts";
import { loadSqlite, type SqliteDatabase, type SqliteStatement } from "../sqlite.ts";
import { columns, tables } from "./state-tables.ts";
import type { BaseCard, BaseDeck, BaseFile, Intent } from "./types.ts";

/** Recorded of a file in which the id of its card is not yet. */
export const withoutId: Stat = { ...neverUnchanged, size: -1 };

type Row = Pick<BaseCard, "id" | "path" | "hash" | keyof Stat>;
/** A card as it is recorded, at an instant in epoch milliseconds. */
type CardEntry = Row & { readonly at: number; readonly created?: boolean };
/** A deck, with its settings as text. */
type DeckRow = Record<"id" | "path" | "name", string> & Record<"parent" | "text", string | null>;
type FileRow = BaseFile & { readonly card: string; readonly name: string };
type CardRow = Row & Pick<BaseCard, "deck"> & { readonly docHash: string; readonly created: number };

/**
 * What a synced folder and an account agreed on last, on this machine, and the changes that were decided and are not
 * confirmed yet: one SQLite file (docs/design/sync.md, State). Documents are read from it when they are needed; the
 * rest is in memory: a query for each card would take longer than all else.
 */
export class State {
  readonly decks = new Map<string, BaseDeck>();
  /** By the id of their card and their name; only cards with attachments. */
  readonly files = new Map<string, Map<string, BaseFile>>();
  /** Changes whose outcome is not known, by number. */
  readonly open = new Map<number, Intent>();
  readonly #cards = new Map<string, CardRow>();
  /** The ids of the cards whose files were last at a path. */
  readonly #byPath = new Map<string, readonly string[]>();
  readonly #db: SqliteDatabase;
  readonly #statements = new Map<string, SqliteStatement>();
  readonly #isShown: boolean;
  /** Whether changes wait for the next one that is on the disk at once. */
  #waits = false;

  private constructor(db: SqliteDatabase, isShown: boolean) {
    this.#db = db;
    this.#isShown = isShown;
    db.exec(`pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = normal; ${tables}`);
    // What a plan that is only shown finds out is not kept.
    if (isShown) db.exec("begin");
    for (const row of this.#prepared(`select ${columns} from card`).iterate() as Iterable<CardRow>)
      this.#hold(row);
    const decks = "select * from deck left join deck_settings using (id)";
    for (const { id, path, name, parent, text } of this.#all<DeckRow>(decks))
      this.decks.set(id, { id, path, doc: { ...JSON.parse(text ?? "{}"), name, parent } });
    for (const { card, name, ...file } of this.#all<FileRow>("select * from attachment"))
      this.#filesOf(card).set(name, file);
    for (const { number, intent } of this.#all<{ number: number; intent: string }>("select * from open"))
      this.open.set(number, JSON.parse(intent) as Intent);
  }

  /** @param purpose to `show` a plan changes nothing */
  static open(path: string, purpose?: "show"): State {
    const isShown = purpose === "show";
    if (!isShown) makeDurableFolder(dirname(path));
    const Database = loadSqlite();
    const db = new Database(isShown && !existsSync(path) ? ":memory:" : path);
    try {
      return new State(db, isShown);
    } catch (cause) {
      db.close();
      // SQLITE_CORRUPT and SQLITE_NOTADB.
      if (![11, 26].includes(Number((cause as { errcode?: unknown }).errcode) & 0xff)) throw cause;
      throw new UsageError(`${path} is damaged: it records what was synced last`, {
        hint: "`deckhand check --repair` moves it away. The next sync is a first one then: it removes nothing.",
        cause,
      });
    }
  }

  /** How many cards both sides had at the last sync. */
  get size(): number {
    return this.#cards.size;
  }

  /** Whether there is nothing: the folder was not synced with this account from here before. */
  get isEmpty(): boolean {
    return this.size === 0 && this.decks.size === 0;
  }

  /** Whether the folder or the service has what the other lacks, and only this machine knows: ids that no file has yet. */
  get isPending(): boolean {
    const open = [...this.open.values()].some(({ op }) => op !== "rename-deck");
    return open || [...this.#cards.values()].some(({ size }) => size === withoutId.size);
  }

  has(id: string): boolean {
    return this.#cards.has(id);
  }

  card(id: string): BaseCard | undefined {
    const row = this.#cards.get(id);
    return row && this.#card(row);
  }

  /** The cards whose files were last at a path. */
  cardsAt(path: string): BaseCard[] {
    return this.#byPath.get(path)?.flatMap((id) => this.card(id) ?? []) ?? [];
  }

  /** The cards that are not in both of these sets. */
  *cardsExcept(one: ReadonlySet<string>, other: ReadonlySet<string> = one): Generator<BaseCard> {
    for (const row of this.#cards.values()) if (!one.has(row.id) || !other.has(row.id)) yield this.#card(row);
  }

  /** Whether both sides agreed on the document with this hash last. */
  isAgreed(id: string, docHash: string): boolean {
    return this.#cards.get(id)?.docHash === docHash;
  }

  /**
   * The id of the card whose file is at a path and has not changed since the last sync, as its size and times show.
   * Undefined also where the files of several cards were last there: which one it is shows its id.
   */
  unchangedAt(path: string, stat: Stat, deck: string | null | undefined): string | undefined {
    const ids = this.#byPath.get(path);
    const row = this.#cards.get(ids?.[0] ?? "");
    const isThere = deck === undefined || row?.deck === deck;
    return ids?.length === 1 && row !== undefined && isThere && isSameStat(row, stat) ? row.id : undefined;
  }

  keepCard(entry: CardEntry, doc: CardDocument): void {
    const { id, path, hash } = entry;
    const { mtime, ctime, size } = settled(entry, entry.at);
    const created = entry.created || this.#cards.get(id)?.created ? 1 : 0;
    const docHash = hashOfDocument(doc);
    this.#release(id);
    this.#hold({ id, path, hash, mtime, ctime, size, deck: doc.deck, docHash, created });
    this.#run(
      `insert or replace into card (${columns}, doc) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[id, path, hash, mtime, ctime, size, doc.deck, docHash, created, JSON.stringify(doc)],
    );
  }

  forgetCard(id: string): void {
    this.#release(id);
    this.#run("delete from card where id = ?", id);
    this.#run("delete from attachment where card = ?", id);
    this.files.delete(id);
  }

  /** The names that syncs were about to give a deck. */
  renaming(id: string): string[] {
    const open = [...this.open.values()];
    return open.flatMap((each) => (each.op === "rename-deck" && each.id === id ? each.name : []));
  }

  keepDeck(deck: BaseDeck): void {
    const { id, path, doc } = deck;
    const { name, parent, ...settings } = doc;
    this.decks.set(id, deck);
    for (const [number, intent] of this.open)
      if (intent.op === "rename-deck" && intent.id === id) this.end(number);
    this.#run("insert or replace into deck values (?, ?, ?, ?)", id, path, name, parent);
    this.#run("insert or replace into deck_settings values (?, ?)", id, JSON.stringify(settings));
  }

  /** Records an attachment of a card, or, without one, that neither side has it. */
  keepFile(card: string, name: string, file: (BaseFile & { readonly at: number }) | undefined): void {
    const files = this.#filesOf(card);
    if (file === undefined) {
      files.delete(name);
      this.#run("delete from attachment where card = ? and name = ?", card, name);
    } else {
      const { path, hash } = file;
      const { mtime, ctime, size } = settled(file, file.at);
      files.set(name, { path, hash, mtime, ctime, size });
      const values = [card, name, path, hash, mtime, ctime, size];
      this.#run("insert or replace into attachment values (?, ?, ?, ?, ?, ?, ?)", ...values);
    }
    if (files.size === 0) this.files.delete(card);
  }

  /** The commit of the folder's git repository at the last sync. */
  get head(): string | undefined {
    return this.#all<{ name: string }>("select name from head")[0]?.name;
  }

  keepHead(name: string | undefined): void {
    this.#run("delete from head");
    if (name !== undefined) this.#run("insert into head values (?)", name);
  }

  /** Records what the service has, unknown to the folder, before something is created on it. */
  noteSeen(ids: Iterable<string>): void {
    this.transaction(() => {
      for (const id of ids) this.#run("insert or ignore into seen (id) values (?)", id);
    });
  }

  wasSeen(id: string): boolean {
    return this.#all("select 1 from seen where id = ?", id).length > 0;
  }

  /** Records changes before they are made, on the disk when this returns. @returns their numbers, for `end` */
  begin(intents: readonly Intent[]): readonly number[] {
    let last = Math.max(0, ...this.open.keys());
    const numbers = intents.map(() => ++last);
    this.#settle();
    // Only here does it matter that a power failure takes nothing back.
    if (!this.#isShown) this.#db.exec("pragma synchronous = full");
    this.transaction(() => {
      for (const [index, intent] of intents.entries()) {
        this.open.set(numbers[index] ?? 0, intent);
        this.#run("insert into open values (?, ?)", numbers[index], JSON.stringify(intent));
      }
    });
    if (!this.#isShown) this.#db.exec("pragma synchronous = normal");
    return numbers;
  }

  end(...numbers: readonly number[]): void {
    for (const number of numbers) {
      this.open.delete(number);
      this.#run("delete from open where number = ?", number);
    }
  }

  /** On the disk only with the next intents or at the end: for what an open intent says as well. */
  soon(work: () => void): void {
    if (!this.#waits) this.#db.exec("begin");
    this.#waits = true;
    work();
  }

  #settle(): void {
    if (this.#waits) this.#db.exec("commit");
    this.#waits = false;
  }

  /** Makes several changes as one. */
  transaction(work: () => void): void {
    this.#db.exec("savepoint several");
    try {
      work();
    } catch (error) {
      this.#db.exec("rollback to several");
      throw error;
    } finally {
      this.#db.exec("release several");
    }
  }

  close(): void {
    this.#settle();
    if (this.#isShown) this.#db.exec("rollback");
    this.#db.close();
  }

  #filesOf(card: string): Map<string, BaseFile> {
    const files = this.files.get(card) ?? new Map<string, BaseFile>();
    this.files.set(card, files);
    return files;
  }

  #hold(row: CardRow): void {
    this.#cards.set(row.id, row);
    this.#byPath.set(row.path, [...(this.#byPath.get(row.path) ?? []), row.id]);
  }

  #release(id: string): void {
    const path = this.#cards.get(id)?.path ?? "";
    const others = this.#byPath.get(path)?.filter((each) => each !== id) ?? [];
    this.#byPath.set(path, others);
    this.#cards.delete(id);
  }

  #card({ docHash, created, ...row }: CardRow): BaseCard {
    const read = () => {
      const [found] = this.#all<{ doc: string }>("select doc from card where id = ?", row.id);
      return JSON.parse(found?.doc ?? "null") as CardDocument;
    };
    // The service's name of a card is needed only where it is written to a new file.
    const others = { idMissing: false, name: "", trashed: false };
    return { ...row, ...others, created: created === 1, doc: { hash: docHash, read } };
  }

  #prepared(sql: string): SqliteStatement {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }

  #all<Row>(sql: string, ...values: readonly unknown[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  #run(sql: string, ...values: readonly unknown[]): void {
    this.#prepared(sql).run(...values);
  }
}
