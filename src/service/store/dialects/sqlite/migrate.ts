import { Kysely, sql } from "kysely";
import { createMissing, memorySql } from "../schema.ts";
import type { SqliteFile } from "./file.ts";

const indexes: readonly string[] = [
  // Unique, though `id` alone makes it so: SQLite then sees that cards found deck by deck are in order.
  "unique deck_live on deck (account, live, sort, id)",
  "card_due on card (account, deck_id, ready, due_at, pos, id)",
  // Has all that the plan of a day needs of a card.
  `card_day on card (account, due_at, id, deck_id, ${memorySql.sqlite}) where ready = 1 and due_at is not null`,
  "attachment_hash on attachment (hash)",
];

/**
 * Brings a collection up to version `newest`, whole or not at all: it gets the tables that it lacks.
 *
 * @param refuse throws for a version that is too new or too old: another process may have migrated the collection meanwhile.
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
    // Of earlier versions; `card_day` has what was in it.
    await sql`drop index if exists card_due_order`.execute(transaction);
    await createMissing(transaction, "sqlite", indexes);
    await file.setVersion(transaction, newest);
  });
}
