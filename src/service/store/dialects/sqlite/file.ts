import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Kysely,
  type SqliteStatement as KyselyStatement,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { systemClock } from "../../../../files/clock.ts";
import { loadSqlite, type SqliteDatabase } from "../../../../sqlite.ts";
import type { EngineProblem } from "../engine.ts";

// How long opening a store waits for a process that is setting the same store up, in milliseconds.
const openTimeout = 10_000;

/**
 * An open SQLite file. WAL lets other processes read while one writes; `synchronous=FULL` makes an acknowledged write
 * survive a crash of the machine.
 */
export class SqliteFile {
  readonly dialect: Dialect;
  readonly #database: SqliteDatabase;
  #closed = false;

  constructor(path: string) {
    this.#database = new (loadSqlite())(path);
    try {
      this.#database.exec(
        `pragma busy_timeout = ${openTimeout}; pragma foreign_keys = on; pragma synchronous = full; pragma trusted_schema = off`,
      );
    } catch (error) {
      this.close();
      throw error;
    }
    const database = { prepare: statementsOf(this.#database), close: () => this.close() };
    this.dialect = {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new LockingDriver({ database }),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    };
  }

  /** The number of the last migration that ran; 0 for a new store. */
  version(): number {
    const [row] = this.#database.prepare("pragma user_version").all() as { user_version: number }[];
    return Number(row?.user_version);
  }

  /** Records the number inside the transaction of the migrations, so that both take effect or neither. */
  async setVersion(transaction: Kysely<never>, version: number): Promise<void> {
    await transaction.executeQuery(CompiledQuery.raw(`pragma user_version = ${version}`));
  }

  /** Sets what is stored with the file, before the first migration. Waits for other processes that do the same. */
  prepareNew(): Promise<void> {
    return startWal(this.#database);
  }

  /** From here on a locked database is reported at once, as "busy", instead of blocking the event loop. */
  stopBlocking(): void {
    this.#database.exec("pragma busy_timeout = 0");
  }

  /** May be called again. */
  close(): void {
    if (!this.#closed) this.#database.close();
    this.#closed = true;
  }
}

/** Waits by itself: where two processes begin this at once, SQLite reports a lock to one of them without waiting. */
async function startWal(database: SqliteDatabase): Promise<void> {
  for (const end = Date.now() + openTimeout; ; await systemClock.wait(5)) {
    try {
      return database.exec("pragma journal_mode = wal");
    } catch (error) {
      if (sqliteProblem(error) !== "busy" || Date.now() > end) throw error;
    }
  }
}

const problems: Readonly<Record<number, EngineProblem>> = {
  5: "busy",
  6: "busy",
  8: "read-only",
  11: "damaged",
  13: "full",
  26: "damaged",
};

// SQLITE_IOERR_SHMSIZE: no space for the shared memory file beside the store, without which it cannot even be read.
const noSharedMemory = 4874;

/** Classifies an error of the engine, also one of opening a file. */
export function sqliteProblem(error: unknown): EngineProblem | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  if (code === noSharedMemory) return "full";
  if (typeof code === "number") return problems[code & 0xff];
  // The drop-in of older Nodes gives the errors of prepared statements no code.
  return error instanceof Error && error.message === "database disk image is malformed"
    ? "damaged"
    : undefined;
}

class LockingDriver extends SqliteDriver {
  /** A transaction takes the write lock first: two that read before they write would deadlock. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("begin immediate"));
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection);
    } catch {
      // SQLite has rolled back already, on a full disk for example. The caller reports the first error.
    }
  }
}

// More than the program has queries.
const keptStatements = 200;

/** Prepared statements by their SQL, in the form that Kysely expects: preparing takes longer than most queries. */
function statementsOf(database: SqliteDatabase): (sql: string) => KyselyStatement {
  const prepared = new Map<string, KyselyStatement>();
  return (sql) => {
    const known = prepared.get(sql);
    if (known !== undefined) return known;
    if (prepared.size >= keptStatements) prepared.clear();
    const statement = database.prepare(sql);
    const made: KyselyStatement = {
      // Whether it returns rows.
      reader: /^\s*(?:select|with|explain|pragma)\b|\breturning\b/i.test(sql),
      all: (parameters) => statement.all(...parameters),
      run: (parameters) => ({ lastInsertRowid: 0, ...statement.run(...parameters) }),
      iterate: (parameters) =>
        statement.iterate(...parameters)[Symbol.iterator]() as IterableIterator<unknown>,
    };
    prepared.set(sql, made);
    return made;
  };
}
