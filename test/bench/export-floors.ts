import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { loadSqlite, type SqliteDatabase } from "../../src/sqlite.ts";
import { openZip } from "../../src/transfer/formats/zip/read.ts";
import { ZipWriter } from "../../src/transfer/formats/zip/write.ts";

/**
 * What an export of a format cannot do without: the pages are read, and what another export of the same cards wrote is
 * written again into the same container, after each page its share. No card is looked at, nothing is converted, hashed
 * or synced to the disk.
 *
 * @param pages each is one of `pageCount`
 */
type Floor = (pages: AsyncIterable<unknown>, target: string) => Promise<void>;

const highWaterMark = 256 * 1024;

/** The same files, after the pages. @param sample the folder of an export */
export function folderFloor(sample: string): Floor {
  const files = new Map<string, string>();
  for (const entry of readdirSync(sample, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      files.set(path.slice(sample.length), readFileSync(path, "utf8"));
    }
  return async (pages, target) => {
    for await (const _ of pages);
    const made = new Set<string>();
    for (const [path, text] of files) {
      const file = join(target, path);
      const folder = dirname(file);
      if (!made.has(folder)) mkdirSync(folder, { recursive: true });
      made.add(folder);
      writeFileSync(file, text);
    }
  };
}

/** The same text of `data.json` through the same writer of archives. @param sample an export to `.mochi` */
export async function mochiFloor(sample: string, pageCount: number): Promise<Floor> {
  const text = (await unpacked(sample, "data.json")).toString("utf8");
  return (pages, target) =>
    writeZip(target, (zip) => zip.add("data.json", sharePerPage(pages, text, pageCount), true));
}

/**
 * The same rows by one prepared insert for each table and in one transaction, then the database and the list of media
 * through the same writer of archives. @param sample an export to `.apkg`
 */
export async function ankiFloor(sample: string, pageCount: number): Promise<Floor> {
  const copy = `${sample}.anki2`;
  await writeFile(copy, await unpacked(sample, "collection.anki2"));
  const media = await unpacked(sample, "media");
  const { tables, indices, rows } = readTables(copy);
  await rm(copy);
  return async (pages, target) => {
    const file = `${target}.anki2`;
    const database = new (loadSqlite())(file);
    database.exec(`pragma journal_mode = off; pragma synchronous = off; ${tables} begin`);
    await insertPerPage(database, rows, pages, pageCount);
    database.exec(`${indices} commit`);
    database.close();
    await writeZip(target, async (zip) => {
      await zip.add("collection.anki2", createReadStream(file, { highWaterMark }), true);
      await zip.add("media", Readable.from([media.toString("utf8")]), true);
    });
    await rm(file);
  };
}

type Row = readonly unknown[];

function readTables(file: string) {
  const database = new (loadSqlite())(file);
  const declared = (type: string) =>
    database.prepare(`select name, sql from sqlite_master where type = '${type}'`).all() as {
      readonly name: string;
      readonly sql: string;
    }[];
  const statements = (type: string) => declared(type).map(({ sql }) => `${sql};`);
  const rows = new Map<string, readonly Row[]>();
  for (const { name } of declared("table")) {
    const all = database.prepare(`select * from ${name}`).all() as object[];
    rows.set(
      name,
      all.map((row) => Object.values(row)),
    );
  }
  const read = { tables: statements("table").join(""), indices: statements("index").join(""), rows };
  database.close();
  return read;
}

async function insertPerPage(
  database: SqliteDatabase,
  rows: ReadonlyMap<string, readonly Row[]>,
  pages: AsyncIterable<unknown>,
  pageCount: number,
): Promise<void> {
  const tables = [...rows]
    .filter(([, all]) => all.length > 0)
    .map(([name, all]) => ({
      all,
      insert: database.prepare(`insert into ${name} values (${all[0]?.map(() => "?")})`),
    }));
  let page = 0;
  for await (const _ of pages) {
    for (const { all, insert } of tables) for (const row of shareOf(all, page, pageCount)) insert.run(...row);
    page++;
  }
}

/** The share of a page in a text or list. */
const shareOf = <T extends string | readonly Row[]>(all: T, page: number, pageCount: number): T =>
  all.slice(
    Math.floor((page * all.length) / pageCount),
    Math.floor(((page + 1) * all.length) / pageCount),
  ) as T;

async function* sharePerPage(
  pages: AsyncIterable<unknown>,
  text: string,
  pageCount: number,
): AsyncGenerator<string> {
  let page = 0;
  for await (const _ of pages) yield shareOf(text, page++, pageCount);
}

async function unpacked(archivePath: string, name: string): Promise<Buffer> {
  const archive = await openZip(archivePath, archivePath);
  const bytes = await archive.entries.get(name)?.read();
  archive.close();
  if (bytes === undefined) throw new Error(`${archivePath} has no ${name}`);
  return bytes;
}

async function writeZip(target: string, fill: (zip: ZipWriter) => Promise<void>): Promise<void> {
  const file = createWriteStream(target);
  const zip = new ZipWriter({
    write: (part) => new Promise((done, fail) => file.write(part, (error) => (error ? fail(error) : done()))),
  });
  await fill(zip);
  await zip.end();
  file.end();
  await finished(file);
}
