import { isMap } from "../../../schema/index.ts";
import type { SqliteDatabase } from "../../../sqlite.ts";
import { broken } from "../../place.ts";
import { messages, numberField, readMessage, textField } from "./protobuf.ts";

/** What a collection of Anki is made of, whichever of its layouts it has. Ids are texts. */
export interface AnkiCollection {
  readonly noteTypes: ReadonlyMap<string, NoteType>;
  /** Names from the root down. */
  readonly decks: ReadonlyMap<string, readonly string[]>;
  /** Decks that only collect cards of others for a while. */
  readonly filtered: ReadonlySet<string>;
}

export interface NoteType {
  readonly name: string;
  readonly cloze: boolean;
  readonly css: string;
  readonly sortField: number;
  readonly fields: readonly string[];
  /** By number. */
  readonly templates: ReadonlyMap<number, AnkiTemplate>;
}

export interface AnkiTemplate {
  readonly name: string;
  readonly question: string;
  readonly answer: string;
}

/** What a deck is called in an import: the names from the root down. */
export const deckKey = (path: readonly string[]): string => JSON.stringify(path);

const needed = ["col", "notes", "cards"];
const modern = ["notetypes", "fields", "templates", "decks"];

/**
 * Reads note types and decks: from JSON in the table `col`, or from tables of their own since schema 15.
 *
 * @throws UsageError for a database that is no collection; nothing of it but plain tables is read, since a view could
 * run forever
 */
export function readCollection(database: SqliteDatabase, place: string): AnkiCollection {
  const tables = new Set(
    database
      .prepare("select name from sqlite_master where type = 'table' and sql like 'create table%'")
      .all()
      .map((row) => (row as { name: string }).name),
  );
  const missing = needed.find((name) => !tables.has(name));
  if (missing !== undefined) throw broken(place, `it is no collection of Anki: it has no table ${missing}`);
  try {
    return modern.every((name) => tables.has(name)) ? readTables(database) : readJson(database);
  } catch (error) {
    throw broken(
      place,
      `its note types and decks can't be read: ${error instanceof Error ? error.message : error}`,
    );
  }
}

type Row = Readonly<Record<string, unknown>>;

function readTables(database: SqliteDatabase): AnkiCollection {
  const rows = (sql: string) => database.prepare(sql).all() as Row[];
  const fields = new Map<string, string[]>();
  for (const row of rows("select cast(ntid as text) as id, name from fields order by ntid, ord"))
    listAt(fields, String(row["id"])).push(String(row["name"]));
  const templates = new Map<string, Map<number, AnkiTemplate>>();
  for (const row of rows("select cast(ntid as text) as id, ord, name, config from templates")) {
    const config = readMessage(row["config"] as Uint8Array);
    const known = templates.get(String(row["id"])) ?? new Map<number, AnkiTemplate>();
    known.set(Number(row["ord"]), {
      name: String(row["name"]),
      question: textField(config, 1),
      answer: textField(config, 2),
    });
    templates.set(String(row["id"]), known);
  }
  const noteTypes = new Map<string, NoteType>();
  for (const row of rows("select cast(id as text) as id, name, config from notetypes")) {
    const id = String(row["id"]);
    const config = readMessage(row["config"] as Uint8Array);
    noteTypes.set(id, {
      name: String(row["name"]),
      cloze: numberField(config, 1) === 1,
      css: textField(config, 3),
      sortField: numberField(config, 2) ?? 0,
      fields: fields.get(id) ?? [],
      templates: templates.get(id) ?? new Map(),
    });
  }
  const decks = new Map<string, readonly string[]>();
  const filtered = new Set<string>();
  for (const row of rows("select cast(id as text) as id, name, kind from decks")) {
    const id = String(row["id"]);
    decks.set(id, deckNames(String(row["name"])));
    const { kind } = row;
    if (kind instanceof Uint8Array && readMessage(kind).has(2)) filtered.add(id);
  }
  return { noteTypes, decks, filtered };
}

function readJson(database: SqliteDatabase): AnkiCollection {
  const [row] = database.prepare("select models, decks from col").all() as Row[];
  if (row === undefined) throw new Error("the table col is empty");
  const noteTypes = new Map<string, NoteType>();
  for (const [id, model] of Object.entries(mapOf(row["models"]))) {
    if (!isMap(model)) throw new Error(`note type ${id} is no map`);
    const templates = sorted(model["tmpls"]).map((template, index): [number, AnkiTemplate] => [
      typeof template["ord"] === "number" ? template["ord"] : index,
      {
        name: text(template["name"]),
        question: text(template["qfmt"]),
        answer: text(template["afmt"]),
      },
    ]);
    noteTypes.set(id, {
      name: text(model["name"]),
      cloze: model["type"] === 1,
      css: text(model["css"]),
      sortField: typeof model["sortf"] === "number" ? model["sortf"] : 0,
      fields: sorted(model["flds"]).map((field) => text(field["name"])),
      templates: new Map(templates),
    });
  }
  const decks = new Map<string, readonly string[]>();
  const filtered = new Set<string>();
  for (const [id, deck] of Object.entries(mapOf(row["decks"]))) {
    decks.set(id, deckNames(isMap(deck) ? text(deck["name"]) : ""));
    if (isMap(deck) && Number(deck["dyn"] ?? 0) === 1) filtered.add(id);
  }
  return { noteTypes, decks, filtered };
}

/** Newer collections separate the names by a control character, older ones by two colons. */
const deckNames = (name: string): string[] =>
  name.split(name.includes("\x1f") ? "\x1f" : "::").map((part) => part.trim() || "blank");

const text = (value: unknown) => (typeof value === "string" ? value : "");

function mapOf(json: unknown): Row {
  const value: unknown = JSON.parse(text(json));
  if (!isMap(value)) throw new Error("it is no map");
  return value;
}

function sorted(list: unknown): Row[] {
  const maps = Array.isArray(list) ? list.filter(isMap) : [];
  return maps.toSorted((a, b) => Number(a["ord"] ?? 0) - Number(b["ord"] ?? 0));
}

function listAt<T>(map: Map<string, T[]>, key: string): T[] {
  const known = map.get(key);
  if (known !== undefined) return known;
  const list: T[] = [];
  map.set(key, list);
  return list;
}

/** The names of media files by the names of their entries in the package. */
export function readMediaNames(bytes: Uint8Array): Map<string, { name: string; size: number | undefined }> {
  const names = new Map<string, { name: string; size: number | undefined }>();
  if (bytes.length === 0) return names;
  if (bytes[0] === 0x7b) {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"));
    for (const [entry, name] of Object.entries(isMap(value) ? value : {}))
      if (typeof name === "string") names.set(entry, { name, size: undefined });
    return names;
  }
  for (const [index, each] of messages(readMessage(bytes), 1).entries()) {
    const entry = readMessage(each);
    names.set(String(numberField(entry, 255) ?? index), {
      name: textField(entry, 1),
      size: numberField(entry, 2),
    });
  }
  return names;
}
