import { decodeHTMLStrict } from "entities/decode";
import type { SqliteDatabase } from "../../../sqlite.ts";
import { limits } from "../../limits.ts";
import type { Skip, SourceCard, SourceTemplate } from "../../model.ts";
import { broken } from "../../place.ts";
import { type CardContext, type CardRow, cardOf, isOneCard, type NoteRow } from "./card.ts";
import type { AnkiCollection, NoteType } from "./collection.ts";
import { HtmlConverter } from "./html.ts";
import type { AnkiMedia } from "./media.ts";
import { convertNote, type Note } from "./note.ts";
import { isPlain } from "./note-type-write.ts";
import { hasOcclusions, occlusionFields } from "./occlusion.ts";
import { Occlusions } from "./occlusion-cards.ts";
import { Schedules } from "./schedule.ts";
import { type ConvertedTemplate, convertTemplate, occlusionTemplate } from "./template.ts";

interface AnkiCardsSettings {
  readonly database: SqliteDatabase;
  readonly tables: ReadonlySet<string>;
  readonly collection: AnkiCollection;
  readonly media: AnkiMedia;
  readonly name: string;
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
 * The cards of a package: one for each card of Anki, but only one for all cards of a cloze note, with numbered deletions,
 * and for both cards of a note that was exported from a card reviewed in reverse, too.
 */
export class AnkiCards {
  readonly #settings: AnkiCardsSettings;
  readonly #converter = new HtmlConverter();
  readonly #templates = new Map<string, ConvertedTemplate>();
  readonly #occlusions: Occlusions;

  constructor(settings: AnkiCardsSettings) {
    this.#settings = settings;
    this.#occlusions = new Occlusions(settings.media, this.#converter);
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
    const templates: SourceTemplate[] = [];
    for (const { type, number, occlusion } of rows) {
      const noteType = collection.noteTypes.get(type);
      const template = noteType?.templates.get(noteType && isOneCard(noteType) ? 0 : number);
      if (noteType === undefined || template === undefined) continue;
      const parts = occlusionFields(noteType, occlusion === 1);
      const key = templateKey(type, noteType, number, parts !== undefined);
      if (this.#templates.has(key)) continue;
      const place = `${name}, note type "${noteType.name}"`;
      const converted =
        parts === undefined
          ? convertTemplate(noteType, template, this.#converter)
          : occlusionTemplate(noteType, parts, this.#converter);
      const plain = isPlain(type, noteType.fields);
      this.#templates.set(key, { ...converted, plain });
      if (!plain) templates.push({ key, body: converted.body, place });
    }
    return { decks: new Set(rows.map((row) => row.deck)), templates };
  }

  async *cards(skip: Skip): AsyncGenerator<SourceCard> {
    const { database, name, collection, media } = this.#settings;
    this.#reportTemplates(skip);
    const guids = new Set<string>();
    const cardsOf = database.prepare(cardRows);
    const schedules = new Schedules(database, this.#settings.tables.has("revlog"), collection.firstDay);
    const cloze = { notes: 0, cards: 0 };
    const context = { collection, media, schedules, skip };
    for (const row of this.#rows()) {
      const place = `${name}, note ${row.note}${firstText(row.fields)}`;
      const cards = cardsOf.all(row.note) as CardRow[];
      const noteType = collection.noteTypes.get(row.type);
      const why = cards.length === 0 ? "they have no cards" : "their note type is not in the package";
      if (cards.length === 0 || noteType === undefined) {
        skip({ place, what: "notes", why });
        continue;
      }
      const guid = guids.has(row.guid) || row.guid === "" ? `${row.guid} ${row.note}` : row.guid;
      guids.add(row.guid);
      if (noteType.cloze && occlusionFields(noteType, hasOcclusions(row.fields)) === undefined) {
        cloze.notes++;
        cloze.cards += cards.length;
      }
      yield* await this.#ofNote({ ...row, guid }, noteType, cards, place, context);
    }
    if (cloze.cards > cloze.notes)
      skip({
        place: name,
        what: "further cards of cloze notes",
        why: `cloze notes with ${cloze.cards} cards in Anki have ${cloze.notes} here, one for each note`,
        count: cloze.cards - cloze.notes,
      });
    media.reportUnused(skip);
  }

  async #ofNote(
    row: NoteRow,
    noteType: NoteType,
    cards: readonly CardRow[],
    place: string,
    context: CardContext,
  ): Promise<SourceCard[]> {
    const { skip } = context;
    const occlusion = occlusionFields(noteType, hasOcclusions(row.fields));
    const merged = isOneCard(noteType) && occlusion === undefined;
    const groups = merged ? [cards] : cards.map((card) => [card]);
    const several = !merged && (noteType.cloze || noteType.templates.size > 1);
    const made: SourceCard[] = [];
    let converted: Note | undefined;
    for (const group of groups) {
      const number = group[0]?.number ?? 0;
      const key = templateKey(row.type, noteType, number, occlusion !== undefined);
      const template = this.#templates.get(key);
      if (template === undefined) {
        skip({ place, what: "cards", why: "their card template is not in the package" });
        continue;
      }
      const note = () => {
        converted ??= convertNote(row.fields, this.#converter, noteType, template, place, skip);
        return converted;
      };
      const parts = { row, noteType, note, key, template, cards: group, several, place };
      const card = cardOf(parts, context);
      const ready =
        card && occlusion
          ? await this.#occlusions.put(card, row.fields, occlusion, number + 1, template, skip)
          : card;
      if (ready !== undefined) made.push(ready);
    }
    return made;
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
}

/** All cards of a note that becomes one card have its first template. */
const templateKey = (type: string, noteType: NoteType, number: number, occlusion: boolean) =>
  `${type}/${occlusion ? "occlusion" : isOneCard(noteType) ? 0 : number}`;

/** Of a note: tags, the masks of a picture, and what is around the text of a deletion. */
const markup = /<[^<>]*(?:>|$)|\{\{c\d+::image-occlusion:[^}]*(?:\}\}|$)|\{\{c\d+::|(?:::[^{}]*)?\}\}/g;

/** Characters of a note in a message. */
const longestName = 40;

/** The beginning of a note's first text, in parentheses: a person finds a note by it, and not by its number. */
function firstText(fields: string): string {
  for (const html of fields.split("\x1f")) {
    const text = decodeHTMLStrict(html.slice(0, 2000).replace(markup, " ")).replace(/\s+/g, " ").trim();
    const [...characters] = text;
    const short =
      characters.length > longestName ? `${characters.slice(0, longestName - 1).join("")}…` : text;
    if (short !== "") return ` (${JSON.stringify(short)})`;
  }
  return "";
}
