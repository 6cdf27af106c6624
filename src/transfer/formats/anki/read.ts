import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { DeckhandError } from "../../../errors.ts";
import { isFileError } from "../../../files/errors.ts";
import { makeTemporaryFolder, temporaryProblem } from "../../../files/temporary.ts";
import { loadSqlite, type SqliteDatabase } from "../../../sqlite.ts";
import { limits } from "../../limits.ts";
import type { Source, SourceDeck } from "../../model.ts";
import { broken } from "../../place.ts";
import type { Archive, ArchiveEntry } from "../zip/read.ts";
import { AnkiCards, type MediaFile } from "./cards.ts";
import { type AnkiCollection, deckKey, readCollection, readMediaNames } from "./collection.ts";
import { unzstd } from "./zstd.ts";

/** The newest first: where there are several, the older ones only tell old programs to update. */
const databases = ["collection.anki21b", "collection.anki21", "collection.anki2"];

/** Packages of Anki, of old and new make. The database is unpacked to a temporary file, gone when the source is closed. */
export async function openAnki(archive: Archive): Promise<Source> {
  const entry = databases.map((name) => archive.entries.get(name)).find((each) => each !== undefined);
  if (entry === undefined) throw broken(archive.name, "there is no collection of Anki in it");
  const packed = entry.name.endsWith("b");
  const folder = await makeTemporaryFolder("deckhand-");
  let database: SqliteDatabase | undefined;
  const close = async () => {
    database?.close();
    database = undefined;
    archive.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const file = join(folder, "collection.db");
    await unpack(entry, packed, file);
    const opened = openDatabase(file, entry.place);
    database = opened;
    const collection = readCollection(opened, entry.place);
    const media = await mediaOf(archive, packed);
    const cards = new AnkiCards({ database: opened, collection, media, packed, name: archive.name });
    const { decks, templates } = cards.gather();
    return {
      format: "apkg",
      decks: decksOf(collection, decks, archive.name),
      templates,
      cards: (skip) => told(cards.cards(skip), entry.place),
      close,
    };
  } catch (error) {
    await close();
    if (error instanceof DeckhandError) throw error;
    throw isFileError(error) ? temporaryProblem(error) : damaged(entry.place, error);
  }
}

async function unpack(entry: ArchiveEntry, packed: boolean, file: string): Promise<void> {
  const bytes = await entry.open();
  const plain = packed ? await unzstd(bytes, entry.place, limits.databaseBytes) : bytes;
  await pipeline(plain, createWriteStream(file, { mode: 0o600 }));
}

function openDatabase(file: string, place: string): SqliteDatabase {
  let database: SqliteDatabase | undefined;
  try {
    database = new (loadSqlite())(file, { readOnly: true });
    database.exec("pragma trusted_schema = off; pragma query_only = on; pragma cell_size_check = on");
    return database;
  } catch (error) {
    database?.close();
    throw damaged(place, error);
  }
}

/** Media files by their names. */
async function mediaOf(archive: Archive, packed: boolean): Promise<Map<string, MediaFile>> {
  const files = new Map<string, MediaFile>();
  const list = archive.entries.get("media");
  if (list === undefined) return files;
  try {
    const bytes = await readAll(list, packed);
    for (const [name, { name: fileName, size }] of readMediaNames(bytes)) {
      const entry = archive.entries.get(name);
      if (entry !== undefined)
        files.set(fileName.normalize("NFC"), { entry, size: packed ? size : entry.size });
    }
    return files;
  } catch (error) {
    throw error instanceof DeckhandError ? error : damaged(list.place, error);
  }
}

async function readAll(entry: ArchiveEntry, packed: boolean): Promise<Buffer> {
  if (!packed) return entry.read();
  const parts: Buffer[] = [];
  for await (const part of await unzstd(await entry.open(), entry.place, limits.dataBytes))
    parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** What the engine or a hostile value makes fail names the database. */
async function* told<T>(items: AsyncIterable<T>, place: string): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw error instanceof DeckhandError ? error : damaged(place, error);
  }
}

function damaged(place: string, error: unknown): DeckhandError {
  return broken(place, `it is damaged: ${error instanceof Error ? error.message : error}`, undefined, error);
}

/** Every collection has this deck, and it is in every package. */
const defaultDeck = "1";

/** The decks, and those above them: Anki's are a list of paths. Two kinds are only made where they hold cards. */
function decksOf(collection: AnkiCollection, used: ReadonlySet<string>, name: string): SourceDeck[] {
  const decks = new Map<string, SourceDeck>();
  for (const [id, path] of collection.decks) {
    if (!used.has(id) && (id === defaultDeck || collection.filtered.has(id))) continue;
    if (path.length > limits.deckDepth)
      throw broken(`${name}, deck ${id}`, `the deck is below more than ${limits.deckDepth} others`);
    for (let depth = 1; depth <= path.length; depth++) {
      const key = deckKey(path.slice(0, depth));
      const above = depth === 1 ? undefined : deckKey(path.slice(0, depth - 1));
      const deck = {
        key,
        parent: above,
        body: { name: path[depth - 1] ?? "" },
        place: `${name}, deck ${id}`,
      };
      if (!decks.has(key)) decks.set(key, deck);
    }
  }
  return [...decks.values()];
}
