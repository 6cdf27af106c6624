import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { DeckhandError } from "../../../errors.ts";
import { isFileError } from "../../../files/errors.ts";
import { temporaryProblem } from "../../../files/temporary.ts";
import { columnsOf, type KnownTables, openForeign, tablesOf } from "../../../sqlite/copy.ts";
import type { SqliteDatabase } from "../../../sqlite.ts";
import { limits } from "../../limits.ts";
import { broken } from "../../place.ts";
import { type ArchiveEntry, damaged as damagedFile } from "../zip/read.ts";
import { unzstd } from "./zstd.ts";

/** The columns that are read, by table; the tables below `revlog` exist since schema 15. */
const known: KnownTables = {
  col: ["crt", "conf", "models", "decks"],
  notes: ["id", "guid", "mid", "tags", "flds", "data"],
  cards: "id nid did ord type queue due ivl odue odid flags".split(" "),
  revlog: ["id", "cid", "ease", "ivl", "time"],
  notetypes: ["id", "name", "config"],
  fields: ["ntid", "ord", "name"],
  templates: ["ntid", "ord", "name", "config"],
  decks: ["id", "name", "kind"],
  config: ["key", "val"],
};
const required = ["col", "notes", "cards"];

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
    const plain = packed ? unzstd(bytes, entry.place, limits.databaseBytes) : bytes;
    await pipeline(plain, createWriteStream(file, { mode: 0o600 }));
    const database = openForeign(file, known);
    try {
      return { database, tables: checkTables(database, entry.place) };
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    if (error instanceof DeckhandError) throw error;
    throw isFileError(error) ? temporaryProblem(error) : damaged(entry.place, error);
  }
}

export const damaged = (place: string, error: unknown): DeckhandError =>
  damagedFile(place, error, "it is damaged");

/** @returns which of the known tables there are */
function checkTables(database: SqliteDatabase, place: string): ReadonlySet<string> {
  const tables = new Set<string>();
  for (const name of tablesOf(database)) {
    const columns = columnsOf(database, name);
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
