import type { SqliteDatabase } from "../../../sqlite.ts";
import { limits } from "../../limits.ts";
import { isFileName } from "../../media.ts";
import type { Skip, SourceAttachment, SourceCard, SourceTemplate } from "../../model.ts";
import { broken } from "../../place.ts";
import type { ArchiveEntry } from "../zip/read.ts";
import { convertClozes } from "./cloze.ts";
import { type AnkiCollection, deckKey, type NoteType } from "./collection.ts";
import { HtmlConverter } from "./html.ts";
import { type AnkiReviews, reviewsOf } from "./reviews.ts";
import { type ConvertedTemplate, convertTemplate } from "./template.ts";
import { unzstd } from "./zstd.ts";

export interface MediaFile {
  readonly entry: ArchiveEntry;
  readonly size: number | undefined;
}

export interface AnkiCardsSettings {
  readonly database: SqliteDatabase;
  readonly collection: AnkiCollection;
  readonly media: ReadonlyMap<string, MediaFile>;
  /** Whether media files are compressed by themselves. */
  readonly packed: boolean;
  readonly name: string;
}

interface Row {
  readonly note: string;
  readonly type: string;
  readonly tags: string;
  readonly fields: string;
  readonly card: string;
  readonly number: number;
  readonly deck: string;
  readonly queue: number;
  /** A colour, 0 for none. */
  readonly flag: number;
}

/** A note's fields as markdown: converted once for all its cards. */
interface Note {
  readonly id: string;
  readonly fields: readonly string[];
  readonly media: readonly string[];
}

// Ids are instants in milliseconds; as texts they survive whatever a hostile file puts there.
const cardRows = `select cast(n.id as text) as note, cast(n.mid as text) as type, 
    coalesce(cast(n.tags as text), '') as tags, coalesce(cast(n.flds as text), '') as fields,
    cast(c.id as text) as card, c.ord as number, c.queue as queue, c.flags & 7 as flag,
    cast(case when c.odid <> 0 then c.odid else c.did end as text) as deck
  from notes n join cards c on c.nid = n.id
  where n.id > cast(? as integer) and n.id <= cast(? as integer) order by n.id, c.ord, c.id`;
const lastNote =
  "select cast(max(id) as text) as last from (select id from notes where id > cast(? as integer) order by id limit 500)";
const withoutCards = `select cast(id as text) as note from notes where id not in (select nid from cards) order by id`;
const beforeAll = "-9223372036854775808";

/** One card for each card of Anki; the cards of a cloze note are one card with numbered deletions. */
export class AnkiCards {
  readonly #settings: AnkiCardsSettings;
  readonly #converter = new HtmlConverter();
  readonly #templates = new Map<string, ConvertedTemplate>();

  constructor(settings: AnkiCardsSettings) {
    this.#settings = settings;
  }

  /** The decks that hold cards, and the templates that cards have. */
  gather(): { decks: ReadonlySet<string>; templates: readonly SourceTemplate[] } {
    const { database, collection, name } = this.#settings;
    const rows = database
      .prepare(
        `select distinct cast(n.mid as text) as type, c.ord as number,
           cast(case when c.odid <> 0 then c.odid else c.did end as text) as deck
         from cards c join notes n on n.id = c.nid`,
      )
      .all() as Pick<Row, "type" | "number" | "deck">[];
    const templates = new Map<string, SourceTemplate>();
    for (const { type, number } of rows) {
      const noteType = collection.noteTypes.get(type);
      const template = noteType?.templates.get(noteType.cloze ? 0 : number);
      if (noteType === undefined || template === undefined) continue;
      const key = templateKey(type, noteType, number);
      if (templates.has(key)) continue;
      const converted = convertTemplate(noteType, template, this.#converter);
      this.#templates.set(key, converted);
      templates.set(key, { key, body: converted.body, place: `${name}, note type "${noteType.name}"` });
    }
    return { decks: new Set(rows.map((row) => row.deck)), templates: [...templates.values()] };
  }

  async *cards(skip: Skip): AsyncGenerator<SourceCard> {
    this.#reportTemplates(skip);
    const used = new Set<string>();
    let note: Note | undefined;
    let cloze: Row | undefined;
    const reviews = reviewsOf(this.#settings.database);
    for (const row of this.#rows()) {
      const place = `${this.#settings.name}, note ${row.note}`;
      if (row.flag > 0) skip({ place, what: "flags of cards", why: "cards have no colours" });
      const noteType = this.#settings.collection.noteTypes.get(row.type);
      const key = noteType && templateKey(row.type, noteType, row.number);
      const template = key === undefined ? undefined : this.#templates.get(key);
      if (noteType === undefined || key === undefined || template === undefined) {
        skip({ place, what: "cards", why: "their note type or card template is not in the package" });
        continue;
      }
      if (noteType.cloze && cloze?.note === row.note) {
        this.#reportCloze(row, cloze, reviews, place, skip);
        continue;
      }
      if (noteType.cloze) cloze = row;
      if (note?.id !== row.note) note = this.#note(row, noteType, place, skip);
      const card = this.#card(row, note, template, key, place, skip);
      if (card === undefined) continue;
      for (const file of card.attachments ?? []) used.add(file.fileName);
      yield { ...card, reviews: reviews(row.card) };
    }
    for (const { note: id } of this.#settings.database.prepare(withoutCards).all() as Pick<Row, "note">[])
      skip({ place: `${this.#settings.name}, note ${id}`, what: "notes", why: "they have no cards" });
    for (const [name, { entry }] of this.#settings.media)
      if (!used.has(name))
        skip({ place: `${entry.place} (${name})`, what: "media files", why: "no card shows them" });
  }

  /** What the further cards of a cloze note have for themselves has no place in its one card. */
  #reportCloze(row: Row, first: Row, reviews: AnkiReviews, place: string, skip: Skip): void {
    const where = `${place}, card ${row.number + 1}`;
    const why = "all cards of a cloze note are one card, which is as the first of them";
    if (reviews(row.card).length > 0)
      skip({ place: where, what: "histories of further cloze deletions", why });
    if ((row.queue === -1) !== (first.queue === -1))
      skip({ place: where, what: "suspensions of single cloze deletions", why });
    if (row.deck !== first.deck) skip({ place: where, what: "decks of further cloze deletions", why });
  }

  /** Some notes at a time: an iterator of the engine must not be left open while something else is awaited. */
  *#rows(): Generator<Row> {
    const { database } = this.#settings;
    const [rows, ends] = [database.prepare(cardRows), database.prepare(lastNote)];
    for (let from = beforeAll; ; ) {
      const [{ last }] = ends.all(from) as [{ last: string | null }];
      if (last === null) return;
      yield* rows.all(from, last) as Row[];
      from = last;
    }
  }

  #reportTemplates(skip: Skip): void {
    for (const [key, { dropped, body }] of this.#templates)
      for (const what of dropped)
        skip({
          place: `${this.#settings.name}, note type ${key}`,
          what: `${what} in templates`,
          why: `a template is markdown with fields ("${body.name}")`,
        });
  }

  #note(row: Row, noteType: NoteType, place: string, skip: Skip): Note {
    if (row.fields.length > limits.itemLength)
      throw broken(place, `the note has more than ${limits.itemLength / 1024 / 1024} MiB`);
    const media = new Set<string>();
    const dropped = new Set<string>();
    const fields = row.fields.split("\x1f").map((html) => {
      let source = html;
      if (noteType.cloze) {
        const clozes = convertClozes(html, (markdown) => this.#converter.keep(markdown));
        source = clozes.html;
        if (clozes.hints) dropped.add("hints of cloze deletions");
      }
      const converted = this.#converter.convert(source);
      for (const name of converted.media) media.add(name);
      for (const what of converted.dropped) dropped.add(what);
      return converted.markdown;
    });
    for (const what of dropped) skip({ place, what, why: "cards are markdown" });
    return { id: row.note, fields, media: [...media] };
  }

  #card(
    row: Row,
    note: Note,
    template: ConvertedTemplate,
    key: string,
    place: string,
    skip: Skip,
  ): SourceCard | undefined {
    const fields: Record<string, { id: string; value: string }> = Object.create(null);
    for (const [index, id] of template.fieldIds.entries()) {
      const value = note.fields[index] ?? "";
      if (value !== "") fields[id] = { id, value };
    }
    if (Object.keys(fields).length === 0) {
      skip({ place, what: "notes without content", why: "all their fields are blank" });
      return undefined;
    }
    const tags = [...new Set(row.tags.split(/[\s\u3000]+/).filter((tag) => tag !== ""))];
    const path = this.#settings.collection.decks.get(row.deck);
    return {
      key: `anki ${row.card}`,
      ...(path === undefined ? {} : { deck: deckKey(path) }),
      template: { key },
      body: {
        content: "",
        fields,
        ...(tags.length > 0 ? { "manual-tags": tags } : {}),
        // Suspended cards are never asked.
        ...(row.queue === -1 ? { "archived?": true } : {}),
      },
      attachments: this.#attachments([...note.media, ...template.media], place, skip),
      place,
    };
  }

  #attachments(names: readonly string[], place: string, skip: Skip): SourceAttachment[] {
    const attachments: SourceAttachment[] = [];
    for (const name of new Set(names.map((each) => each.normalize("NFC")))) {
      const file = this.#settings.media.get(name);
      if (file === undefined || !isFileName(name)) {
        const why = file === undefined ? "they are not in the package" : "services do not take their names";
        skip({ place: `${place}: ${name}`, what: "media files", why });
        continue;
      }
      const { entry, size } = file;
      const open = this.#settings.packed
        ? async () => unzstd(await entry.open(), entry.place, limits.mediaBytes)
        : entry.open;
      attachments.push({ fileName: name, ...(size === undefined ? {} : { size }), open, place: entry.place });
    }
    return attachments;
  }
}

/** All cards of a cloze note have its one template. */
const templateKey = (type: string, noteType: NoteType, number: number) =>
  `${type}/${noteType.cloze ? 0 : number}`;
