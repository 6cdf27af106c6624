import { existsSync } from "node:fs";
import { DeckhandError } from "../../errors.ts";
import { loadSqlite, type SqliteDatabase } from "../../sqlite.ts";
import { sqliteProblem } from "../store/dialects/sqlite/file.ts";
import { valuesOf } from "./snapshot.ts";

/** A store that other processes cannot open until it is released. */
export class HeldStore {
  readonly #database: SqliteDatabase;
  #isReleased = false;

  private constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /**
   * @returns undefined where there is none, and for a damaged one, which is what it is replaced for
   * @throws DeckhandError if another process has it open
   */
  static take(path: string): HeldStore | undefined {
    if (!existsSync(path)) return undefined;
    let database: SqliteDatabase | undefined;
    try {
      database = new (loadSqlite())(path);
      database.exec("pragma busy_timeout = 1000; pragma locking_mode = exclusive; begin exclusive");
      return new HeldStore(database);
    } catch (cause) {
      database?.close();
      if (sqliteProblem(cause) !== "busy") return undefined;
      throw new DeckhandError("conflict", "the collection is in use; nothing was changed", {
        hint: "Stop `deckhand serve` and other commands first.",
        cause,
      });
    }
  }

  /** Whether it has no documents and no keys. A damaged one is not empty. */
  isEmpty(): boolean {
    try {
      const database = this.#database;
      const first = (table: string) => valuesOf(database, "1", `(select 1 from "${table}" limit 1)`);
      return ["card", "deck", "template", "key"].every((table) => first(table).length === 0);
    } catch (error) {
      // SQLITE_ERROR: a store that was only begun has no tables.
      return (error as { errcode?: unknown }).errcode === 1;
    }
  }

  /** May be called again. */
  release(): void {
    if (!this.#isReleased) this.#database.close();
    this.#isReleased = true;
  }
}
