import { existsSync } from "node:fs";
import { DeckhandError } from "../../errors.ts";
import { loadSqlite, type SqliteDatabase } from "../../sqlite.ts";
import { sqliteProblem } from "../store/dialects/sqlite/file.ts";

/** SQLITE_ERROR: a table that is missing, in a statement that is right. */
const sqliteError = 1;

/** A store that other processes cannot open until it is released. */
export class HeldStore {
  #database: SqliteDatabase | undefined;

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
      // Without prepared statements: the drop-in of older Nodes would keep the file open, and locked.
      this.#database?.exec("create temp table none (any check (any is null))");
      for (const table of ["card", "deck", "template", "key"])
        this.#database?.exec(`insert into none select 1 from "${table}" limit 1`);
      return true;
    } catch (error) {
      // A store that was only begun has no tables.
      return (error as { errcode?: unknown }).errcode === sqliteError;
    }
  }

  release(): void {
    this.#database?.close();
    this.#database = undefined;
  }
}
