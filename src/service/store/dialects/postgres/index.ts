import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { DeckhandError, NotConfiguredError } from "../../../../errors.ts";
import type { Tables } from "../../tables.ts";
import type { Engine } from "../engine.ts";
import { poolFor } from "./driver.ts";
import { migrate, versionOf } from "./migrate.ts";
import { type DatabaseOptions, placeOf, poolConfig } from "./options.ts";
import { postgresProblem, stateOf } from "./problems.ts";
import { TurnTable } from "./turns.ts";

const newestVersion = 3;

/**
 * Opens the store in a PostgreSQL database. An empty one is set up.
 *
 * @param migrates whether tables of an older program are brought up to date
 * @throws DeckhandError for a database that cannot be reached, is older, or is newer than the program; it is unchanged then
 */
export async function openPostgres(options: DatabaseOptions, migrates = false): Promise<Engine> {
  const engine = connect(options);
  try {
    await bringUpToDate(engine.db, migrates);
    return engine;
  } catch (error) {
    await engine.close();
    throw error instanceof DeckhandError ? error : unusable(options.url, error);
  }
}

async function bringUpToDate(db: Kysely<Tables>, migrates: boolean): Promise<void> {
  const version = await versionOf(db);
  refuse(version, migrates);
  if (version !== newestVersion) await migrate(db, newestVersion, (found) => refuse(found, migrates));
}

/** An engine whose schema is not known. */
function connect(options: DatabaseOptions): Engine & { readonly db: Kysely<Tables> } {
  const pool = new pg.Pool({ ...poolConfig(options), types: { getTypeParser } });
  // An idle connection failed. The pool has removed it; without a listener the error would end the process.
  pool.on("error", () => {});
  const dialect = new PostgresDialect({ pool: poolFor(pool) });
  const db = new Kysely<Tables>({ dialect });
  return {
    db,
    dialect,
    problemOf: postgresProblem,
    shared: {
      lockAccount,
      turns: new TurnTable(db),
      isCurrent: () => isCurrent(db),
    },
    async close() {
      if (!pool.ending) await pool.end();
    },
  };
}

const { types } = pg;
const bigints = 20;
const bigintLists = 1016;

/** Instants and sizes fit into a number; `pg` would give them as text. */
function getTypeParser(type: number, format?: "text" | "binary") {
  if (type === bigints && format !== "binary") return Number;
  if (type === bigintLists && format !== "binary")
    return (text: string) => text.slice(1, -1).split(",").filter(Boolean).map(Number);
  return types.getTypeParser(type, format as "text");
}

/** Whether the schema is that of this program, and the server takes writes: a standby does not until it is promoted. */
async function isCurrent(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ version: number; readonly: string }>`
    select version, current_setting('transaction_read_only') as readonly from schema_version`.execute(db);
  return rows[0]?.version === newestVersion && rows[0].readonly === "off";
}

/** A row of its own for each account: locking it works on every database that speaks the protocol. */
async function lockAccount(db: Kysely<Tables>, account: string): Promise<void> {
  const lock = db.selectFrom("account").select("account").where("account", "=", account).forUpdate();
  if ((await lock.executeTakeFirst()) !== undefined) return;
  await sql`insert into account (account) values (${account}) on conflict do nothing`.execute(db);
  await lock.executeTakeFirst();
}

function refuse(version: number, migrates: boolean): void {
  if (version > newestVersion)
    throw new DeckhandError("refused", "the database was set up by a newer deckhand", {
      hint: "Install that version or a later one; nothing was changed.",
    });
  if (version !== 0 && version < newestVersion && !migrates)
    throw new DeckhandError("refused", "the database was set up by an older deckhand", {
      hint: "Run `deckhand serve migrate` with the same --database.",
    });
}

function unusable(url: string, cause: unknown): DeckhandError {
  const reason = (cause as { cause?: unknown }).cause ?? cause;
  const why =
    reason instanceof Error && reason.message !== "" ? reason.message : (stateOf(cause) ?? String(reason));
  return new NotConfiguredError(`cannot use the database ${placeOf(url)}: ${why}`, { cause });
}
