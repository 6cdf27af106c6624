import { loadSqlite, type SqliteDatabase, type SqliteStatement } from "../../sqlite.ts";

/** Which document stands for a part of a source. */
export interface Origin {
  /** The real path of a file or folder; "" for keys that sources carry themselves (ids, guids). */
  readonly source: string;
  readonly key: string;
  readonly id: string;
  /** The hash of what was written. */
  readonly written?: string | undefined;
  /** The hash of what was read. */
  readonly read?: string | undefined;
  /** False from before it is sent until all that belongs to it is confirmed. */
  readonly done: boolean;
  /** Whether an import archived it, since the source had it no more. */
  readonly archived: boolean;
  /** What a followed file says of it (`notes/`): JSON. */
  readonly note?: string | undefined;
}

const columns = "source, key, id, written, read, done, archived, note";

/**
 * The record of origins of an account: what was chosen for what a source has, written down before it is sent. One file for
 * all accounts, in the state folder; several processes may use it.
 */
export class OriginRecord {
  readonly #database: SqliteDatabase;
  readonly #account: string;
  readonly #statements = new Map<string, SqliteStatement>();

  private constructor(database: SqliteDatabase, account: string) {
    this.#database = database;
    this.#account = account;
  }

  /** @param path its folder exists @param account names the account, as journals and exports do */
  static open(path: string, account: string): OriginRecord {
    const database = new (loadSqlite())(path);
    // What a power failure takes is found again by what the account has; a sync for each batch costs more than the batch.
    database.exec(
      "pragma busy_timeout = 10000; pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -8000",
    );
    database.exec(
      `create table if not exists origin (
        account text not null, source text not null, key text not null, id text not null, written text, read text,
        done integer not null, reviews integer not null default 0, archived integer not null, note text,
        primary key (account, source, key)
      ) without rowid;
      create index if not exists origin_id on origin (account, id)`,
    );
    return new OriginRecord(database, account);
  }

  find(source: string, key: string): Origin | undefined {
    return [...this.#rows("source = ? and key = ?", source, key)][0];
  }

  /** All that stand for a document. */
  byId(id: string): readonly Origin[] {
    return [...this.#rows("id = ?", id)];
  }

  /** All of a source whose keys begin so, by key. */
  bySource(source: string, prefix = ""): Iterable<Origin> {
    return prefix === ""
      ? this.#rows("source = ?", source)
      : this.#rows("source = ? and key >= ? and key < ?", source, prefix, after(prefix));
  }

  /** Writes rows in one transaction: a kill of the process loses none of them. Each replaces the one of its source and key. */
  put(rows: readonly Origin[]): void {
    if (rows.length > 0) this.#transaction(() => this.#put(rows));
  }

  /** Puts rows in the place of those of a source whose keys begin with one of the prefixes, in one transaction. */
  replace(source: string, prefixes: readonly string[], rows: readonly Origin[]): void {
    const statement = this.#database.prepare(
      "delete from origin where account = ? and source = ? and key >= ? and key < ?",
    );
    this.#transaction(() => {
      for (const prefix of prefixes) statement.run(this.#account, source, prefix, after(prefix));
      this.#put(rows);
    });
  }

  #put(rows: readonly Origin[]): void {
    const statement = this.#database.prepare(
      `insert into origin (account, ${columns}, reviews) values (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
       on conflict (account, source, key) do update set id = excluded.id, written = excluded.written,
         read = excluded.read, done = excluded.done, archived = excluded.archived, note = excluded.note`,
    );
    for (const { source, key, id, written, read, done, archived, note } of rows)
      statement.run(
        ...[this.#account, source, key, id, written ?? null, read ?? null],
        ...[Number(done), Number(archived), note ?? null],
      );
  }

  /** Removes all that stand for these documents. */
  remove(ids: readonly string[]): void {
    const statement = this.#database.prepare("delete from origin where account = ? and id = ?");
    this.#transaction(() => {
      for (const id of ids) statement.run(this.#account, id);
    });
  }

  /** Removes what is known of a source, or of one key of it. */
  forget(source: string, key?: string): void {
    const only = key === undefined ? "" : " and key = ?";
    const statement = this.#database.prepare(`delete from origin where account = ? and source = ?${only}`);
    statement.run(this.#account, source, ...(key === undefined ? [] : [key]));
  }

  close(): void {
    this.#database.close();
  }

  *#rows(condition: string, ...values: readonly string[]): Generator<Origin> {
    for (const row of this.#statement(condition).iterate(this.#account, ...values)) {
      const { written, read, done, archived, note, ...rest } = row as Omit<Origin, "done" | "archived"> & {
        readonly done: number;
        readonly archived: number;
      };
      yield {
        ...rest,
        written: written ?? undefined,
        read: read ?? undefined,
        done: done === 1,
        archived: archived === 1,
        note: note ?? undefined,
      };
    }
  }

  /** Rows of a source come in the order of its index; an order that is asked for would have all rows read for an id. */
  #statement(condition: string): SqliteStatement {
    const known = this.#statements.get(condition);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(
      `select ${columns} from origin where account = ? and ${condition}`,
    );
    this.#statements.set(condition, statement);
    return statement;
  }

  #transaction(work: () => void): void {
    this.#database.exec("begin immediate");
    try {
      work();
      this.#database.exec("commit");
    } catch (error) {
      try {
        this.#database.exec("rollback");
      } catch {
        // SQLite has done so itself where the disk is full.
      }
      throw error;
    }
  }
}

/** What is after all texts that begin so. */
const after = (prefix: string): string => `${prefix}\u{10ffff}`;
