import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { DeckhandError, NotConfiguredError } from "../../../../errors.ts";
import type { Tables } from "../../tables.ts";
import type { Engine } from "../engine.ts";
import { createMissing } from "../schema.ts";
import { poolFor } from "./driver.ts";
import { type DatabaseOptions, placeOf, poolConfig } from "./options.ts";
import { postgresProblem, stateOf } from "./problems.ts";
import { TurnTable } from "./turns.ts";

const newestVersion = 3;

const indexes: readonly string[] = [
  "key_account on key (account)",
  "deck_live on deck (account, live, sort, id)",
  "card_due_order on card (account, due_at, id) where ready = 1 and due_at is not null",
  "card_due on card (account, deck_id, due_at, pos, id) where ready = 1 and due_at is not null",
  "card_new on card (account, deck_id, pos, id) where ready = 1 and due_at is null",
  "attachment_hash on attachment (account, hash)",
  "unique content_hash on content (account, hash) where hash is not null",
  "content_unfinished on content (account, touched_at) where hash is null",
];

/** Updated by each request: room on its page lets PostgreSQL do so without touching the index. */
const turns = `create unlogged table if not exists turn (
  account text collate "C" primary key,
  holder text collate "C" not null,
  until bigint not null,
  recent bigint[] not null
) with (fillfactor = 50)`;

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

/**
 * Brings a database up to the newest version, whole or not at all: it gets the tables that it lacks. Another program that
 * does the same at the same time waits.
 */
async function bringUpToDate(db: Kysely<Tables>, migrates: boolean): Promise<void> {
  if ((await versionOf(db, migrates)) === newestVersion) return;
  // In a transaction of its own: two that create it at the same time fail, and then it is there.
  await sql`create table if not exists schema_version (version integer not null)`.execute(db).catch(() => {});
  await db.transaction().execute(async (transaction) => {
    await sql`lock table schema_version in exclusive mode`.execute(transaction);
    await versionOf(transaction, migrates);
    await sql.raw(turns).execute(transaction);
    await createMissing(transaction, "postgres", indexes);
    // Files are compressed already, for the most part.
    await sql`alter table content_part alter column bytes set storage external`.execute(transaction);
    await sql`delete from schema_version`.execute(transaction);
    await sql`insert into schema_version values (${newestVersion})`.execute(transaction);
  });
}

/** The version of a database; 0 for an empty one. @throws DeckhandError for one that is not to be used or migrated */
async function versionOf(db: Kysely<Tables>, migrates: boolean): Promise<number> {
  const found = await sql<{
    name: string | null;
  }>`select to_regclass('schema_version')::text as name`.execute(db);
  const ask = sql<{ version: number }>`select version from schema_version`;
  const version = found.rows[0]?.name == null ? 0 : ((await ask.execute(db)).rows[0]?.version ?? 0);
  if (version > newestVersion)
    throw new DeckhandError("refused", "the database was set up by a newer deckhand", {
      hint: "Install that version or a later one; nothing was changed.",
    });
  if (version !== 0 && version < newestVersion && !migrates)
    throw new DeckhandError("refused", "the database was set up by an older deckhand", {
      hint: "Run `deckhand serve migrate` with the same --database.",
    });
  return version;
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

function unusable(url: string, cause: unknown): DeckhandError {
  const reason = (cause as { cause?: unknown }).cause ?? cause;
  const why =
    reason instanceof Error && reason.message !== "" ? reason.message : (stateOf(cause) ?? String(reason));
  return new NotConfiguredError(`cannot use the database ${placeOf(url)}: ${why}`, { cause });
}
