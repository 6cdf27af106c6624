import { closeSync, openSync } from "node:fs";
import { loadSqlite, type SqliteDatabase } from "../../sqlite.ts";

// How long another process may hold the write lock, in milliseconds.
const patience = 10_000;

/**
 * Copies a SQLite store as it is at one moment into a new file, which only its owner can read. Other processes go on
 * reading and writing.
 *
 * @throws what SQLite says, for a damaged store for example
 */
export function snapshot(store: string, target: string): void {
  closeSync(openSync(target, "wx", 0o600));
  using(store, (database) => {
    // Waits for the transaction in progress, which may not have seen yet that a backup is made.
    database.exec(`pragma busy_timeout = ${patience}; begin immediate; commit`);
    // Not as a parameter: the drop-in of older Nodes keeps a file open as long as there is a prepared statement.
    database.exec(`vacuum into '${target.replaceAll("'", "''")}'`);
  });
}

/** The hashes of all attachments that a store names. */
export const attachmentHashes = (store: string): string[] =>
  using(store, (database) =>
    valuesOf(database, "hash", "(select distinct hash from attachment order by hash)"),
  );

/** How many items a store has, of all accounts together, those in the trash included. */
export function countsOf(store: string) {
  return using(store, (database) => {
    const rowsOf = (table: string) => Number(valuesOf(database, "count(*)", table)[0]);
    return {
      decks: rowsOf("deck"),
      cards: rowsOf("card"),
      reviews: rowsOf("review"),
      attachments: rowsOf("attachment"),
    };
  });
}

/** Opens a SQLite file while `work` runs. */
export function using<T>(path: string, work: (database: SqliteDatabase) => T): T {
  const database = new (loadSqlite())(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/**
 * A value of each row of a table, as text. Without a prepared statement, by which the drop-in of older Nodes would keep the
 * file open: who replaces it would find it in use.
 */
export function valuesOf(database: SqliteDatabase, expression: string, table: string): string[] {
  const values: string[] = [];
  database.function("note", (value) => {
    values.push(String(value));
    return null;
  });
  database.exec(`select note(${expression}) from ${table}`);
  return values;
}
