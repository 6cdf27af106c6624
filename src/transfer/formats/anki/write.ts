import { hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { decodeHTMLStrict } from "entities/decode";
import { makeTemporaryFolder } from "../../../files/temporary.ts";
import type { Deck } from "../../../schema/index.ts";
import { loadSqlite, type SqliteDatabase } from "../../../sqlite.ts";
import type { Adapted, Collection, ExportedCard } from "../../collection.ts";
import type { Sink } from "../../model.ts";
import { refers } from "../../references.ts";
import { deckLines } from "../deck-paths.ts";
import { ZipWriter } from "../zip/write.ts";
import { flagOf } from "./flags.ts";
import { MediaNames } from "./media-names.ts";
import { stableId } from "./note-type-write.ts";
import { NoteWriter } from "./note-write.ts";
import { type AnkiSchedule, firstDay, scheduleOf } from "./schedule-write.ts";
import {
  collectionSettings,
  deckEntry,
  deckOptions,
  indices11,
  noteTypeEntry,
  schema11,
} from "./schema-11.ts";

/**
 * Writes a package that every version of Anki reads: the database in a temporary file first, then the media. The guid of
 * a note is the card's id, so that Anki updates the note when a later export is imported.
 */
export async function writeAnki(collection: Collection, sink: Sink): Promise<void> {
  const folder = await makeTemporaryFolder("deckhand-");
  try {
    const file = join(folder, "collection.anki2");
    const media = new MediaNames();
    await writeDatabase(file, collection, media);
    const zip = new ZipWriter(sink);
    await zip.add("collection.anki2", createReadStream(file, { highWaterMark }), true);
    const names: string[] = [];
    for (const [name, { file: listed, cards }] of media.files) {
      const fetched = await collection.fetch(listed, cards);
      if (fetched.path === undefined) continue;
      await zip.add(String(names.length), createReadStream(fetched.path, { highWaterMark }), false);
      names.push(name);
    }
    await zip.add("media", Readable.from([JSON.stringify({ ...names })]), true);
    await zip.end();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What Anki has no place for. */
const adaptedToAnki = {
  trash: { what: "cards in the trash", how: 'Anki has none: they are suspended, with the tag "trashed"' },
  references: { what: "cards with references to others", how: "Anki has none: they are text" },
  filled: {
    what: "cards of templates with deletions of their own",
    how: "Anki has deletions only in notes: the templates are filled in",
  },
} as const satisfies Record<string, Adapted>;

const highWaterMark = 256 * 1024;

async function writeDatabase(file: string, collection: Collection, media: MediaNames): Promise<void> {
  const database = new (loadSqlite())(file);
  try {
    // Nothing of the temporary file has to survive a crash.
    database.exec(`pragma journal_mode = off; pragma synchronous = off; ${schema11} begin`);
    const notes = new NoteWriter(collection.allTemplates);
    const decks = new Decks(collection.decks);
    const rows = new Rows(database);
    let newest = 0;
    for await (const page of collection.cards())
      for (const exported of page) {
        const modified = writeCard(exported, notes, decks, rows, media, (what) => collection.adapt(what));
        newest = Math.max(newest, modified);
      }
    writeSettings(database, notes, decks, newest);
    database.exec(`${indices11} commit`);
  } finally {
    database.close();
  }
}

/** @returns when the card was changed last, in seconds */
function writeCard(
  { card, files }: ExportedCard,
  notes: NoteWriter,
  decks: Decks,
  rows: Rows,
  media: MediaNames,
  adapt: (what: Adapted) => void,
): number {
  const names = media.of(card.id, files);
  const deck = decks.of(card["deck-id"]);
  const reverse = card["review-reverse?"] === true || deck.reverse;
  const own = (name: string) => names.get(name.normalize("NFC"));
  const note = notes.note(card, reverse, {
    card: (name) => own(name) ?? media.missing(card.id, name),
    // The note type is shared by cards, which have files of these names each.
    template: (name) => own(name) ?? name,
  });
  const tags = [...new Set((card.tags ?? []).filter((tag): tag is string => typeof tag === "string"))];
  const trashed = card["trashed?"] != null || deck.trashed;
  if (trashed) adapt(adaptedToAnki.trash);
  if (refers(card)) adapt(adaptedToAnki.references);
  if (note.filled) adapt(adaptedToAnki.filled);
  const modified = seconds(card["updated-at"] ?? card["created-at"]);
  const suspended = trashed || deck.archived || card["archived?"] === true;
  // Anki has no zeros in a text, and separates fields by the other character.
  const fields = note.fields.map((field) => field.replace(/[\0\x1f]/g, "")).join("\x1f");
  const noteTags = [...tags.filter((tag) => flagOf(tag) === 0), ...(trashed ? ["trashed"] : [])]
    .map((tag) => tag.replace(/\s+/g, "_"))
    .join(" ");
  const flag = Math.max(0, ...tags.map(flagOf));
  const [first = "", sorted = ""] = [note.fields[0], note.fields[note.noteType.sortField]].map((field) =>
    plain(field ?? ""),
  );
  const noteId = rows.note(Date.parse(card["created-at"] ?? "") || stableId(card.id), [
    ...[card.id, note.noteType.id, modified, -1, noteTags === "" ? "" : ` ${noteTags} `, fields],
    ...[sorted, checksum(first), 0, ""],
  ]);
  const schedule = scheduleOf(card.reviews ?? []);
  // The history is that of the first card; all are due when the card is.
  for (const [index, number] of note.cards.entries())
    rows.card(noteId + number, schedule, index === 0, {
      begin: [noteId, deck.id, number, modified, -1],
      suspended,
      flag,
    });
  return modified;
}

const seconds = (instant: string | null | undefined): number =>
  Math.floor((Date.parse(instant ?? "") || 0) / 1000);

/** @param now when a card was changed last, in seconds: the same collection is the same package */
function writeSettings(database: SqliteDatabase, { noteTypes }: NoteWriter, decks: Decks, now: number): void {
  const { created, behind } = firstDay();
  const names = new Map<string, number>();
  const types = noteTypes.map((type) => {
    const count = (names.get(type.name) ?? 0) + 1;
    names.set(type.name, count);
    return noteTypeEntry(count === 1 ? type : { ...type, name: `${type.name} ${count}` }, now);
  });
  const byId = (entries: readonly { readonly id: number }[]) =>
    JSON.stringify(Object.fromEntries(entries.map((entry) => [entry.id, entry])));
  const deckEntries = [...decks.paths].map(([id, path]) => deckEntry(id, path, now));
  const settings = JSON.stringify(collectionSettings(behind));
  database
    .prepare("insert into col values (1, ?, ?, ?, 11, 0, 0, 0, ?, ?, ?, ?, '{}')")
    .run(created, now * 1000, now * 1000, settings, byId(types), byId(deckEntries), byId([deckOptions]));
}

/** Writes rows; ids are instants, moved on until they are free. */
class Rows {
  readonly note;
  readonly #card;
  readonly #review;
  #position = 0;

  constructor(database: SqliteDatabase) {
    const insert = (table: string, columns: number) => {
      const places = Array(columns).fill("?");
      const row = database.prepare(`insert into ${table} values (${places}) on conflict (id) do nothing`);
      return inserter((id, values) => Number(row.run(id, ...values).changes) > 0);
    };
    this.note = insert("notes", 11);
    this.#card = insert("cards", 18);
    this.#review = insert("revlog", 9);
  }

  /** @param withReviews whether the history is that of this card */
  card(
    id: number,
    schedule: AnkiSchedule | undefined,
    withReviews: boolean,
    { begin, suspended, flag }: { begin: readonly unknown[]; suspended: boolean; flag: number },
  ): void {
    const type = schedule === undefined ? 0 : 2;
    const [due, interval] = schedule ? [schedule.due, schedule.interval] : [++this.#position, 0];
    const { reviews, lapses } = withReviews && schedule ? schedule : { reviews: [], lapses: 0 };
    const state = [type, suspended ? -1 : type, due, interval, schedule ? 2500 : 0, reviews.length, lapses];
    const card = this.#card(id, [...begin, ...state, 0, 0, 0, flag, ""]);
    for (const { at, ease, interval: days, before, time, kind } of reviews)
      this.#review(at, [card, -1, ease, days, before, 2500, time, kind]);
  }
}

/** The text of a field as Anki compares and sorts it: without markup, but with the names of its media. */
const plain = (html: string) =>
  decodeHTMLStrict(html.replace(/<img\b[^<>]*?\bsrc="([^"]*)"[^<>]*>/g, " $1 ").replace(/<[^<>]*>/g, ""));

/** By which Anki finds notes with the same first field. */
const checksum = (text: string): number => hash("sha1", text, "buffer").readUInt32BE(0);

/**
 * Inserts rows at their id, or at the next free one. No id is found taken twice: a program makes thousands of cards a
 * second, and cards that were reviewed on the same days may have reviews of the same instants.
 *
 * @param insert inserts the row unless the id is taken; says whether it did
 * @returns a function that inserts a row and returns its id
 */
export function inserter(
  insert: (id: number, values: readonly unknown[]) => boolean,
): (id: number, values: readonly unknown[]) => number {
  // For ids that were found taken: a later id, with only taken ones up to it.
  const next = new Map<number, number>();
  return (id, values) => {
    const taken: number[] = [];
    let free = id;
    for (let later = next.get(free); later !== undefined || !insert(free, values); later = next.get(free)) {
      taken.push(free);
      free = later ?? free + 1;
    }
    for (const each of taken) next.set(each, free + 1);
    return free;
  };
}

/** The name of a deck as a part of Anki's path, where two colons separate the names. */
const ankiName = (name: string | null | undefined): string =>
  (name ?? "").replace(/::+/g, ":").trim() || "Untitled";

interface DeckState {
  readonly id: number;
  readonly reverse: boolean;
  readonly archived: boolean;
  readonly trashed: boolean;
}

/** The decks as Anki names them: by paths, with two colons between the names. */
class Decks {
  readonly paths = new Map<number, string>([[1, "Default"]]);
  readonly #states = new Map<string, DeckState>();

  constructor(decks: readonly Deck[]) {
    for (const [deckId, line] of deckLines(decks)) {
      const path = line.map(({ name }) => ankiName(name)).join("::");
      const id = path === "Default" ? 1 : stableId(`deck ${path}`);
      this.paths.set(id, path);
      this.#states.set(deckId, {
        id,
        reverse: line.at(-1)?.["review-reverse?"] === true,
        archived: line.some((each) => each["archived?"] === true),
        trashed: line.some((each) => each["trashed?"] != null),
      });
    }
  }

  of(id: string | null | undefined): DeckState {
    return this.#states.get(id ?? "") ?? { id: 1, reverse: false, archived: false, trashed: false };
  }
}
