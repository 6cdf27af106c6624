import { Kysely } from "kysely";
import type { Engine, EngineProblem } from "./dialects/engine.ts";
import { openSqlite } from "./dialects/sqlite/index.ts";
import type { Db, Tables } from "./tables.ts";

// How long a request waits for another process that is writing, in milliseconds.
const patience = 10_000;

/**
 * The store of the service. All access goes through `read` and `write`: each runs its work again while another process
 * holds the database locked, and leaves the event loop free meanwhile. So work may run more than once, and must not call
 * `read` or `write` itself.
 */
export class Store {
  /** Where the store keeps its files. */
  readonly folder: string;
  readonly #engine: Engine;
  readonly #db: Kysely<Tables>;

  constructor(engine: Engine, folder: string) {
    this.folder = folder;
    this.#engine = engine;
    this.#db = new Kysely<Tables>({ dialect: engine.dialect });
  }

  /** Runs queries. Each sees what is committed when it runs: no answer needs two of them to agree. */
  read<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.#whenFree(() => work(this.#db));
  }

  /** Runs `work` in a transaction that holds the write lock from its start. */
  write<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.#whenFree(() => this.#db.transaction().execute(work));
  }

  /** The answer to a request that failed because of the store as a whole; undefined for any other error. */
  failureOf(error: unknown): StoreFailure | undefined {
    const kind = fileProblem(error) ?? this.#engine.problemOf(error);
    return kind === undefined ? undefined : failures[kind];
  }

  async close(): Promise<void> {
    await this.#db.destroy();
    await this.#engine.close();
  }

  async #whenFree<T>(attempt: () => Promise<T>): Promise<T> {
    // Not performance.now(): its first use loads more of Node, and each command gets here.
    const deadline = process.uptime() * 1000 + patience;
    for (let pause = 1; ; pause = Math.min(pause * 2, 32)) {
      try {
        return await attempt();
      } catch (error) {
        if (this.#engine.problemOf(error) !== "busy" || process.uptime() * 1000 > deadline) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

export interface StoreFailure {
  readonly status: number;
  readonly message: string;
}

const failures: Readonly<Record<EngineProblem, StoreFailure>> = {
  busy: { status: 503, message: "another program is writing to the collection; try again" },
  full: { status: 507, message: "there is no space left for the collection; nothing was changed" },
  "read-only": { status: 500, message: "the collection cannot be written to" },
  damaged: { status: 500, message: "the collection is damaged" },
};

/** Attachments are files beside the database: they fill the disk, too. */
function fileProblem(error: unknown): EngineProblem | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return code === "ENOSPC" || code === "EDQUOT" ? "full" : undefined;
}

/**
 * Opens the store in a folder. Creates both if they are missing (readable by the owner only) and migrates an older store.
 *
 * @throws DeckhandError for a store of a newer program, which is left untouched, and for a file that is not a store.
 */
export async function openStore(folder: string): Promise<Store> {
  return new Store(await openSqlite(folder), folder);
}
