import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { DefaultQueryExecutor, type Dialect, QueryCreator, type TransactionSettings } from "kysely";
import { DeckhandError, NotConfiguredError } from "../../errors.ts";
import { Problem } from "../errors.ts";
import { type Engine, engineProblem, openSqlite } from "./dialects/sqlite.ts";
import type { Db, Tables } from "./tables.ts";

/** The number of the newest migration. Told here so that a store that is up to date is opened without loading them. */
export const newestVersion = 2;

export interface Store {
  /** For questions that need no transaction; never inside one, which would wait for itself. */
  readonly db: Db;
  /** The folder of everything the store keeps. */
  readonly folder: string;
  /** Runs `work` in a transaction that holds the write lock from its start. */
  write<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Runs `work` on one state of the store, whatever other processes write meanwhile. */
  read<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Closing it again does nothing. */
  close(): Promise<void>;
}

/**
 * Opens the store in a folder, making both where they are missing (for the owner only) and bringing an older store up to
 * date.
 *
 * @throws DeckhandError for a store of a newer program, which is left untouched, and for a file that is no store.
 */
export async function openStore(folder: string): Promise<Store> {
  const file = join(folder, "store.sqlite");
  let engine: Engine | undefined;
  try {
    if (!existsSync(file)) prepareFolder(folder, file);
    engine = openSqlite(file);
    await bringUpToDate(engine, file);
    return storeOf(engine.dialect, folder);
  } catch (error) {
    engine?.close();
    throw error instanceof DeckhandError ? error : unusable(file, error);
  }
}

/**
 * The queries and transactions of a dialect. Kysely's own facade does the same, but brings its schema builder with it,
 * which only migrations need: a third of what there is to load.
 */
function storeOf(dialect: Dialect, folder: string): Store {
  const [driver, compiler, adapter] = [
    dialect.createDriver(),
    dialect.createQueryCompiler(),
    dialect.createAdapter(),
  ];
  type Use<T> = (connection: Awaited<ReturnType<typeof driver.acquireConnection>>) => Promise<T>;
  const withConnection = async <T>(use: Use<T>): Promise<T> => {
    const connection = await driver.acquireConnection();
    try {
      return await use(connection);
    } finally {
      // Nobody waits for that: who asked has the answer.
      void driver.releaseConnection(connection);
    }
  };
  const dbOver = (provideConnection: <T>(use: Use<T>) => Promise<T>): Db => {
    const executor = new DefaultQueryExecutor(compiler, adapter, { provideConnection });
    const executeQuery: Db["executeQuery"] = (query) => provideConnection((use) => use.executeQuery(query));
    return Object.assign(new QueryCreator<Tables>({ executor }), { executeQuery });
  };
  const transaction = <T>(settings: TransactionSettings, work: (db: Db) => Promise<T>): Promise<T> =>
    withConnection(async (connection) => {
      await driver.beginTransaction(connection, settings);
      try {
        const result = await work(dbOver((use) => use(connection)));
        await driver.commitTransaction(connection);
        return result;
      } catch (error) {
        await driver.rollbackTransaction(connection);
        throw error;
      }
    });
  let closed: Promise<void> | undefined;
  return {
    db: dbOver(withConnection),
    folder,
    write: (work) => transaction({}, work),
    read: (work) => transaction({ accessMode: "read only" }, work),
    close: () => {
      closed ??= driver.destroy();
      return closed;
    },
  };
}

/** Makes the folder and an empty store in it, for their owner only. */
function prepareFolder(folder: string, file: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  closeSync(openSync(file, "a", 0o600));
}

async function bringUpToDate(engine: Engine, file: string): Promise<void> {
  const refuseNewer = (version: number) => {
    if (version > newestVersion)
      throw new DeckhandError("refused", `the collection in ${file} was written by a newer deckhand`, {
        hint: "Install that version or a later one; nothing was changed.",
      });
  };
  const version = engine.version();
  refuseNewer(version);
  if (version === newestVersion) return;
  const { migrate } = await import("./migrations/index.ts");
  await migrate(engine, newestVersion, refuseNewer);
}

function unusable(file: string, error: unknown): DeckhandError {
  switch (engineProblem(error)) {
    case "busy":
      return new DeckhandError("server", `the collection in ${file} is in use by another program`, {
        cause: error,
      });
    case "full":
      return new DeckhandError("server", `there is no space left for the collection in ${file}`, {
        cause: error,
      });
    case "damaged":
      return new DeckhandError("refused", `${file} is not a collection, or it is damaged`, { cause: error });
    default:
      return new NotConfiguredError(`cannot open the collection in ${file}: ${reasonOf(error)}`, {
        hint: "Set DECKHAND_HOME to a folder that can be written.",
        cause: error,
      });
  }
}

/** Without the system's code, and the call that failed, which say nothing to who reads it. */
function reasonOf(error: unknown): string {
  return (error as Error).message.replace(/^E[A-Z]+: (.+?), \w+(?: '.*')?$/s, "$1");
}

const outOfSpace = new Set<unknown>(["ENOSPC", "EDQUOT"]);

/** The answer to a request that failed because of the store as a whole; undefined where the error is another one. */
export function storeProblem(error: unknown): Problem | undefined {
  // Attachments are files beside the database.
  const full = outOfSpace.has((error as { code?: unknown } | null)?.code);
  switch (full ? "full" : engineProblem(error)) {
    case "busy":
      return new Problem(503, ["another program is writing to the collection; try again"], {
        "retry-after": "1",
      });
    case "full":
      return new Problem(507, ["there is no space left for the collection; nothing was changed"]);
    case "read-only":
      return new Problem(500, ["the collection cannot be written to"]);
    case "damaged":
      return new Problem(500, ["the collection is damaged"]);
    default:
      return undefined;
  }
}
