import { sql } from "kysely";
import { smallDocument } from "./documents.ts";
import { type Db, type Table, type TableName, tables } from "./tables.ts";

/** What belongs to accounts, in an order in which each row comes after those that it names. */
export const copiedTables = [
  "setting",
  "key",
  "account",
  "deck",
  "template",
  "card",
  "review",
  "attachment",
  "creation",
  "today_mark",
] as const satisfies readonly TableName[];
export type CopiedTable = (typeof copiedTables)[number];

/** The columns of a table, as they are copied: a row gets a new number. */
const columnsOf = (table: TableName) =>
  Object.entries<Table["columns"][string]>(tables[table].columns)
    .filter(([, { type }]) => type !== "serial")
    .map(([column]) => column);

/** The columns of each table that is copied: also for what comes from elsewhere. */
export const knownTables = Object.fromEntries(
  copiedTables.map((table) => [table, columnsOf(table)] as const),
);

type CopiedRow = Readonly<Record<string, unknown>>;

const together = 100;

/** Whether no account has anything. */
export async function isEmpty(db: Db): Promise<boolean> {
  for (const table of ["key", "deck", "template", "card"] as const)
    if ((await db.selectFrom(table).select("account").limit(1).executeTakeFirst()) !== undefined)
      return false;
  return true;
}

/** All rows of a table, some at a time; one with a large document by itself. */
export async function* rowsAfter(db: Db, table: CopiedTable): AsyncGenerator<readonly CopiedRow[], void> {
  const key: readonly string[] = tables[table].key;
  const document = table === "deck" || table === "template" || table === "card" ? table : undefined;
  let last: CopiedRow | undefined;
  do {
    const rows = await nextRows(db, table, document, last);
    last = rows.length < together ? undefined : rows.at(-1);
    const isSmall = (row: CopiedRow) => document === undefined || row["document"] !== null;
    yield rows.filter(isSmall);
    for (const row of rows.filter((each) => !isSmall(each))) {
      const whole = db.selectFrom(document ?? "card").select("document");
      const keys = key.reduce((query, column) => query.where(sql.ref(column), "=", row[column]), whole);
      yield [{ ...row, ...(await keys.executeTakeFirstOrThrow()) }];
    }
  } while (last !== undefined);
}

async function nextRows(
  db: Db,
  table: CopiedTable,
  document: "deck" | "template" | "card" | undefined,
  last: CopiedRow | undefined,
): Promise<readonly CopiedRow[]> {
  const key: readonly string[] = tables[table].key;
  const plain = [...new Set([...key, ...columnsOf(table)])].filter((column) => column !== "document");
  const list = plain.map((column) => sql`${sql.ref(column)}`);
  if (document !== undefined) list.push(sql`${smallDocument(document).expression} as document`);
  const keys = sql.join(key.map((column) => sql.ref(column)));
  const after = last && sql`where (${keys}) > (${sql.join(key.map((column) => last[column]))})`;
  const query = sql<CopiedRow>`
    select ${sql.join(list)} from ${sql.table(table)} ${after ?? sql``} order by ${keys} limit ${sql.lit(together)}`;
  return (await query.execute(db)).rows;
}

/** Inserts rows. What an account or the store has set for itself is replaced. */
export async function writeRows(db: Db, table: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const key: readonly string[] = tables[table].key;
  const columns = columnsOf(table);
  const list = (names: readonly string[]) => sql.join(names.map((column) => sql.ref(column)));
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  const changes = columns.filter((column) => !key.includes(column));
  const sets = sql.join(changes.map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`));
  const replace = table === "setting" || table === "account";
  await sql`
    insert into ${sql.table(table)} (${list(columns)}) values ${sql.join(values)}
    ${replace ? sql`on conflict (${list(key)}) do update set ${sets}` : sql``}`.execute(db);
}
