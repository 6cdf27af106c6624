import { type Kysely, sql } from "kysely";
import { createMissing } from "../schema.ts";

const indexes: readonly string[] = [
  "key_account on key (account)",
  "deck_live on deck (account, live, sort, id)",
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
 * Brings a database up to version `newest`, whole or not at all: it gets the tables that it lacks. Another program that does
 * the same at the same time waits.
 *
 * @param refuse throws for a version that must not be migrated
 */
export async function migrate<T>(
  db: Kysely<T>,
  newest: number,
  refuse: (version: number) => void,
): Promise<void> {
  // In a transaction of its own: two that create it at the same time fail, and then it is there.
  await sql`create table if not exists schema_version (version integer not null)`.execute(db).catch(() => {});
  await db.transaction().execute(async (transaction) => {
    await sql`lock table schema_version in exclusive mode`.execute(transaction);
    refuse(await versionIn(transaction));
    await sql.raw(turns).execute(transaction);
    await createMissing(transaction, "postgres", indexes);
    // Files are compressed already, for the most part.
    await sql`alter table content_part alter column bytes set storage external`.execute(transaction);
    await sql`delete from schema_version`.execute(transaction);
    await sql`insert into schema_version values (${newest})`.execute(transaction);
  });
}

/** The version of a database; 0 for an empty one. */
export async function versionOf<T>(db: Kysely<T>): Promise<number> {
  const { rows } = await sql<{
    name: string | null;
  }>`select to_regclass('schema_version')::text as name`.execute(db);
  return rows[0]?.name == null ? 0 : versionIn(db);
}

async function versionIn<T>(db: Kysely<T>): Promise<number> {
  const { rows } = await sql<{ version: number }>`select version from schema_version`.execute(db);
  return rows[0]?.version ?? 0;
}
