import { createReadStream, existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Aside } from "../../files/aside.ts";
import { syncFolder } from "../../files/folders.ts";
import { withLock } from "../../files/lock.ts";
import { removeLeftOver, temporaryBeside } from "../../files/temporary.ts";
import { columnsOf, tablesOf } from "../../sqlite/copy.ts";
import { SqlitePages, type SqliteRow, type SqliteValue } from "../../sqlite/pages.ts";
import type { SqliteDatabase } from "../../sqlite.ts";
import { HeldStore } from "../backup/held.ts";
import { buildStore } from "../backup/restore.ts";
import { countsOf } from "../backup/snapshot.ts";
import { storeName } from "../backup/write.ts";
import { restoreLock } from "../blobs/paths.ts";
import { checksumOf } from "../store/checksums.ts";

/** What was found in a damaged store. */
export interface Rescued extends ReturnType<typeof countsOf> {
  /** The ids of cards that are lost, as far as anything names them. */
  readonly missing: readonly string[];
}

/**
 * Replaces a damaged store by a new one with all rows that can be read, and sets it aside. Rows that belong to a card that
 * is lost are noted in `aside`.
 *
 * @throws DeckhandError if another process has the store open
 */
export async function rescueStore(folder: string, aside: Aside): Promise<Rescued> {
  const path = join(folder, storeName);
  return withLock(restoreLock(folder), async () => {
    const held = HeldStore.take(path);
    removeLeftOver(folder, Date.now());
    const beside = temporaryBeside(folder);
    const pages = openPages(path);
    try {
      const target = join(beside, storeName);
      let missing: string[] = [];
      await buildStore(join(beside, "made"), target, (store) => {
        missing = copyRows(pages, store, aside);
      });
      const counts = countsOf(join(beside, "made", storeName));
      await aside.keep(storeName, createReadStream(path));
      for (const suffix of ["-wal", "-shm"]) if (existsSync(path + suffix)) aside.move(path + suffix);
      renameSync(target, path);
      syncFolder(dirname(path));
      return { ...counts, missing };
    } finally {
      // After the rename: closing the file would give up the lock of this process.
      pages.close();
      held?.release();
      rmSync(beside, { recursive: true, force: true });
    }
  });
}

/** The pages of a store, with those where its tables begin. */
function openPages(path: string): SqlitePages {
  const first = new SqlitePages(path);
  const roots = [...schemaRows(first)].map((row) => Number(row[3]));
  first.close();
  return new SqlitePages(path, roots);
}

/** Rows of a schema: type, name, name of the table, first page, SQL. */
function* schemaRows(pages: SqlitePages): Generator<SqliteRow> {
  for (const standing of ["named", "stray"] as const)
    for (const row of pages.rows("table", standing))
      if (row.length === 5 && (row[0] === "table" || row[0] === "index") && typeof row[3] === "number")
        yield row;
}

/** @returns the ids of the cards that are lost */
function copyRows(pages: SqlitePages, store: SqliteDatabase, aside: Aside): string[] {
  const tables = knownRows(store, pages);
  // What names a card, besides its own row. One wrong bit must not name a card that there never was: two do.
  store.exec("create temp table named (account text, id text, place text, primary key (account, id, place))");
  const name = store.prepare("insert or ignore into named values (?, ?, ?)");
  for (const standing of ["named", "stray"] as const)
    for (const entry of pages.rows("index", standing)) {
      // `card_order`, then `card_due`: account, deck, …, position, card, row.
      if (fits(entry, "ttbti")) name.run(entry[0], entry[3], "order");
      else if (fits(entry, "ttiibti")) name.run(entry[0], entry[5], "due");
      // A table without row ids is an index.
      else if (fits(entry, "ttt")) tables.get("creation")?.insert(entry);
    }
  const isNamed = store.prepare("select 1 from named where account = ? and id = ?");
  for (const standing of ["named", "stray"] as const)
    for (const row of pages.rows("table", standing)) {
      const table = [...tables.values()].find((each) => each.fits(row));
      // On a free page that the list of those misses: a card that was deleted.
      if (table?.name === "card" && standing === "stray" && isNamed.all(row[0], row[1]).length === 0)
        continue;
      table?.insert(row);
    }
  store.exec(`
    insert or ignore into named select account, card_id, 'review' from review;
    insert or ignore into named select account, card_id, 'attachment' from attachment`);
  const lost = (of: string) => `(account, ${of}) not in (select account, id from card)`;
  for (const table of ["review", "attachment"]) {
    for (const row of store.prepare(`select * from ${table} where ${lost("card_id")}`).iterate())
      aside.note({ [table]: row });
    store.exec(`delete from ${table} where ${lost("card_id")}`);
  }
  const missing = store
    .prepare(`select id from named where ${lost("id")} group by account, id having count(*) > 1 order by id`)
    .all() as { id: string }[];
  store.exec("drop table named");
  return missing.map(({ id }) => id);
}

/** A table of a new store, and which rows of the damaged one are of it. */
interface KnownTable {
  readonly name: string;
  fits(row: SqliteRow): boolean;
  insert(row: SqliteRow): void;
}

/** The tables by their names, those with the fewest columns first: a row is of the first that it fits. */
function knownRows(store: SqliteDatabase, pages: SqlitePages): Map<string, KnownTable> {
  // In a collection of an earlier version columns may be in another order. The schema may be damaged, too.
  const schema = [...schemaRows(pages)].filter(([type]) => type === "table");
  const declared = new Map(schema.map(([, name, , , sql]) => [String(name), String(sql)]));
  const names = tablesOf(store).map((name) => [name, orderOf(name, store, declared.get(name))] as const);
  return new Map(
    names
      .sort(([, a], [, b]) => a.length - b.length)
      .map(([name, columns]) => [name, knownTable(name, columns, store)]),
  );
}

interface Column {
  readonly name: string;
  /** The first letter of its type. */
  readonly type: string;
  /** A value must be there. */
  readonly filled: boolean;
}

function orderOf(table: string, store: SqliteDatabase, sql = ""): Column[] {
  const columns = columnsOf(store, table).map(({ name, type, notnull }, index) => ({
    name,
    type: type.slice(0, 1),
    // What a table begins with names its rows, but for keys: that is the number of the row, and no value in it.
    filled: Number(notnull) !== 0 || (index === 0 && table !== "key"),
  }));
  const order = Array.from(sql.matchAll(/[(,] *"?(\w+)"? (?:text|integer|blob|real)/g), ([, name]) => name);
  const sorted = order.flatMap((name) => columns.filter((column) => column.name === name));
  return sorted.length === columns.length ? sorted : columns;
}

function knownTable(name: string, columns: readonly Column[], store: SqliteDatabase): KnownTable {
  const [list, places] = [columns.map((column) => `"${column.name}"`), columns.map(() => "?")];
  const insert = store.prepare(`insert or ignore into "${name}" (${list}) values (${places})`);
  const needed = columns.findLastIndex(({ name, filled }) => filled && name !== "due_given") + 1;
  return {
    name,
    fits: (row) =>
      row.length <= columns.length &&
      row.length >= Math.max(needed, 1) &&
      row.every((value, index) => {
        const column = columns[index];
        return column !== undefined && (value === null ? !column.filled : isOfType(value, column.type));
      }),
    insert(row) {
      const read = columns.map((column, index) => {
        // Rows from before a column was added are shorter.
        const value = row[index] ?? (column.name === "due_given" ? 0 : null);
        return column.type === "t" ? textOf(value) : value;
      });
      insert.run(...withRightKey(name, columns, read));
    },
  };
}

/** A wrong letter in a row's account or id hides it from all that name it. The rest is what the check puts right. */
function withRightKey(table: string, columns: readonly Column[], values: readonly SqliteValue[]): SqliteRow {
  if (table !== "card" && table !== "deck" && table !== "template") return values;
  const row = Object.fromEntries(columns.map(({ name }, index) => [name, values[index] ?? null]));
  if (checksumOf(table, row) === row["checksum"]) return values;
  for (const name of ["id", "account"]) {
    const text = String(row[name]);
    for (let at = 0; at < text.length; at++)
      for (let code = 32; code < 127; code++) {
        const key = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
        if (checksumOf(table, { ...row, [name]: key }) === row["checksum"])
          return values.map((value, index) => (columns[index]?.name === name ? key : value));
      }
  }
  return values;
}

/** @param types the first letters of the types; an instant may be null */
const fits = (row: SqliteRow, types: string): boolean =>
  row.length === types.length &&
  row.every((value, index) => {
    const type = types[index] ?? "";
    return value === null ? type === "i" : isOfType(value, type);
  });

/** A wrong bit may make bytes of a text, and a text of bytes. */
function isOfType(value: string | number | Uint8Array, type: string): boolean {
  return (
    (typeof value === "number") === (type === "i" || type === "r") &&
    (type !== "b" || typeof value !== "string")
  );
}

const textOf = (value: SqliteValue) =>
  value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : value;
