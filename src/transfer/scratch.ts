import { loadSqlite, type SqliteDatabase } from "../sqlite.ts";

/**
 * A database in a temporary file without a name, which is gone when it is closed or the process ends. What an import
 * knows of each card is in it, so that memory does not grow with the number of cards.
 */
export class Scratch {
  readonly #database: SqliteDatabase;
  #maps = 0;

  constructor() {
    this.#database = new (loadSqlite())("");
    // Nothing has to survive a crash, and one transaction saves the work of one for each value.
    this.#database.exec(
      "pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -4000; begin",
    );
  }

  map<V>(): ScratchMap<V> {
    return new ScratchMap<V>(this.#database, `map${this.#maps++}`);
  }

  close(): void {
    this.#database.close();
  }
}

/** Plain values by their keys, as in a `Map`, on the disk. */
export class ScratchMap<V> {
  readonly #get;
  readonly #set;
  readonly #entries;

  constructor(database: SqliteDatabase, table: string) {
    database.exec(`create table ${table} (key text primary key, value text)`);
    this.#get = database.prepare(`select value from ${table} where key = ?`);
    this.#set = database.prepare(
      `insert into ${table} values (?, ?) on conflict (key) do update set value = excluded.value`,
    );
    this.#entries = database.prepare(`select key, value from ${table} order by rowid`);
  }

  get(key: string): V | undefined {
    const [row] = this.#get.all(key) as { value: string }[];
    return row && (JSON.parse(row.value) as V);
  }

  set(key: string, value: V): void {
    this.#set.run(key, JSON.stringify(value));
  }

  *values(): Generator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  /** In the order in which the keys were first set. */
  *entries(): Generator<[string, V]> {
    for (const row of this.#entries.iterate()) {
      const { key, value } = row as { key: string; value: string };
      yield [key, JSON.parse(value) as V];
    }
  }
}
