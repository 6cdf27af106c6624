import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Aside } from "../../files/aside.ts";
import type { SqliteDatabase } from "../../sqlite.ts";
import { using, valuesOf } from "../backup/snapshot.ts";
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
  let rescued: Promise<string> | undefined;
  const repair = (aside: Aside) => {
    rescued ??= rescue(folder, aside);
    return rescued;
  };
  return problemsOf(store).map((problem) => ({
    part: "database" as const,
    item: storeName,
    problem,
    cards: [],
    repair,
  }));
}

/** One for all findings, whatever is damaged: a new store has whole pages, and indexes that agree with its tables. */
async function rescue(folder: string, aside: Aside): Promise<string> {
  const { rescueStore } = await import("./rescue.ts");
  const { cards, decks, reviews, attachments, missing } = await rescueStore(folder, aside);
  const [problem] = problemsOf(join(folder, storeName));
  if (problem !== undefined) throw new Error(`it was copied into a new one, where ${problem}`);
  const items = Object.entries({ cards, decks, reviews, attachments }).map(([noun, n]) => `${noun}: ${n}`);
  const rest = `what can be read is in a new one: ${items.join(", ")}`;
  return missing.length === 0 ? rest : `${rest}; lost: ${missing.map((id) => `card ${id}`).join(", ")}`;
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
  return valuesOf(database, "integrity_check", "pragma_integrity_check")
    .flatMap((text) => text.split("\n"))
    .filter((line) => line !== "ok" && !line.startsWith("*** in database"));
}

/** Rows whose card is missing. */
const references = (database: SqliteDatabase): string[] =>
  valuesOf(database, `'row ' || rowid || ' of the table ' || "table"`, "pragma_foreign_key_check").map(
    (row) => `${row} belongs to a card that is missing`,
  );
