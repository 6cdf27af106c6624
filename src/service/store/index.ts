import { Kysely } from "kysely";
import type { Engine, EngineProblem, Turns } from "./dialects/engine.ts";
import type { DatabaseOptions } from "./dialects/postgres/options.ts";
import { openSqlite } from "./dialects/sqlite/index.ts";
import type { Db, Tables } from "./tables.ts";

// How long a request is tried again, in milliseconds: while another process writes, or until the database is back.
const longestWait: Readonly<Record<string, number>> = { busy: 10_000, away: 2_000 };

/**
 * The store of the service. All access goes through `read` and `write`. Both repeat their work while another process holds
 * the lock of the database, or while the database cannot be reached, without blocking the event loop. So work may run more
 * than once, and must not call `read` or `write` itself.
 */
export class Store {
  readonly #engine: Engine;
  readonly #db: Kysely<Tables>;
  /** Transactions that are under way or wait. */
  #transactions = 0;
  /** For reads meanwhile, where an embedded database has one connection. */
  #beside: Kysely<Tables> | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#db = new Kysely<Tables>({ dialect: engine.dialect });
  }

  /** Runs queries. Each sees what is committed when it runs: no answer needs two of them to agree. */
  read<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.#whenFree(() => work(this.#forReads()));
  }

  /**
   * Runs `work` in a transaction. No other one writes to the account meanwhile.
   *
   * @param account undefined for what belongs to no account
   */
  write<T>(account: string | undefined, work: (db: Db) => Promise<T>): Promise<T> {
    const { shared } = this.#engine;
    return this.#inTransaction(() =>
      this.#db.transaction().execute(async (db) => {
        if (account !== undefined) await shared?.lockAccount(db, account);
        return work(db);
      }),
    );
  }

  /** Runs queries that see one state of the store. In an embedded database writers wait meanwhile. */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const transaction = this.#db
      .transaction()
      .setIsolationLevel("repeatable read")
      .setAccessMode("read only");
    return this.#inTransaction(() => transaction.execute(work));
  }

  /** The turns of accounts where several servers share the store; undefined where this process is the only one. */
  get turns(): Turns | undefined {
    const turns = this.#engine.shared?.turns;
    return (
      turns && {
        take: (account, claim) => this.#whenFree(() => turns.take(account, claim)),
        renew: (held, lease) => this.#whenFree(() => turns.renew(held, lease)),
        give: (account, holder) => this.#whenFree(() => turns.give(account, holder)),
      }
    );
  }

  /** Whether requests can be carried out: the database takes writes, and another server has not brought its tables further. */
  isCurrent(): Promise<boolean> {
    return this.#whenFree(async () => (await this.#engine.shared?.isCurrent()) ?? true);
  }

  /** The answer to a request that failed because of the store as a whole; undefined for any other error. */
  failureOf(error: unknown): StoreFailure | undefined {
    const kind = fileProblem(error) ?? this.#engine.problemOf(error);
    return kind === undefined ? undefined : failures[kind];
  }

  async close(): Promise<void> {
    await this.#beside?.destroy();
    await this.#db.destroy();
    await this.#engine.close();
  }

  /** A transaction may take seconds, such as one that computes every due date again. */
  #forReads(): Kysely<Tables> {
    const { openBeside } = this.#engine;
    if (this.#transactions === 0 || openBeside === undefined) return this.#db;
    this.#beside ??= new Kysely<Tables>({ dialect: openBeside() });
    return this.#beside;
  }

  async #inTransaction<T>(attempt: () => Promise<T>): Promise<T> {
    this.#transactions++;
    try {
      return await this.#whenFree(attempt);
    } finally {
      this.#transactions--;
    }
  }

  async #whenFree<T>(attempt: () => Promise<T>): Promise<T> {
    // Not performance.now(): its first use loads more of Node, and each command gets here.
    const began = process.uptime() * 1000;
    for (let pause = 1; ; pause = Math.min(pause * 2, 32)) {
      try {
        return await attempt();
      } catch (error) {
        const wait = longestWait[this.#engine.problemOf(error) ?? ""] ?? 0;
        if (process.uptime() * 1000 > began + wait) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

interface StoreFailure {
  readonly status: number;
  readonly message: string;
}

const failures: Readonly<Record<EngineProblem, StoreFailure>> = {
  busy: { status: 503, message: "another program is writing to the collection; try again" },
  away: { status: 503, message: "the database cannot be reached; nothing was changed, try again" },
  uncertain: {
    status: 500,
    message: "the database was lost while this was saved: check whether it was before sending it again",
  },
  "too-long": { status: 413, message: "a position or a name is too long for the database" },
  full: { status: 507, message: "there is no space left for the collection; nothing was changed" },
  "read-only": { status: 500, message: "the collection cannot be written to" },
  damaged: {
    status: 500,
    message: "the collection is damaged; `deckhand check --repair` rescues what can be read",
  },
};

/** Attachments are files beside the database: they fill the disk, too. */
function fileProblem(error: unknown): EngineProblem | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return code === "ENOSPC" || code === "EDQUOT" ? "full" : undefined;
}

/** Where a store is: a folder for the embedded database, or a database server. */
export type StorePlace = { readonly folder: string } | { readonly database: DatabaseOptions };

/**
 * Opens a store. In a folder, creates both if they are missing (readable by the owner only) and migrates an older store.
 *
 * @throws DeckhandError for a store of a newer program, which is left untouched, and for a file that is not a store.
 */
export async function openStore(place: StorePlace): Promise<Store> {
  if ("folder" in place) return new Store(await openSqlite(place.folder));
  const { openPostgres } = await import("./dialects/postgres/index.ts");
  return new Store(await openPostgres(place.database));
}

/** Opens a store once to bring its tables up to date. */
export async function migrateStore(place: StorePlace): Promise<void> {
  if ("folder" in place) return (await openStore(place)).close();
  const { openPostgres } = await import("./dialects/postgres/index.ts");
  // However long it takes.
  await (await openPostgres({ ...place.database, queryTimeout: 0 }, true)).close();
}
