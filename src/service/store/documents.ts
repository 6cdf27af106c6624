import { sql } from "kysely";
import { prepared } from "./prepared.ts";
import type { CardRow, Db, DeckRow, TemplateRow } from "./tables.ts";

// In bytes: a page of these can be held in memory.
const largestInList = 64 * 1024;

export type DocumentTable = "card" | "deck" | "template";
interface Rows {
  readonly card: CardRow;
  readonly deck: DeckRow;
  readonly template: TemplateRow;
}

const withId = (db: Db, table: DocumentTable, account: string, id: string) =>
  db.selectFrom(table).where("account", "=", account).where("id", "=", id);

export async function rowById<T extends DocumentTable>(
  db: Db,
  table: T,
  account: string,
  id: string,
): Promise<Rows[T] | undefined> {
  const row = await withId(db, table, account, id).selectAll().executeTakeFirst();
  return row as unknown as Rows[T] | undefined;
}

const existing = {
  card: existingIn("card"),
  deck: existingIn("deck"),
  template: existingIn("template"),
};

function existingIn(table: DocumentTable) {
  return prepared((db, { account, id }: { readonly account: string; readonly id: string }) =>
    withId(db, table, account, id).select("id"),
  );
}

export async function exists(db: Db, table: DocumentTable, account: string, id: string): Promise<boolean> {
  return (await existing[table](db, { account, id })).length > 0;
}

/** The document of one row; undefined if it was deleted. */
export async function documentOf(
  db: Db,
  table: DocumentTable,
  account: string,
  id: string,
): Promise<string | undefined> {
  return (await withId(db, table, account, id).select("document").executeTakeFirst())?.document;
}

/** The document of a row in a list, or null if it is too large to be read with others. */
export function smallDocument(table: DocumentTable) {
  const document = sql.ref(`${table}.document`);
  return sql<
    string | null
  >`case when octet_length(${document}) <= ${sql.lit(largestInList)} then ${document} end`.as("document");
}

/** The condition that a list continues after a place. @param columns by which it is sorted, `pos` as its bytes */
export const beyond = (columns: readonly string[], values: readonly unknown[]) =>
  sql<boolean>`(${sql.join(columns.map((column) => sql.ref(column)))}) > (${sql.join(values)})`;
