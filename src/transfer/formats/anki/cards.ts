import type { SqliteDatabase } from "../../../sqlite.ts";
import { limits } from "../../limits.ts";
import { isFileName } from "../../media.ts";
import type { Skip, SourceAttachment, SourceCard, SourceTemplate } from "../../model.ts";
import { broken } from "../../place.ts";
import { type AnkiCollection, deckKey, type NoteType } from "./collection.ts";
import { flagTag } from "./flags.ts";
import { HtmlConverter } from "./html.ts";
import { type AnkiMedia, Occlusions } from "./media.ts";
import { type Note, NoteConverter } from "./note.ts";
import { hasOcclusions } from "./occlusion.ts";
import { type CardState, Schedules } from "./schedule.ts";
import { type ConvertedTemplate, convertTemplate, occlusionTemplate } from "./template.ts";

export interface AnkiCardsSettings {
  readonly database: SqliteDatabase;
  readonly tables: ReadonlySet<string>;
  readonly collection: AnkiCollection;
  readonly media: AnkiMedia;
  readonly name: string;
}

interface NoteRow {
  readonly note: string;
  readonly guid: string;
  readonly type: string;
  readonly tags: string;
  readonly fields: string;
}

interface CardRow extends CardState {
  /** Which of the note's cards it is, from 0. */
  readonly number: number;
  readonly deck: string;
  /** 0 for none. */
  readonly flag: number;
}

// Ids are instants in milliseconds; as texts they survive whatever a hostile file has in their place.
const notePages = `select cast(id as text) as note, octet_length(flds) + octet_length(tags) as size
  from notes where id > cast(? as integer) order by id limit 500`;
const noteRow = `select cast(guid as text) as guid, cast(mid as text) as type, coalesce(cast(tags as text), '') as tags,
    coalesce(cast(flds as text), '') as fields from notes where id = cast(? as integer)`;
const home = "cast(case when odid <> 0 then odid else did end as text)";
const cardRows = `select cast(id as text) as card, ord as number, type, queue, due, odue as oldDue, odid <> 0 as filtered,
    ivl as interval, factor, flags & 7 as flag, coalesce(cast(data as text), '') as data, ${home} as deck
  from cards where nid = cast(? as integer) order by ord, id`;
const beforeAll = "-9223372036854775808";

/**
 * The cards of a package: one for each card of Anki, but only one for all cards of a cloze note, with numbered deletions.
 */
export class AnkiCards {
  readonly #settings: AnkiCardsSettings;
  readonly #converter = new HtmlConverter();
  readonly #notes: NoteConverter;
  readonly #templates = new Map<string, ConvertedTemplate>();
  readonly #occlusions: Occlusions;

  constructor(settings: AnkiCardsSettings) {
    this.#settings = settings;
    this.#notes = new NoteConverter(this.#converter);
    this.#occlusions = new Occlusions(settings.media);
  }

  /** The decks that hold cards, and the templates that cards have. */
  gather(): { decks: ReadonlySet<string>; templates: readonly SourceTemplate[] } {
    const { database, collection, name } = this.#settings;
    const rows = database
      .prepare(
        `select distinct cast(n.mid as text) as type, c.ord as number, c.deck,
           n.flds like '%{{c_%::image-occlusion:%' as occlusion
         from (select nid, ord, ${home} as deck from cards) c join notes n on n.id = c.nid`,
      )
      .all() as { type: string; number: number; deck: string; occlusion: number }[];
    const templates = new Map<string, SourceTemplate>();
    for (const { type, number, occlusion } of rows) {
      const noteType = collection.noteTypes.get(type);
      const template = noteType?.templates.get(noteType.cloze ? 0 : number);
      if (noteType === undefined || template === undefined) continue;
      const key = templateKey(type, noteType, number, occlusion === 1);
      if (templates.has(key)) continue;
      const converted =
        occlusion === 1 ? occlusionTemplate(noteType) : convertTemplate(noteType, template, this.#converter);
      this.#templates.set(key, converted);
      templates.set(key, { key, body: converted.body, place: `${name}, note type "${noteType.name}"` });
    }
    return { decks: new Set(rows.map((row) => row.deck)), templates: [...templates.values()] };
  }

  async *cards(skip: Skip): AsyncGenerator<SourceCard> {
    const { database, name, collection, media } = this.#settings;
    this.#reportTemplates(skip);
    const used = new Set<string>();
    const guids = new Set<string>();
    const cardsOf = database.prepare(cardRows);
    const schedules = new Schedules(database, this.#settings.tables.has("revlog"), collection.firstDay);
    for (const row of this.#rows()) {
      const place = `${name}, note ${row.note}`;
      const cards = cardsOf.all(row.note) as CardRow[];
      if (cards.length === 0) {
        skip({ place, what: "notes", why: "they have no cards" });
        continue;
      }
      const noteType = collection.noteTypes.get(row.type);
      if (noteType === undefined) {
        skip({ place, what: "notes", why: "their note type is not in the package" });
        continue;
      }
      const guid = guids.has(row.guid) || row.guid === "" ? `${row.guid} ${row.note}` : row.guid;
      guids.add(row.guid);
      for (const card of await this.#ofNote({ ...row, guid }, noteType, cards, schedules, place, skip)) {
        for (const file of card.attachments ?? []) used.add(file.fileName);
        yield card;
      }
    }
    media.reportUnused(used, skip);
  }

  async #ofNote(
    row: NoteRow,
    noteType: NoteType,
    cards: readonly CardRow[],
    schedules: Schedules,
    place: string,
    skip: Skip,
  ): Promise<SourceCard[]> {
    if (noteType.cloze && hasOcclusions(row.fields)) {
      const key = templateKey(row.type, noteType, 0, true);
      const template = this.#templates.get(key);
      if (template === undefined) return [];
      const note = this.#notes.convert(row.fields, noteType, template, place, skip);
      const masked: SourceCard[] = [];
      for (const card of cards) {
        const made = this.#card(
          { row, note, key, template, cards: [card], several: true },
          schedules,
          place,
          skip,
        );
        const ready =
          made && (await this.#occlusions.put(made, row.fields, card.number + 1, template, place, skip));
        if (ready !== undefined) masked.push(ready);
      }
      return masked;
    }
    const groups = noteType.cloze ? [cards] : cards.map((card) => [card]);
    let note: Note | undefined;
    return groups.flatMap((group) => {
      const key = templateKey(row.type, noteType, group[0]?.number ?? 0, false);
      const template = this.#templates.get(key);
      if (template === undefined) {
        skip({ place, what: "cards", why: "their card template is not in the package" });
        return [];
      }
      note ??= this.#notes.convert(row.fields, noteType, template, place, skip);
      const several = !noteType.cloze && noteType.templates.size > 1;
      const card = this.#card({ row, note, key, template, cards: group, several }, schedules, place, skip);
      return card === undefined ? [] : [card];
    });
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

  /** The notes by their ids, a page at a time: another statement may run while the caller is busy with one. */
  *#rows(): Generator<NoteRow> {
    const { database, name } = this.#settings;
    const [pages, rows] = [database.prepare(notePages), database.prepare(noteRow)];
    for (let from = beforeAll; ; ) {
      const page = pages.all(from) as { note: string; size: number | null }[];
      for (const { note, size } of page) {
        if ((size ?? 0) > limits.itemLength)
          throw broken(
            `${name}, note ${note}`,
            `the note has more than ${limits.itemLength / 1024 / 1024} MiB`,
          );
        const [row] = rows.all(note) as Omit<NoteRow, "note">[];
        if (row !== undefined) yield { ...row, note };
      }
      const last = page.at(-1);
      if (last === undefined) return;
      from = last.note;
    }
  }

  #card(
    from: {
      row: NoteRow;
      note: Note;
      key: string;
      template: ConvertedTemplate;
      /** Several for a cloze note. */
      cards: readonly CardRow[];
      /** Whether the note becomes several cards. */
      several: boolean;
    },
    schedules: Schedules,
    place: string,
    skip: Skip,
  ): SourceCard | undefined {
    const { row, note, key, template, cards, several } = from;
    const [first] = cards;
    if (first === undefined) return undefined;
    const fields: Record<string, { id: string; value: string }> = Object.create(null);
    for (const { id, source } of template.fields) {
      const value = note.value(source);
      if (value !== "") fields[id] = { id, value };
    }
    if (Object.keys(fields).length === 0) {
      skip({ place, what: "notes without content", why: "all their fields are blank" });
      return undefined;
    }
    const path = this.#settings.collection.decks.get(first.deck);
    const elsewhere = cards.filter(({ deck }) => deck !== first.deck).length;
    if (elsewhere > 0)
      skip({
        place,
        what: "decks of further cloze deletions",
        why: "a cloze note is one card, in the deck of its first deletion",
        count: elsewhere,
      });
    const tags = new Set(row.tags.split(/[\s\u3000]+/).filter((tag) => tag !== ""));
    for (const { flag } of cards) {
      const tag = flagTag(flag);
      if (tag !== undefined) tags.add(tag);
    }
    const { reviews, archived } = schedules.of(cards, place, skip);
    return {
      key: several ? `${row.guid}/${first.number + 1}` : row.guid,
      ...(path === undefined ? {} : { deck: deckKey(path) }),
      template: { key },
      body: {
        content: "",
        fields,
        ...(tags.size > 0 ? { "manual-tags": [...tags] } : {}),
        ...(archived ? { "archived?": true } : {}),
      },
      reviews,
      attachments: this.#attachments([...note.media, ...template.media], place, skip),
      place,
    };
  }

  #attachments(names: readonly string[], place: string, skip: Skip): SourceAttachment[] {
    const attachments: SourceAttachment[] = [];
    for (const name of new Set(names.map((each) => each.normalize("NFC")))) {
      const file = this.#settings.media.get(name);
      if (file !== undefined && isFileName(name)) attachments.push(file);
      else {
        const why = file === undefined ? "they are not in the package" : "services do not accept their names";
        skip({ place: `${place}: ${name}`, what: "media files", why });
      }
    }
    return attachments;
  }
}

/** All cards of a cloze note have its one template. */
const templateKey = (type: string, noteType: NoteType, number: number, occlusion: boolean) =>
  `${type}/${noteType.cloze ? (occlusion ? "occlusion" : 0) : number}`;
