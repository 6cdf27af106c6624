import { type ColumnType, type Generated, type Kysely, type Selectable, sql } from "kysely";
import type { DeckCreate, TemplateCreate } from "../../schema/index.ts";

/** `name`: text that is compared or sorted, by code point in every database. `long`: an instant, a size. */
type Type = "name" | "text" | "bytes" | "integer" | "long" | "real" | "serial";

export interface Column {
  readonly type: Type;
  readonly nullable?: true;
  readonly default?: 0;
  readonly unique?: true;
}

export interface Table {
  readonly columns: Readonly<Record<string, Column>>;
  /** The columns of the primary key, by which rows are read in order. */
  readonly key: readonly string[];
  /** A row belongs to that of another table with the same account, and goes with it. */
  readonly of?: { readonly table: string; readonly column: string };
  /** The database that alone has it; both if absent. */
  readonly only?: "postgres";
}

const name = { type: "name" } as const;
const text = { type: "text" } as const;
const bytes = { type: "bytes" } as const;
const integer = { type: "integer" } as const;
const long = { type: "long" } as const;
const orNull = <const C extends Column>(column: C) => ({ ...column, nullable: true }) as const;
const checksum = orNull(integer);

/**
 * The tables. What queries ask about is a column; the rest of a resource is its `document`: JSON text, which carries any
 * string exactly (engines and their drivers cut text at NUL, or replace halves of surrogate pairs).
 *
 * Instants are epoch milliseconds, flags 0 or 1. Positions are bytes, see positions.ts. The account comes first in each key
 * and index, so that the tables can be spread over machines by it.
 */
export const tables = {
  /** Values of the store itself: the secret that signs bookmarks. */
  setting: { columns: { name, value: text }, key: ["name"] },
  key: {
    columns: {
      id: { type: "serial" },
      account: name,
      /** SHA-256 of the key, in hex; the key itself is not stored. */
      hash: { ...name, unique: true },
      created_at: long,
    },
    key: ["id"],
  },
  /** What is set for an account by `serve account set`; null where the default holds. */
  account: {
    columns: {
      account: name,
      /** An IANA name. */
      time_zone: orNull(text),
      /** Minutes after midnight. */
      day_starts_at: orNull(integer),
      /** AccountSchedule */
      schedule: orNull(text),
    },
    key: ["account"],
  },
  deck: {
    columns: {
      account: name,
      id: name,
      parent_id: orNull(name),
      sort: long,
      /** Whether it is neither archived nor trashed itself. */
      ready: integer,
      /** Whether it and all decks above it are ready, and none of them is missing: only then are its cards due. */
      live: integer,
      /** DeckDocument */
      document: text,
      checksum,
    },
    key: ["account", "id"],
  },
  template: {
    /** `document`: TemplateDocument */
    columns: { account: name, id: name, pos: bytes, document: text, checksum },
    key: ["account", "id"],
  },
  card: {
    columns: {
      account: name,
      id: name,
      deck_id: name,
      pos: bytes,
      /** Whether it is neither archived nor trashed itself. */
      ready: integer,
      /** `due` of the last review; null for a new card. */
      due_at: orNull(long),
      /** The Card as it is answered in JSON, with its reviews and attachments: a page needs no further query. */
      document: text,
      /** CardFacts */
      facts: text,
      checksum,
    },
    key: ["account", "id"],
  },
  review: {
    columns: {
      account: name,
      card_id: name,
      date: long,
      due: long,
      /** Whether `due` came with the review, and so is not computed. */
      due_given: { ...integer, default: 0 },
      remembered: integer,
      duration: orNull({ type: "real" }),
    },
    key: ["account", "card_id", "date"],
    of: { table: "card", column: "card_id" },
  },
  attachment: {
    columns: {
      account: name,
      card_id: name,
      file_name: name,
      size: long,
      type: text,
      /** SHA-256 of the content, in hex: the name of the file that holds it. */
      hash: name,
    },
    key: ["account", "card_id", "file_name"],
    of: { table: "card", column: "card_id" },
  },
  /** A creation that carried an id: a later one with that id is the same, or refused. It stays when the document is deleted. */
  creation: { columns: { account: name, id: name, hash: text }, key: ["account", "id"] },
  /** What was said of a card for one day of its user (`Days.dayOf`). */
  today_mark: {
    columns: {
      account: name,
      day: integer,
      card_id: name,
      /** Whether it is not asked that day, and whether it is asked again. */
      put_off: integer,
      again: integer,
      /** When `again` was set. */
      set_at: long,
    },
    key: ["account", "day", "card_id"],
    of: { table: "card", column: "card_id" },
  },
  /** A content of an attachment, whole or being received. */
  content: {
    columns: {
      account: name,
      id: name,
      /** SHA-256, in hex; null until an attachment names it. */
      hash: orNull(name),
      /** When its last part was received. */
      touched_at: long,
    },
    key: ["account", "id"],
    only: "postgres",
  },
  content_part: {
    /** `part`: from 0 */
    columns: { account: name, content_id: name, part: integer, bytes },
    key: ["account", "content_id", "part"],
    of: { table: "content", column: "content_id" },
    only: "postgres",
  },
} as const satisfies Readonly<Record<string, Table>>;
export type TableName = keyof typeof tables;

type Value<C extends Column> = C["type"] extends "name" | "text"
  ? string
  : C["type"] extends "bytes"
    ? Uint8Array
    : number;
type TypeOf<C extends Column> = C["type"] extends "serial"
  ? Generated<number>
  : C extends { nullable: true }
    ? Value<C> | null
    : C extends { default: 0 }
      ? ColumnType<number, number | undefined, number>
      : Value<C>;
type TableType<T extends Table> = { -readonly [C in keyof T["columns"]]: TypeOf<T["columns"][C]> };
export type Tables = { readonly [T in TableName]: TableType<(typeof tables)[T]> };

/** What the content of a card says, kept so that an update of other fields need not parse it again. */
export interface CardFacts {
  /** The name that the content gives, whether or not a field gives another. */
  readonly "content-name": string | null;
  readonly "inline-tags": readonly string[];
  /** What the last review left, by FSRS: when it was, in epoch milliseconds, and the days until recall falls to 0.9. */
  readonly memory?: { readonly date: number; readonly stability: number } | undefined;
}

/** The rest of a deck: only what was ever given. */
export type DeckDocument = Omit<DeckCreate, "parent-id" | "sort">;

/** The rest of a template: only what was given. */
export type TemplateDocument = Omit<TemplateCreate, "pos">;

/** The tables of what clients create. */
export type DocumentTable = "card" | "deck" | "template";

/** As it is in the database. */
export type Stored<Row> = Row & { readonly checksum: number | null };
export type CardRow = Omit<Selectable<Tables["card"]>, "checksum">;
export type DeckRow = Omit<Selectable<Tables["deck"]>, "checksum">;
export type TemplateRow = Omit<Selectable<Tables["template"]>, "checksum">;
export type ReviewRow = Selectable<Tables["review"]>;
export type AttachmentRow = Selectable<Tables["attachment"]>;

/** A transaction in the store. */
export type Db = Kysely<Tables>;

type ColumnName = { [T in TableName]: keyof Tables[T] }[TableName];

/** The condition that columns have these values. */
export const same = (values: { readonly [C in ColumnName]?: string | number }) => {
  const each = Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  return sql<boolean>`${sql.join(each, sql` and `)}`;
};

/** Where a list continues: the values of its sort order at the last item of a page. */
export type Place = readonly (string | number)[];
