import type { Kysely } from "kysely";
import { completeFirstCards } from "./first-cards.ts";

/** The days of an account's user: due dates stored before are kept as they are. */
export async function up(db: Kysely<never>): Promise<void> {
  await completeFirstCards(db);
  await db.schema
    .createTable("account")
    .addColumn("account", "text", (c) => c.primaryKey())
    .addColumn("time_zone", "text")
    .addColumn("day_starts_at", "integer")
    .execute();
}
