import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SqliteDatabase } from "../../sqlite.ts";
import { using } from "../backup/snapshot.ts";
import { storeName } from "../backup/write.ts";
import { sqliteProblem } from "../store/dialects/sqlite/file.ts";
import { unusable } from "../store/dialects/sqlite/index.ts";
import type { Finding } from "./finding.ts";

/**
 * What SQLite's own check says of a store: its structure, and whether indexes and tables agree. The store is neither
 * migrated nor changed.
 *
 * @param folder of the service's data
 * @returns undefined if there is no store
 */
export function integrityFindings(folder: string): Finding[] | undefined {
  const store = join(folder, storeName);
  if (!existsSync(store)) return undefined;
  let repaired = false;
  const repair = async () => {
    if (repaired) return "the indexes were rebuilt";
    using(store, (database) => database.exec("reindex"));
    if (problemsOf(store).length > 0)
      throw new Error("the database itself is damaged: restore a backup with --replace");
    repaired = true;
    return "the indexes were rebuilt";
  };
  return problemsOf(store).map((problem) => ({
    part: "database" as const,
    item: storeName,
    problem,
    cards: [],
    repair,
  }));
}

function problemsOf(store: string): string[] {
  try {
    return using(store, (database) => {
      database.exec("pragma busy_timeout = 10000; pragma cell_size_check = on");
      return [...integrity(database), ...references(database)];
    });
  } catch (error) {
    // Not damaged, but in use, or in a folder that cannot be written: opening needs that.
    const kind = sqliteProblem(error);
    if (cannotOpen(error) || (kind !== undefined && kind !== "damaged")) throw unusable(store, error);
    return [error instanceof Error ? error.message : String(error)];
  }
}

// SQLITE_CANTOPEN
const cannotOpen = (error: unknown) =>
  (Number((error as { errcode?: unknown } | null)?.errcode) & 0xff) === 14;

function integrity(database: SqliteDatabase): string[] {
  const rows = database.prepare("pragma integrity_check(100)").all() as { integrity_check: string }[];
  return rows
    .flatMap(({ integrity_check: text }) => text.split("\n"))
    .filter((line) => line !== "ok" && !line.startsWith("*** in database"));
}

/** Rows whose card is missing. */
function references(database: SqliteDatabase): string[] {
  const rows = database.prepare("pragma foreign_key_check").all() as { table: string; rowid: unknown }[];
  return rows.map(
    ({ table, rowid }) => `row ${rowid} of the table ${table} belongs to a card that is missing`,
  );
}
