import { loadSqlite, type SqliteDatabase } from "../sqlite.ts";

/** Bytes of one value or row: a card, a note, or a note type with all its templates is far below it. */
export const longestValue = 64 * 1024 * 1024;
const limits = { length: longestValue, sqlLength: 1024 * 1024, exprDepth: 100 };

/** Which columns of which tables are read. */
export type KnownTables = Readonly<Record<string, readonly string[]>>;

/**
 * Opens a SQLite file that comes from elsewhere. Its schema is not trusted: only plain tables that are known are kept in
 * it, so that no trigger, view, virtual table, generated column or index of its author is ever run. The file is changed:
 * it has to be a copy.
 *
 * @throws Error for a generated column; what SQLite says for a file that is damaged or is no database
 */
export function openForeign(file: string, known: KnownTables): SqliteDatabase {
  const names = Object.keys(known).map((name) => `'${name}'`);
  const first = open(file);
  try {
    // `unicase` is a collation of Anki itself. Indexes without SQL are those of primary keys, which a table needs.
    first.exec(`
      pragma writable_schema = on;
      delete from sqlite_master where sql is not 'CREATE TABLE sqlite_sequence(name,seq)' and (tbl_name not in (${names})
        or (type = 'table' and (name not in (${names}) or sql not like 'create table%'))
        or (type <> 'table' and (type <> 'index' or sql is not null)));
      update sqlite_master set sql = replace(sql, 'COLLATE unicase', 'COLLATE nocase') where sql is not null;
      pragma writable_schema = off;`);
  } finally {
    first.close();
  }
  const database = open(file);
  try {
    // They could make any amount of data out of nothing.
    for (const table of tablesOf(database))
      for (const { name, hidden } of columnsOf(database, table))
        if (Number(hidden) !== 0) throw new Error(`the column ${name} of the table ${table} is generated`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function open(file: string): SqliteDatabase {
  const database = new (loadSqlite())(file, { defensive: false, limits });
  // The file is a copy that is deleted afterwards: nothing has to survive a crash.
  database.exec(
    "pragma trusted_schema = off; pragma cell_size_check = on; pragma journal_mode = off; pragma synchronous = off; pragma ignore_check_constraints = on",
  );
  return database;
}

/** The tables of a database that are not SQLite's own. */
export function tablesOf(database: SqliteDatabase): string[] {
  const rows = database.prepare("select name from sqlite_master where type = 'table'").all();
  return (rows as { name: string }[]).map(({ name }) => name).filter((name) => !name.startsWith("sqlite_"));
}

export interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly notnull: number | bigint;
  /** Not 0 for generated columns. */
  readonly hidden: number | bigint;
}

/** The columns of a table, in the order of its rows. */
export const columnsOf = (database: SqliteDatabase, table: string) =>
  database
    .prepare('select name, lower(type) as type, "notnull", hidden from pragma_table_xinfo(?)')
    .all(table) as ColumnInfo[];
