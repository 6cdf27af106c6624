import { sql } from "kysely";
import { smallDocument } from "./documents.ts";
import type { Db, Tables } from "./tables.ts";

/** What belongs to accounts, in an order in which each row comes after those that it names. */
export const copiedTables = [
  "settings",
  "keys",
  "accounts",
  "decks",
  "templates",
  "cards",
  "reviews",
  "attachments",
  "creations",
] as const;
export type CopiedTable = (typeof copiedTables)[number];

interface Shape {
  readonly name: keyof Tables;
  /** What its rows are read by, in this order; unique. */
  readonly order: readonly string[];
  readonly columns: readonly string[];
  /** Whether a row may be large: then its document is read by itself. */
  readonly document?: "card" | "deck" | "template";
}

const shapes: Readonly<Record<CopiedTable, Shape>> = {
  settings: { name: "setting", order: ["name"], columns: ["name", "value"] },
  keys: { name: "key", order: ["id"], columns: ["account", "hash", "created_at"] },
  accounts: {
    name: "account",
    order: ["account"],
    columns: ["account", "time_zone", "day_starts_at", "schedule"],
  },
  decks: {
    name: "deck",
    order: ["account", "id"],
    columns: ["account", "id", "parent_id", "sort", "ready", "live", "document", "checksum"],
    document: "deck",
  },
  templates: {
    name: "template",
    order: ["account", "id"],
    columns: ["account", "id", "pos", "document", "checksum"],
    document: "template",
  },
  cards: {
    name: "card",
    order: ["account", "id"],
    columns: ["account", "id", "deck_id", "pos", "ready", "due_at", "document", "facts", "checksum"],
    document: "card",
  },
  reviews: {
    name: "review",
    order: ["account", "card_id", "date"],
    columns: ["account", "card_id", "date", "due", "due_given", "remembered", "duration"],
  },
  attachments: {
    name: "attachment",
    order: ["account", "card_id", "file_name"],
    columns: ["account", "card_id", "file_name", "size", "type", "hash"],
  },
  creations: { name: "creation", order: ["account", "id"], columns: ["account", "id", "hash"] },
};

/** The columns of each table, as they are copied: also for what comes from elsewhere. */
export const knownTables = Object.fromEntries(
  Object.values(shapes).map(({ name, columns }) => [name, columns] as const),
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
  const { order, document } = shapes[table];
  let last: CopiedRow | undefined;
  do {
    const rows = await nextRows(db, shapes[table], last);
    last = rows.length < together ? undefined : rows.at(-1);
    const isSmall = (row: CopiedRow) => document === undefined || row["document"] !== null;
    yield rows.filter(isSmall);
    for (const row of rows.filter((each) => !isSmall(each))) {
      const whole = db.selectFrom(document ?? "card").select("document");
      const keys = order.reduce((query, column) => query.where(sql.ref(column), "=", row[column]), whole);
      yield [{ ...row, ...(await keys.executeTakeFirstOrThrow()) }];
    }
  } while (last !== undefined);
}

async function nextRows(db: Db, shape: Shape, last: CopiedRow | undefined): Promise<readonly CopiedRow[]> {
  const { name, order, columns, document } = shape;
  const plain = [...new Set([...order, ...columns])].filter((column) => column !== "document" || !document);
  const selected = [
    ...plain.map((column) => sql.ref(column)),
    ...(document ? [smallDocument(document)] : []),
  ];
  const [keys, place] = [sql.join(order.map((column) => sql.ref(column))), last];
  const after = place && sql`where (${keys}) > (${sql.join(order.map((column) => place[column]))})`;
  const list = sql.join(
    selected.map((each) => ("alias" in each ? sql`${each.expression} as document` : each)),
  );
  const query = sql<CopiedRow>`
    select ${list} from ${sql.table(name)} ${after ?? sql``} order by ${keys} limit ${sql.lit(together)}`;
  return (await query.execute(db)).rows;
}

/** Inserts rows. What an account or the store has set for itself is replaced. */
export async function writeRows(db: Db, table: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
  if (rows.length === 0) return;
  const { name, order, columns } = shapes[table];
  const list = (names: readonly string[]) => sql.join(names.map((column) => sql.ref(column)));
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => row[column]))})`);
  const changes = columns.filter((column) => !order.includes(column));
  const sets = sql.join(changes.map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`));
  const replace = name === "setting" || name === "account";
  await sql`
    insert into ${sql.table(name)} (${list(columns)}) values ${sql.join(values)}
    ${replace ? sql`on conflict (${list(order)}) do update set ${sets}` : sql``}`.execute(db);
}
