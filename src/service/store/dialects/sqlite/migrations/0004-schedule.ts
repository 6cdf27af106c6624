import type { Kysely } from "kysely";

/** The trained parameters of an account. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable("account").addColumn("schedule", "text").execute();
}
