import { isMap } from "../../../schema/index.ts";
import type { SqliteDatabase } from "../../../sqlite.ts";
import { broken } from "../../place.ts";
import { numberField, readMessage, textField } from "./protobuf.ts";

/** What a collection of Anki consists of, whichever version of the schema it has. Ids are texts. */
export interface AnkiCollection {
  readonly noteTypes: ReadonlyMap<string, NoteType>;
  /** Names from the root down. */
  readonly decks: ReadonlyMap<string, readonly string[]>;
  /** Filtered decks, which only hold cards of other decks for some time. */
  readonly filtered: ReadonlySet<string>;
  /** The day from which due dates are counted: midnight UTC of its date, in ms. */
  readonly firstDay: number;
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

/** The key of a deck in an import: the names from the root down. */
export const deckKey = (path: readonly string[]): string => JSON.stringify(path);

const modern = ["notetypes", "fields", "templates", "decks"];

/**
 * Reads note types and decks: from JSON in the table `col`, or from tables of their own since schema 15.
 *
 * @param tables the tables that the database has
 * @throws UsageError for values that Anki never writes
 */
export function readCollection(
  database: SqliteDatabase,
  tables: ReadonlySet<string>,
  place: string,
): AnkiCollection {
  try {
    const found = modern.every((name) => tables.has(name)) ? readTables(database) : readJson(database);
    return { ...found, firstDay: firstDayOf(database, tables) };
  } catch (error) {
    throw broken(
      place,
      `its note types and decks cannot be read: ${error instanceof Error ? error.message : error}`,
    );
  }
}

type Content = Omit<AnkiCollection, "firstDay">;

/**
 * The day on which the collection was created. Since the second version of its scheduler Anki stores by how many minutes
 * the user's time was behind UTC on that day; collections of the first begin at 4 in the morning.
 */
function firstDayOf(database: SqliteDatabase, tables: ReadonlySet<string>): number {
  const [row] = database.prepare("select crt, conf from col").all() as Row[];
  const created = Number(row?.["crt"] ?? 0) * 1000;
  if (!(Math.abs(created) <= lastInstant)) throw new Error("its day of creation is not a date");
  const stored: unknown = tables.has("config")
    ? jsonOf(
        (database.prepare("select val from config where key = 'creationOffset'").all() as Row[])[0]?.["val"],
      )
    : mapOf(row?.["conf"] || "{}")["creationOffset"];
  const behind = typeof stored === "number" && Math.abs(stored) <= 24 * 60 ? stored : offsetOf(created);
  return Math.floor((created - behind * 60_000) / dayLength) * dayLength;
}

const dayLength = 86_400_000;
const lastInstant = 8.64e15;
const offsetOf = (instant: number) => new Date(instant).getTimezoneOffset();

function jsonOf(value: unknown): unknown {
  return value instanceof Uint8Array ? JSON.parse(Buffer.from(value).toString("utf8")) : undefined;
}

type Row = Readonly<Record<string, unknown>>;

function readTables(database: SqliteDatabase): Content {
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

function readJson(database: SqliteDatabase): Content {
  const [row] = database.prepare("select models, decks from col").all() as Row[];
  if (row === undefined) throw new Error("the table col is empty");
  const noteTypes = new Map<string, NoteType>();
  for (const [id, model] of Object.entries(mapOf(row["models"]))) {
    if (!isMap(model)) throw new Error(`note type ${id} is not a map`);
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

/** Schema 15 and later separate the names by a control character, earlier ones by two colons. */
const deckNames = (name: string): string[] =>
  name
    .normalize("NFC")
    .split(name.includes("\x1f") ? "\x1f" : "::")
    .map((part) => part.trim() || "blank");

const text = (value: unknown) => (typeof value === "string" ? value : "");

function mapOf(json: unknown): Row {
  const value: unknown = JSON.parse(text(json));
  if (!isMap(value)) throw new Error("not a map");
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
