import { type Kysely, sql } from "kysely";
import * as first from "./0001-first.ts";
import * as today from "./0003-today.ts";

interface Migration {
  up<T>(db: Kysely<T>): Promise<void>;
}

/** Every migration by its number. They run in order, in one transaction; one that was released never changes. */
const migrations: Readonly<Record<number, Migration>> = {
  1: first,
  2: {
    up: async (db) => {
      await sql`create table creation (
        account text collate "C" not null,
        id text collate "C" not null,
        hash text not null,
        primary key (account, id)
      )`.execute(db);
    },
  },
  3: today,
};

/**
 * Brings a database up to version `newest`, whole or not at all. Another program that does the same at the same time waits.
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
    const found = await versionIn(transaction);
    refuse(found);
    for (let number = found + 1; number <= newest; number++) await migrations[number]?.up(transaction);
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
