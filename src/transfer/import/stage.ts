import { statSync } from "node:fs";
import { loadSqlite, type SqliteDatabase, type SqliteStatement } from "../../sqlite.ts";
import { cardsWithoutDeck, type Source, type SourceAttachment, type SourceCard } from "../model.ts";
import { broken } from "../place.ts";
import { refers } from "../references.ts";
import { SkippedGroups } from "../skip-counts.ts";
import { comparable, frontHash, shortHash, wantedOf } from "./wanted.ts";

/** What a card of the source is to the account, and what is to be done; `match.ts` fills in all but the first five. */
export interface StagedCard {
  /** In the source, from 1. */
  readonly number: number;
  readonly key: string | null;
  /** The key of its deck; null for the deck that the user names. */
  readonly deck: string | null;
  readonly front: string | null;
  /** A hash of what the source says of it, its files included. */
  readonly read: string;
  readonly kind: MatchKind;
  /** Of the card in the account, or the one that it gets; null where several match. */
  readonly id: string | null;
  /** Why it is left, where more is known than that it differs; "edited" for one that counts as equal and is not. */
  readonly why: WhyLeft | null;
}

export type WhyLeft = "trashed" | "archived" | "several" | "edited";

/**
 * - "new": the account has no such card
 * - "same": it has an equal one, or one that was edited since the source said the same
 * - "changed": only the source changed since the last import or export
 * - "differs": the account's card differs otherwise, or several match
 */
export type MatchKind = "new" | "same" | "changed" | "differs";

const tables = `
  create table source (
    number integer primary key, key text, deck text, front text, read text not null,
    card text not null, place text not null, refers integer not null, reviews integer not null,
    files integer not null, bytes integer not null, deckless integer not null default 0,
    kind text not null default 'new', id text, why text, todo_reviews integer not null default 0,
    todo_files integer not null default 0, todo_bytes integer not null default 0,
    other_files integer not null default 0, made integer not null default 0
  );
  create index source_key on source (key);
  create index source_front on source (deck, front);
  create table there (
    id text primary key, deck text, front text, content text not null, hash text not null, document text not null,
    trashed text, updated text, reviewed text not null, used integer not null default 0
  ) without rowid;
  create index there_front on there (deck, front, used, content);
  create table stored (card text, name text, size integer, primary key (card, name)) without rowid;`;

interface StageOptions {
  progress?(cards: number): void;
  /** Whether the service records reviews; asked where the source has some. */
  recordsReviews?(): Promise<boolean>;
}

const unrecorded = { what: "review histories", why: "the service has no way to record them" };

/**
 * A source as it was when it was read, in a database without a name that is gone with the process: what is shown, what is
 * compared and what is sent come from here, whatever happens to the source meanwhile. Memory does not grow with the
 * number of cards.
 */
export class Stage {
  source: Omit<Source, "cards">;
  readonly database: SqliteDatabase;
  readonly skipped = new SkippedGroups();
  readonly #files: SourceAttachment[] = [];
  readonly #statements = new Map<string, SqliteStatement>();

  private constructor(source: Source) {
    this.source = source;
    this.database = new (loadSqlite())("");
    // Nothing has to survive a crash, and one transaction saves the work of one for each row.
    this.database.exec(
      `pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -4000; ${tables} begin`,
    );
  }

  /** Reads the whole source, once. @throws UsageError for input that cannot be read to its end */
  static async read(source: Source, options: StageOptions = {}): Promise<Stage> {
    const stage = new Stage(source);
    try {
      await stage.#read(source, options);
      return stage;
    } catch (error) {
      stage.close();
      throw error;
    }
  }

  close(): void {
    this.database.close();
  }

  /** The rows of a query. */
  all<T>(sql: string, ...values: readonly unknown[]): T[] {
    return this.#statement(sql).all(...values) as T[];
  }

  /** The first value of the first row. */
  value<T>(sql: string, ...values: readonly unknown[]): T {
    return Object.values(this.all<Record<string, T>>(sql, ...values)[0] ?? {})[0] as T;
  }

  run(sql: string, ...values: readonly unknown[]): void {
    this.#statement(sql).run(...values);
  }

  /**
   * Rows by their numbers, in pieces, so that what is read from may be written to.
   *
   * @param where a condition on `source`
   */
  *rows(where = "true", size = 500): Generator<StagedCard[]> {
    for (let after = 0; ; ) {
      const rows = this.all<StagedCard>(
        `select number, key, deck, front, read, kind, id, why from source
         where number > ? and (${where}) order by number limit ${size}`,
        after,
      );
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows;
      after = last.number;
    }
  }

  /** Whether another card of the source has the deck and the front of this one. @param where a condition on the other */
  hasTwin({ number, deck, front }: StagedCard, where = "true"): boolean {
    const other = "select 1 from source where deck is ? and front = ? and number <> ?";
    return this.value(`select exists (${other} and ${where})`, deck, front, number) === 1;
  }

  /** Gives the cards that have no deck one of their own. @returns its key */
  deckForAll(): string {
    const { decks } = this.source;
    const name = cardsWithoutDeck;
    const own = decks.find((deck) => deck.parent === undefined && deck.body.name === name);
    // Too short for a key that is remembered: the next source has other cards without a deck, and this may be renamed.
    const key = own?.key ?? "/";
    if (own === undefined)
      this.source = { ...this.source, decks: [...decks, { key, body: { name }, place: name }] };
    this.run("update source set deck = ?, deckless = 1 where deck is null", key);
    return key;
  }

  /** A card as the source has it. */
  card(number: number): SourceCard {
    const { files, ...card } = JSON.parse(
      this.value<string>("select card from source where number = ?", number),
    ) as SourceCard & { readonly files: readonly number[] };
    return { ...card, attachments: files.flatMap((index) => this.#files[index] ?? []) };
  }

  async #read(source: Source, { progress = () => {}, recordsReviews = async () => true }: StageOptions) {
    let number = 0;
    for await (const card of source.cards(this.skipped.add)) {
      number++;
      const reviews = card.reviews ?? [];
      const recorded = reviews.length > 0 && (await recordsReviews());
      if (reviews.length > 0 && !recorded) this.skipped.add({ ...unrecorded, place: card.place });
      this.#add(number, recorded ? card : { ...card, reviews: [] });
      if (number % 100 === 0) progress(number);
    }
  }

  #add(number: number, card: SourceCard): void {
    const { attachments = [], ...rest } = card;
    const { partial = false } = this.source;
    const wanted = wantedOf(card, partial);
    const sizes = attachments.map(({ fileName, size }) => [fileName, size ?? null]);
    const read = shortHash(JSON.stringify([Object.entries(wanted), partial || !!card.trashed, sizes]));
    const first = this.#files.push(...attachments.map(asRead)) - attachments.length;
    this.run(
      `insert into source (number, key, deck, front, read, card, place, refers, reviews, files, bytes)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      number,
      card.key ?? null,
      card.deck ?? null,
      frontHash(comparable(wanted)) ?? null,
      read,
      JSON.stringify({ ...rest, files: attachments.map((_, index) => first + index) }),
      card.place,
      refers(card.body) ? 1 : 0,
      card.reviews?.length ?? 0,
      attachments.length,
      attachments.reduce((sum, { size = 0 }) => sum + size, 0),
    );
  }

  #statement(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** A file of a card; one on the disk is sent only as it was when the source was read. */
function asRead(file: SourceAttachment): SourceAttachment {
  const { fileName, size, type, place, path } = file;
  const stamp = stampOf(path);
  const open = async () => {
    if (stampOf(path) !== stamp)
      throw broken(place, "the file was changed after it was read", "Run this again to import it.");
    return file.open();
  };
  return { fileName, size, type, place, open };
}

/** Undefined for what is not a file of its own on the disk. */
function stampOf(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? "" : [found.size, found.mtimeMs, found.ctimeMs, found.ino].join(" ");
}
