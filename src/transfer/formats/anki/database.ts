import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { DeckhandError } from "../../../errors.ts";
import { isFileError } from "../../../files/errors.ts";
import { temporaryProblem } from "../../../files/temporary.ts";
import { loadSqlite, type SqliteDatabase } from "../../../sqlite.ts";
import { limits } from "../../limits.ts";
import { broken } from "../../place.ts";
import type { ArchiveEntry } from "../zip/read.ts";
import { unzstd } from "./zstd.ts";

/** The columns that are read, by table; the tables below `revlog` exist since schema 15. */
const known: Readonly<Record<string, readonly string[]>> = {
  col: ["crt", "conf", "models", "decks"],
  notes: ["id", "guid", "mid", "tags", "flds", "data"],
  cards: "id nid did ord type queue due ivl factor odue odid flags data".split(" "),
  revlog: ["id", "cid", "ease", "ivl", "time"],
  notetypes: ["id", "name", "config"],
  fields: ["ntid", "ord", "name"],
  templates: ["ntid", "ord", "name", "config"],
  decks: ["id", "name", "kind"],
  config: ["key", "val"],
};
const required = ["col", "notes", "cards"];

/** Bytes of one value or row: a note type with all its templates, or a note, is far below it. */
const longestValue = 64 * 1024 * 1024;
const engineLimits = { length: longestValue, sqlLength: 1024 * 1024, exprDepth: 100 };

/**
 * Unpacks the collection of a package into a folder and opens it. The database comes from elsewhere, so its schema is not
 * trusted: of what it declares only the plain tables of Anki's schema are kept (docs/design/cards.md, Anki's packages).
 *
 * @throws UsageError for a database that is damaged, or is no collection of Anki
 */
export async function openCollection(
  entry: ArchiveEntry,
  packed: boolean,
  folder: string,
): Promise<{ database: SqliteDatabase; tables: ReadonlySet<string> }> {
  const file = join(folder, "collection.db");
  try {
    const bytes = await entry.open();
    const plain = packed ? await unzstd(bytes, entry.place, limits.databaseBytes) : bytes;
    await pipeline(plain, createWriteStream(file, { mode: 0o600 }));
    keepKnownTables(file);
  } catch (error) {
    if (error instanceof DeckhandError) throw error;
    throw isFileError(error) ? temporaryProblem(error) : damaged(entry.place, error);
  }
  const database = open(file);
  try {
    return { database, tables: checkTables(database, entry.place) };
  } catch (error) {
    database.close();
    throw error instanceof DeckhandError ? error : damaged(entry.place, error);
  }
}

export function damaged(place: string, error: unknown): DeckhandError {
  return broken(place, `it is damaged: ${error instanceof Error ? error.message : error}`, undefined, error);
}

function open(file: string): SqliteDatabase {
  const database = new (loadSqlite())(file, { defensive: false, limits: engineLimits });
  // The file is a copy that is deleted after the import: nothing has to survive a crash.
  database.exec(
    "pragma trusted_schema = off; pragma cell_size_check = on; pragma journal_mode = off; pragma synchronous = off",
  );
  return database;
}

/**
 * Removes everything but the known tables from the schema. Anki declares its names with the collation `unicase`, which is
 * part of Anki itself: SQLite refuses every query on a table that has an index with it, so the indices go, too.
 */
function keepKnownTables(file: string): void {
  const database = open(file);
  const names = Object.keys(known).map((name) => `'${name}'`);
  try {
    database.exec(`
      pragma writable_schema = on;
      delete from sqlite_master where type <> 'table' or name not in (${names}) or sql not like 'create table%';
      update sqlite_master set sql = replace(sql, 'COLLATE unicase', 'COLLATE nocase');
      pragma writable_schema = off;`);
  } finally {
    database.close();
  }
}

interface Column {
  readonly name: string;
  /** Not 0 for generated columns, which could make any amount of data out of nothing. */
  readonly hidden: number;
}

/** @returns which of the known tables there are */
function checkTables(database: SqliteDatabase, place: string): ReadonlySet<string> {
  const tables = new Set<string>();
  const columnsOf = database.prepare("select name, hidden from pragma_table_xinfo(?)");
  for (const { name } of database.prepare("select name from sqlite_master").all() as { name: string }[]) {
    const columns = columnsOf.all(name) as Column[];
    const generated = columns.find(({ hidden }) => hidden !== 0);
    if (generated !== undefined)
      throw broken(
        place,
        `the column ${generated.name} of the table ${name} is generated, which Anki's never are`,
      );
    const missing = known[name]?.find(
      (column) => !columns.some((each) => each.name.toLowerCase() === column.toLowerCase()),
    );
    if (missing !== undefined)
      throw broken(place, `it is not a collection of Anki: its table ${name} has no column ${missing}`);
    tables.add(name);
  }
  const missing = required.find((name) => !tables.has(name));
  if (missing !== undefined)
    throw broken(place, `it is not a collection of Anki: it has no table ${missing}`);
  database.exec("create index ix_cards_nid on cards (nid)");
  if (tables.has("revlog")) database.exec("create index ix_revlog_cid on revlog (cid)");
  return tables;
}
