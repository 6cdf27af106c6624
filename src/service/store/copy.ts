import { sql } from "kysely";
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

// So many of the largest cards fit into memory.
const together = 25;

/** Whether no account has anything. */
export async function isEmpty(db: Db): Promise<boolean> {
  for (const table of ["key", "deck", "template", "card"] as const)
    if ((await db.selectFrom(table).select("account").limit(1).executeTakeFirst()) !== undefined)
      return false;
  return true;
}

const refs = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)));

/** All rows of a table, some at a time. */
export async function* rowsAfter(db: Db, table: CopiedTable): AsyncGenerator<readonly CopiedRow[], void> {
  const key: readonly string[] = tables[table].key;
  const columns = refs([...new Set([...key, ...columnsOf(table)])]);
  let last: CopiedRow | undefined;
  do {
    const from = last;
    const after = from && sql`where (${refs(key)}) > (${sql.join(key.map((column) => from[column]))})`;
    const { rows } = await sql<CopiedRow>`
      select ${columns} from ${sql.table(table)} ${after ?? sql``}
      order by ${refs(key)} limit ${sql.lit(together)}`.execute(db);
    last = rows.length < together ? undefined : rows.at(-1);
    yield rows;
  } while (last !== undefined);
}

/** Inserts rows. What an account or the store has set for itself is replaced. */
export async function writeRows(db: Db, table: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const key: readonly string[] = tables[table].key;
  const columns = columnsOf(table);
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  const changes = columns.filter((column) => !key.includes(column));
  const sets = sql.join(changes.map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`));
  const replace = table === "setting" || table === "account";
  await sql`
    insert into ${sql.table(table)} (${refs(columns)}) values ${sql.join(values)}
    ${replace ? sql`on conflict (${refs(key)}) do update set ${sets}` : sql``}`.execute(db);
}
