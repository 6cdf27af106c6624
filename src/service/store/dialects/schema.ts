import { type QueryExecutorProvider, sql } from "kysely";
import { type Column, type Table, tables } from "../tables.ts";

type Engine = "sqlite" | "postgres";

/** Texts that are compared or sorted have the collation "C" in PostgreSQL: their order is that of SQLite. */
const types: Readonly<Record<Engine, Readonly<Record<Column["type"], string>>>> = {
  sqlite: {
    name: "text",
    text: "text",
    bytes: "blob",
    integer: "integer",
    long: "integer",
    real: "real",
    serial: "integer primary key autoincrement",
  },
  postgres: {
    name: 'text collate "C"',
    text: "text",
    bytes: "bytea",
    integer: "integer",
    long: "bigint",
    real: "double precision",
    serial: "bigint generated always as identity primary key",
  },
};

/** The memory of a card, as SQL. That of SQLite is in an index: it must not fail on facts that are damaged. */
export const memorySql: Readonly<Record<Engine, string>> = {
  sqlite: "(case when json_valid(facts) then facts -> 'memory' end)",
  postgres: "(facts::json -> 'memory')",
};

/** Every list and due query walks one of these. */
const indexes: readonly string[] = [
  "deck_order on deck (account, sort, id)",
  "deck_siblings on deck (account, parent_id, sort)",
  "template_order on template (account, pos, id)",
  "card_order on card (account, deck_id, pos, id)",
  "review_date on review (account, date)",
];

/**
 * Creates the tables that a collection lacks, then the indexes: of a new one all, of one of an earlier version those that
 * were added since.
 *
 * @param own further indexes of the engine: what follows `create index`, with `unique` before it if need be
 */
export async function createMissing(
  db: QueryExecutorProvider,
  engine: Engine,
  own: readonly string[],
): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(db);
  for (const [name, table] of Object.entries<Table>(tables))
    if ((table.only ?? engine) === engine)
      await run(`create table if not exists ${declared(name, table, engine)}`);
  for (const index of [...indexes, ...own]) {
    const [kind, rest] = index.startsWith("unique ") ? ["unique index", index.slice(7)] : ["index", index];
    await run(`create ${kind} if not exists ${rest}`);
  }
}

function declared(name: string, { columns, key, of }: Table, engine: Engine): string {
  const parts = Object.entries(columns).map(([column, each]) => `${column} ${columnOf(each, engine)}`);
  if (!Object.values(columns).some(({ type }) => type === "serial"))
    parts.push(`primary key (${key.join(", ")})`);
  if (of !== undefined)
    parts.push(`foreign key (account, ${of.column}) references ${of.table} (account, id) on delete cascade`);
  return `${name} (${parts.join(", ")})${engine === "sqlite" && name === "creation" ? " without rowid" : ""}`;
}

function columnOf(column: Column, engine: Engine): string {
  const type = types[engine][column.type];
  if (column.type === "serial" || column.nullable) return type;
  return `${type} not null${column.unique ? " unique" : ""}${column.default === undefined ? "" : " default 0"}`;
}
