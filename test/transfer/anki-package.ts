import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { loadSqlite, type SqliteDatabase } from "../../src/sqlite.ts";
import { temporaryFolder } from "../support/service.ts";

export interface PackageNoteType {
  readonly name: string;
  readonly cloze?: boolean;
  readonly fields: readonly string[];
  /** Name, question, answer. */
  readonly templates: readonly (readonly [string, string, string])[];
}

export interface PackageCard {
  readonly ord?: number;
  readonly type?: number;
  readonly queue?: number;
  readonly due?: number;
  readonly ivl?: number;
  readonly factor?: number;
  readonly odue?: number;
  readonly odid?: number;
  readonly flags?: number;
  readonly data?: string;
  /** Milliseconds, ease, interval. */
  readonly reviews?: readonly (readonly [number, number, number])[];
}

export interface PackageNote {
  /** Which of the note types; 0 if not given. */
  readonly type?: number;
  readonly guid?: string;
  readonly tags?: string;
  readonly fields: readonly string[];
  readonly cards?: readonly PackageCard[];
}

export interface PackageContent {
  readonly noteTypes: readonly PackageNoteType[];
  readonly notes: readonly PackageNote[];
  readonly media?: Readonly<Record<string, Uint8Array>>;
  /** Seconds. */
  readonly created?: number;
  /** Minutes behind UTC; 0 if not given. */
  readonly offset?: number;
  /** Run when all rows are there. */
  readonly sql?: string;
  /** The collection as it is in the package; compressed by Zstandard if not given. */
  readonly packed?: (database: Buffer) => Uint8Array;
}

// Anki's declarations since schema 18 (rslib/src/storage in its sources), with the collation that only Anki knows.
const declarations = `
  create table col (id integer primary key, crt integer not null, mod integer not null, scm integer not null, ver integer not null, dty integer not null, usn integer not null, ls integer not null, conf text not null, models text not null, decks text not null, dconf text not null, tags text not null);
  create table notes (id integer primary key, guid text not null, mid integer not null, mod integer not null, usn integer not null, tags text not null, flds text not null, sfld integer not null, csum integer not null, flags integer not null, data text not null);
  create table cards (id integer primary key, nid integer not null, did integer not null, ord integer not null, mod integer not null, usn integer not null, type integer not null, queue integer not null, due integer not null, ivl integer not null, factor integer not null, reps integer not null, lapses integer not null, left integer not null, odue integer not null, odid integer not null, flags integer not null, data text not null);
  create table revlog (id integer primary key, cid integer not null, usn integer not null, ease integer not null, ivl integer not null, lastIvl integer not null, factor integer not null, time integer not null, type integer not null);
  create table config (KEY text not null primary key, usn integer not null, mtime_secs integer not null, val blob not null) without rowid;
  create table tags (tag text not null primary key collate nocase, usn integer not null, collapsed boolean not null, config blob null) without rowid;
  create table fields (ntid integer not null, ord integer not null, name text not null collate nocase, config blob not null, primary key (ntid, ord)) without rowid;
  create unique index idx_fields_name_ntid on fields (name, ntid);
  create table templates (ntid integer not null, ord integer not null, name text not null collate nocase, mtime_secs integer not null, usn integer not null, config blob not null, primary key (ntid, ord)) without rowid;
  create unique index idx_templates_name_ntid on templates (name, ntid);
  create table notetypes (id integer not null primary key, name text not null collate nocase, mtime_secs integer not null, usn integer not null, config blob not null);
  create unique index idx_notetypes_name on notetypes (name);
  create table decks (id integer primary key not null, name text not null collate nocase, mtime_secs integer not null, usn integer not null, common blob not null, kind blob not null);
  create unique index idx_decks_name on decks (name);
  create index idx_notes_mid on notes (mid);
  create index idx_cards_odid on cards (odid) where odid != 0;
  create index ix_revlog_cid on revlog (cid);`;

/** The name of the deck that all cards of a package are in. */
export const packageDeck = "Deck";
const deckId = 1_700_000_000_000;
const homeDeck = deckId + 1;

/** Writes a package as Anki does since 2.1.50, with a schema of version 18, and gives its path. */
export function ankiPackage(content: PackageContent): string {
  const folder = temporaryFolder();
  const file = join(folder, "collection");
  const database = new (loadSqlite())(file, { defensive: false });
  database.exec(`pragma journal_mode = off; pragma synchronous = off; ${declarations} begin`);
  fill(database, content);
  database.exec("commit");
  if (content.sql !== undefined) database.exec(content.sql);
  database.exec(`pragma writable_schema = on;
    update sqlite_master set sql = replace(sql, 'collate nocase', 'COLLATE unicase'); pragma writable_schema = off`);
  database.close();
  const media = Object.entries(content.media ?? {});
  const path = join(folder, "cards.apkg");
  const entries = media.map(([name, bytes]) =>
    bytesField(1, Buffer.concat([bytesField(1, strToU8(name)), numberField(2, bytes.length)])),
  );
  writeFileSync(
    path,
    zipSync(
      {
        meta: numberField(1, 3),
        "collection.anki21b": (content.packed ?? zstd)(readFileSync(file)),
        "collection.anki2": strToU8("for older versions"),
        media: zstd(Buffer.concat(entries)),
        ...Object.fromEntries(media.map(([, bytes], index) => [index, zstd(bytes)])),
      },
      { level: 0 },
    ),
  );
  return path;
}

function fill(database: SqliteDatabase, content: PackageContent): void {
  const run = (sql: string, ...values: readonly unknown[]) => void database.prepare(sql).run(...values);
  run(
    "insert into col values (1, ?, 0, 0, 18, 0, 0, 0, '', '', '', '', '')",
    content.created ?? 1_600_000_000,
  );
  run("insert into config values ('creationOffset', 0, 0, ?)", strToU8(String(content.offset ?? 0)));
  for (const [id, name] of [
    [1, "Default"],
    [deckId, packageDeck],
    [homeDeck, "Home"],
  ])
    run("insert into decks values (?, ?, 0, 0, x'', x'0a00')", id, name);
  for (const [index, { name, cloze, fields, templates }] of content.noteTypes.entries()) {
    run("insert into notetypes values (?, ?, 0, 0, ?)", index + 1, name, numberField(1, cloze ? 1 : 0));
    for (const [ord, field] of fields.entries())
      run("insert into fields values (?, ?, ?, x'')", index + 1, ord, field);
    for (const [ord, [title, question, answer]] of templates.entries()) {
      const config = Buffer.concat([bytesField(1, strToU8(question)), bytesField(2, strToU8(answer))]);
      run("insert into templates values (?, ?, ?, 0, 0, ?)", index + 1, ord, title, config);
    }
  }
  let id = 1_700_000_000_000;
  for (const { type = 0, guid, tags = "", fields, cards = [{}] } of content.notes) {
    const note = ++id;
    const text = fields.join("\x1f");
    run(
      "insert into notes values (?, ?, ?, 0, 0, ?, ?, 0, 0, 0, '')",
      note,
      guid ?? `guid${note}`,
      type + 1,
      tags,
      text,
    );
    for (const card of cards) {
      const { ord = 0, queue = card.type ?? 0, due = 0, ivl = 0, factor = 0, odue = 0, odid = 0 } = card;
      const state = [
        card.type ?? 0,
        queue,
        due,
        ivl,
        factor,
        odue,
        odid === 0 ? 0 : homeDeck,
        card.flags ?? 0,
      ];
      run(
        "insert into cards values (?, ?, ?, ?, 0, 0, ?, ?, ?, ?, ?, 0, 0, 0, ?, ?, ?, ?)",
        ...[++id, note, deckId, ord, ...state, card.data ?? ""],
      );
      for (const [at, ease, interval] of card.reviews ?? [])
        run("insert into revlog values (?, ?, 0, ?, ?, 1, 2500, 2000, 1)", at, id, ease, interval);
    }
  }
}

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) | 128, ...varint(Math.floor(value / 128))];

function bytesField(number: number, value: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(value.length)]), value]);
}

const numberField = (number: number, value: number) => Buffer.from([...varint(number * 8), ...varint(value)]);

/** A Zstandard frame whose blocks are stored as they are (RFC 8878): Node 20 has no compressor. */
export function zstd(bytes: Uint8Array): Buffer {
  // No checksum, and a window of 1 MiB.
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50]);
  const blocks: Buffer[] = [header];
  for (let at = 0; at === 0 || at < bytes.length; at += blockSize) {
    const block = bytes.subarray(at, at + blockSize);
    const last = at + blockSize >= bytes.length;
    const blockHeader = Buffer.alloc(3);
    blockHeader.writeUIntLE((block.length << 3) | (last ? 1 : 0), 0, 3);
    blocks.push(blockHeader, Buffer.from(block));
  }
  return Buffer.concat(blocks);
}

const blockSize = 64 * 1024;
