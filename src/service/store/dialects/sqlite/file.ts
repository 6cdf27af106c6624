import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Kysely,
  SqliteAdapter,
  SqliteDriver,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import { systemClock } from "../../../../files/clock.ts";
import { loadSqlite, type SqliteDatabase, type SqliteStatement } from "../../../../sqlite.ts";
import type { EngineProblem } from "../engine.ts";

// How long opening a store waits for a process that is setting the same store up, in milliseconds.
const openTimeout = 10_000;

/** An open SQLite file. */
export interface SqliteFile {
  readonly dialect: Dialect;
  /** The number of the last migration that ran; 0 for a new store. */
  version(): number;
  /** Records the number inside the transaction of the migrations, so that both take effect or neither. */
  setVersion(transaction: Kysely<never>, version: number): Promise<void>;
  /** Sets what is stored with the file, before the first migration. Waits for other processes that do the same. */
  prepareNew(): Promise<void>;
  /** From here on a locked database is reported at once, as "busy", instead of blocking the event loop. */
  stopBlocking(): void;
  /** May be called again. */
  close(): void;
}

/**
 * Opens a SQLite file. WAL lets other processes read while one writes; `synchronous=FULL` makes an acknowledged write
 * survive a crash of the machine.
 */
export function openFile(path: string): SqliteFile {
  const database = new (loadSqlite())(path);
  let closed = false;
  const close = () => {
    if (!closed) database.close();
    closed = true;
  };
  try {
    database.exec(
      `pragma busy_timeout = ${openTimeout}; pragma foreign_keys = on; pragma synchronous = full; pragma trusted_schema = off`,
    );
  } catch (error) {
    close();
    throw error;
  }
  const statements = new Statements(database);
  return {
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () =>
        new LockingDriver({ database: { prepare: (sql) => statements.prepare(sql), close } }),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    },
    version() {
      const [row] = database.prepare("pragma user_version").all() as { user_version: number }[];
      return Number(row?.user_version);
    },
    async setVersion(transaction, version) {
      await transaction.executeQuery(CompiledQuery.raw(`pragma user_version = ${version}`));
    },
    prepareNew: () => startWal(database),
    stopBlocking: () => database.exec("pragma busy_timeout = 0"),
    close,
  };
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
class Statements {
  readonly #database: SqliteDatabase;
  readonly #prepared = new Map<string, Prepared>();

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    if (this.#prepared.size >= keptStatements) this.#prepared.clear();
    const prepared = new Prepared(this.#database.prepare(sql), sql);
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

class Prepared {
  readonly #statement: SqliteStatement;
  /** Whether it returns rows. */
  readonly reader: boolean;

  constructor(statement: SqliteStatement, sql: string) {
    this.#statement = statement;
    this.reader = /^\s*(?:select|with|explain|pragma)\b|\breturning\b/i.test(sql);
  }

  all(parameters: readonly unknown[]): unknown[] {
    return this.#statement.all(...parameters);
  }

  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return { lastInsertRowid: 0, ...this.#statement.run(...parameters) };
  }

  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return this.#statement.iterate(...parameters)[Symbol.iterator]() as IterableIterator<unknown>;
  }
}
