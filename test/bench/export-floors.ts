import { hash } from "node:crypto";
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { open, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { marked } from "marked";
import transit from "transit-js";
import { type Card, isMap } from "../../src/schema/index.ts";
import { loadSqlite, type SqliteDatabase } from "../../src/sqlite.ts";
import { openZip } from "../../src/transfer/formats/zip/read.ts";
import { ZipWriter } from "../../src/transfer/formats/zip/write.ts";

/**
 * What an export of a format cannot do without. The pages are read, and after each page its share is written. The floors
 * of a container alone write again what another export of the same cards wrote, and look at no card; those with a
 * conversion make what they write of each card by the obvious calls of the libraries that the program uses. None hashes
 * more than the format asks for, and none syncs to the disk.
 */
type Floor = (pages: Pages, target: string) => Promise<void>;
type Pages = AsyncIterable<{ readonly docs: readonly Card[] }>;

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

/** Each card in transit, through the writer of archives. */
export const transitFloor: Floor = (pages, target) =>
  writeZip(target, (zip) => zip.add("data.json", transitOf(pages), true));

async function* transitOf(pages: Pages): AsyncGenerator<string> {
  for await (const { docs } of pages) yield transit.writer("json-verbose").write(docs.map(keyworded));
}

function keyworded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keyworded);
  if (!isMap(value)) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== null);
  return transit.map(entries.flatMap(([key, each]) => [transit.keyword(key), keyworded(each)]));
}

/** The same text of `data.json` through the same writer of archives. @param sample an export to `.mochi` */
export async function mochiFloor(sample: string, pageCount: number): Promise<Floor> {
  const text = (await unpacked(sample, "data.json")).toString("utf8");
  return (pages, target) =>
    writeZip(target, (zip) => zip.add("data.json", sharePerPage(pages, text, pageCount), true));
}

/** The sides of a card as HTML, one call of the parser for each. */
const htmlOf = ({ content }: Card): string[] =>
  (content ?? "").split("\n---\n").map((side) => marked.parse(side, { async: false }));

/** A row of text for each card, its sides as HTML. */
export const htmlFloor: Floor = async (pages, target) => {
  const file = await open(target, "w");
  for await (const { docs } of pages)
    await file.write(docs.map((card) => `${[card.id, card.tags, ...htmlOf(card)].join("\t")}\n`).join(""));
  await file.close();
};

/**
 * The same rows by one prepared insert for each table and in one transaction, then the database and the list of media
 * through the same writer of archives.
 *
 * @param sample an export to `.apkg`
 * @param conversion what notes hold of their cards is made again and thrown away, and the rows have no documents of ours
 */
export async function ankiFloor(
  sample: string,
  pageCount: number,
  conversion: "with conversion" | "rows alone",
): Promise<Floor> {
  const copy = `${sample}.anki2`;
  await writeFile(copy, await unpacked(sample, "collection.anki2"));
  const media = await unpacked(sample, "media");
  const converts = conversion === "with conversion";
  const { tables, indices, rows } = readTables(copy, converts ? "update notes set data = ''" : "");
  await rm(copy);
  return async (pages, target) => {
    const file = `${target}.anki2`;
    const database = new (loadSqlite())(file);
    database.exec(`pragma journal_mode = off; pragma synchronous = off; ${tables} begin`);
    await insertPerPage(database, rows, converts ? converted(pages) : pages, pageCount);
    database.exec(`${indices} commit`);
    database.close();
    await writeZip(target, async (zip) => {
      await zip.add("collection.anki2", createReadStream(file, { highWaterMark }), true);
      await zip.add("media", Readable.from([media.toString("utf8")]), true);
    });
    await rm(file);
  };
}

/** What a note holds of its card in any package: HTML for each side, and the checksum of the first. */
async function* converted(pages: Pages) {
  for await (const { docs } of pages)
    yield docs.map((card) => {
      const html = htmlOf(card);
      return { html, checksum: hash("sha1", html[0] ?? "", "buffer").readUInt32BE(0) };
    });
}

type Row = readonly unknown[];

/** @param change statements that are run before */
function readTables(file: string, change: string) {
  const database = new (loadSqlite())(file);
  database.exec(change);
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
