import {
  CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type Driver,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteQueryCompiler,
  type TransactionSettings,
} from "kysely";
import { loadSqlite, type SqliteDatabase, type SqliteStatement } from "../../../sqlite.ts";

/** An engine that holds one store. Nothing outside this file knows which. */
export interface Engine {
  readonly dialect: Dialect;
  /** The number of the last migration that ran, 0 for a new store. */
  version(): number;
  /** Said inside the transaction of the migrations, so that both happen or neither. */
  setVersion(version: number): void;
  /** Told once, before the first migration: what holds for the file as a whole. */
  prepareNew(): void;
  close(): void;
}

// Another process may be writing: how long to wait for it.
const busyTimeout = 10_000;
const keptStatements = 200;

/**
 * Opens a SQLite file. WAL lets other processes read while one writes; `synchronous=FULL` makes an acknowledged write
 * survive a crash of the machine.
 */
export function openSqlite(file: string): Engine {
  const database = new (loadSqlite())(file);
  try {
    database.exec(
      `pragma busy_timeout = ${busyTimeout}; pragma foreign_keys = on; pragma synchronous = full; pragma trusted_schema = off`,
    );
  } catch (error) {
    database.close();
    throw error;
  }
  return {
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new SqliteDriver(database),
      createQueryCompiler: () => new QueryCompiler(),
      createIntrospector: (): DatabaseIntrospector => {
        throw new Error("the store is not introspected");
      },
    },
    version: () =>
      Number((database.prepare("pragma user_version").all()[0] as { user_version: number }).user_version),
    setVersion: (version) => database.exec(`pragma user_version = ${version}`),
    prepareNew: () => database.exec("pragma journal_mode = wal"),
    close: () => database.close(),
  };
}

/** What went wrong with the engine rather than with the question. */
export type EngineProblem = "busy" | "full" | "read-only" | "damaged";

const problems: Readonly<Record<number, EngineProblem>> = {
  5: "busy",
  6: "busy",
  8: "read-only",
  11: "damaged",
  13: "full",
  26: "damaged",
};

// SQLITE_IOERR_SHMSIZE: no room for the file that processes share beside a store, without which it is not even read.
const noSharedMemory = 4874;

/** Reads an error that a query threw. */
export function engineProblem(error: unknown): EngineProblem | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  if (code === noSharedMemory) return "full";
  return typeof code === "number" ? problems[code & 0xff] : undefined;
}

class QueryCompiler extends SqliteQueryCompiler {
  /**
   * SQLite plans by what a limit is bound to, and compiles the statement anew each time that it is bound: for a short
   * question that is half of what the answer takes. It does not look into a cast.
   */
  protected override visitLimit(node: LimitNode): void {
    this.append("limit cast(");
    this.visitNode(node.limit);
    this.append(" as integer)");
  }
}

class SqliteDriver implements Driver {
  readonly #database: SqliteDatabase;
  readonly #connection: SqliteConnection;
  #taken = false;
  readonly #waiting: (() => void)[] = [];

  constructor(database: SqliteDatabase) {
    this.#database = database;
    this.#connection = new SqliteConnection(database);
  }

  async init(): Promise<void> {}

  /** There is one connection: who wants it waits until the transaction that has it is over. */
  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.#taken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#taken = true;
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    const next = this.#waiting.shift();
    // Handed on, so that nobody who comes later gets in between.
    if (next === undefined) this.#taken = false;
    else next();
  }

  /** A transaction that writes takes the write lock at once: two processes that read first and write then would clash. */
  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    await connection.executeQuery(
      CompiledQuery.raw(settings.accessMode === "read only" ? "begin" : "begin immediate"),
    );
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("commit"));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await connection.executeQuery(CompiledQuery.raw("rollback"));
    } catch {
      // SQLite has rolled back by itself (a full disk, for example); the first error is the one to tell.
    }
  }

  async destroy(): Promise<void> {
    this.#database.close();
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: SqliteDatabase;
  // Statements by their SQL: a request asks the same few questions again and again. Oldest first.
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = this.#statement(query.sql);
    if (givesRows(query)) return { rows: statement.all(...query.parameters) as Row[] };
    const { changes } = statement.run(...query.parameters);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }

  // biome-ignore lint/correctness/useYield: Kysely asks for a generator; nothing here streams.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error("the store does not stream");
  }

  #statement(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    if (this.#statements.size >= keptStatements) {
      for (const oldest of this.#statements.keys()) {
        this.#statements.delete(oldest);
        break;
      }
    }
    this.#statements.set(sql, statement);
    return statement;
  }
}

function givesRows({ query, sql }: CompiledQuery): boolean {
  if (query.kind === "SelectQueryNode") return true;
  if (query.kind === "RawNode") return /^\s*(?:select|with|explain|pragma)\b/i.test(sql);
  return "returning" in query && query.returning !== undefined;
}
