import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { Kysely, type Transaction } from "kysely";
import { DeckhandError } from "../../errors.ts";
import { Problem } from "../errors.ts";
import { type Engine, engineProblem, openSqlite } from "./dialects/sqlite.ts";
import type { Tables } from "./tables.ts";

/** The number of the newest migration. Told here so that a store that is up to date is opened without loading them. */
export const newestVersion = 1;

export interface Store {
  readonly db: Kysely<Tables>;
  /** The folder of everything the store keeps. */
  readonly folder: string;
  /** Runs `work` in a transaction that holds the write lock from its start. */
  write<T>(work: (db: Transaction<Tables>) => Promise<T>): Promise<T>;
  /** Runs `work` on one state of the store, whatever other processes write meanwhile. */
  read<T>(work: (db: Transaction<Tables>) => Promise<T>): Promise<T>;
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
  if (!existsSync(file)) makeFolder(folder);
  const engine = open(file);
  const db = new Kysely<Tables>({ dialect: engine.dialect });
  try {
    await bringUpToDate(engine, db, file);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return {
    db,
    folder,
    write: (work) => db.transaction().execute(work),
    read: (work) => db.transaction().setAccessMode("read only").execute(work),
    close: () => db.destroy(),
  };
}

function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
}

function open(file: string): Engine {
  try {
    return openSqlite(file);
  } catch (error) {
    throw unusable(file, error);
  }
}

async function bringUpToDate(engine: Engine, db: Kysely<Tables>, file: string): Promise<void> {
  const refuseNewer = (version: number) => {
    if (version > newestVersion)
      throw new DeckhandError("refused", `the collection in ${file} was written by a newer deckhand`, {
        hint: "Install that version or a later one; nothing was changed.",
      });
  };
  let version: number;
  try {
    version = engine.version();
  } catch (error) {
    throw unusable(file, error);
  }
  refuseNewer(version);
  if (version === newestVersion) return;
  const { migrations } = await import("./migrations/index.ts");
  if (version === 0) engine.prepareNew();
  await db.transaction().execute(async (transaction) => {
    // Asked again under the lock: another process may have opened the store at the same moment.
    const found = engine.version();
    refuseNewer(found);
    for (let number = found + 1; number <= newestVersion; number++)
      await migrations[number]?.up(transaction as unknown as Kysely<never>);
    if (found < newestVersion) engine.setVersion(newestVersion);
  });
}

function unusable(file: string, error: unknown): unknown {
  const problem = engineProblem(error);
  if (problem === "busy")
    return new DeckhandError("server", `the collection in ${file} is in use by another program`, {
      cause: error,
    });
  if (problem === "damaged")
    return new DeckhandError("refused", `${file} is not a collection, or it is damaged`, { cause: error });
  return new DeckhandError("refused", `cannot open the collection in ${file}: ${(error as Error).message}`, {
    cause: error,
  });
}

/** The answer to a request that failed because of the store as a whole; undefined where the error is another one. */
export function storeProblem(error: unknown): Problem | undefined {
  switch (engineProblem(error)) {
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
