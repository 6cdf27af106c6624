import { sql } from "kysely";
import type { Db } from "./tables.ts";

// In bytes: a page of these can be held in memory.
const largestInList = 64 * 1024;

type DocumentTable = "card" | "deck" | "template";

/** The document of a row in a list, or null if it is too large to be read with others. */
export function smallDocument(table: DocumentTable) {
  const document = sql.ref(`${table}.document`);
  return sql<
    string | null
  >`case when octet_length(${document}) <= ${sql.lit(largestInList)} then ${document} end`.as("document");
}

/** The document of one row; undefined if it was deleted. */
export async function documentOf(
  db: Db,
  table: DocumentTable,
  account: string,
  id: string,
): Promise<string | undefined> {
  const query = db.selectFrom(table).select("document").where("account", "=", account).where("id", "=", id);
  return (await query.executeTakeFirst())?.document;
}
