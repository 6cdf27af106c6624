import { Kysely, sql } from "kysely";
import type { SqliteFile } from "../file.ts";
import { indexes, tables } from "./tables.ts";

/**
 * Brings a collection up to version `newest`, whole or not at all: one that is new or has it already gets the tables that
 * it lacks, those of commits before version 5 are completed first.
 *
 * @param refuse throws for a version that is too new: another process may have migrated the collection meanwhile.
 */
export async function migrate(
  file: SqliteFile,
  newest: number,
  refuse: (version: number) => void,
): Promise<void> {
  if (file.version() === 0) await file.prepareNew();
  const db = new Kysely<never>({ dialect: file.dialect });
  await db.transaction().execute(async (transaction) => {
    const found = file.version();
    refuse(found);
    if (found >= newest) return;
    for (const table of tables) await sql.raw(table).execute(transaction);
    if (found > 0) await (await import("./earlier.ts")).completeEarlier(transaction, found);
    for (const index of indexes) await sql.raw(index).execute(transaction);
    await file.setVersion(transaction, newest);
  });
}
