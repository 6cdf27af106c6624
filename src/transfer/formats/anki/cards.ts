import { decodeHTMLStrict } from "entities/decode";
import { joinSides } from "../../../cards/sides.ts";
import type { SqliteDatabase } from "../../../sqlite.ts";
import { limits } from "../../limits.ts";
import type { Skip, SourceCard, SourceTemplate } from "../../model.ts";
import { broken } from "../../place.ts";
import { type AnkiCollection, deckKey, type NoteType } from "./collection.ts";
import { flagTag } from "./flags.ts";
import { HtmlConverter } from "./html.ts";
import type { AnkiMedia } from "./media.ts";
import { convertNote, type Note } from "./note.ts";
import { isPlain, reverseSuffix } from "./note-type-write.ts";
import { hasOcclusions, occlusionFields } from "./occlusion.ts";
import { Occlusions } from "./occlusion-cards.ts";
import { type CardState, Schedules } from "./schedule.ts";
import { type ConvertedTemplate, convertTemplate } from "./template.ts";

interface AnkiCardsSettings {
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
    ivl as interval, flags & 7 as flag, ${home} as deck
  from cards where nid = cast(? as integer) order by ord, id`;
const beforeAll = "-9223372036854775808";

/**
 * The cards of a package: one for each card of Anki, but only one for all cards of a cloze note, with numbered deletions,
 * and for both cards of a note that was exported from a card reviewed in reverse, too.
 */
export class AnkiCards {
  readonly #settings: AnkiCardsSettings;
  readonly #converter = new HtmlConverter();
  /** By their keys; null for what our own export makes of a card without a template. */
  readonly #templates = new Map<string, ConvertedTemplate | null>();
  readonly #occlusions: Occlusions;
  readonly #schedules: Schedules;

  constructor(settings: AnkiCardsSettings) {
    const { database, tables, collection, media } = settings;
    this.#settings = settings;
    this.#occlusions = new Occlusions(media, this.#converter);
    this.#schedules = new Schedules(database, tables.has("revlog"), collection.firstDay);
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
      if (noteType === undefined || occlusionFields(noteType, occlusion === 1) !== undefined) continue;
      const template = noteType.templates.get(isOneCard(noteType) ? 0 : number);
      const key = templateKey(type, noteType, number);
      if (template === undefined || this.#templates.has(key)) continue;
      const converted = isPlain(type, noteType.fields)
        ? null
        : convertTemplate(noteType, template, this.#converter);
      this.#templates.set(key, converted);
      if (converted !== null)
        templates.push({ key, body: converted.body, place: `${name}, note type "${noteType.name}"` });
    }
    return { decks: new Set(rows.map((row) => row.deck)), templates };
  }

  async *cards(skip: Skip): AsyncGenerator<SourceCard> {
    const { database, name, collection } = this.#settings;
    for (const [key, template] of this.#templates)
      for (const what of template?.dropped ?? [])
        skip({
          place: `${name}, note type ${key}`,
          what: `${what} in templates`,
          why: `a template is markdown with fields ("${template?.body.name}")`,
        });
    const guids = new Set<string>();
    const cardsOf = database.prepare(cardRows);
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
      yield* this.#ofNote({ ...row, guid }, noteType, cards, place, skip);
    }
  }

  async *#ofNote(
    row: NoteRow,
    noteType: NoteType,
    cards: readonly CardRow[],
    place: string,
    skip: Skip,
  ): AsyncGenerator<SourceCard> {
    const { collection, media } = this.#settings;
    const occlusion = occlusionFields(noteType, hasOcclusions(row.fields));
    const merged = isOneCard(noteType) && occlusion === undefined;
    const several = !merged && (noteType.cloze || noteType.templates.size > 1);
    if (merged && noteType.cloze && cards.length > 1)
      skip({
        place,
        what: "further cards of cloze notes",
        why: "a cloze note is one card here",
        count: cards.length - 1,
      });
    const { furigana } = this.#templates.get(templateKey(row.type, noteType, cards[0]?.number ?? 0)) ?? {};
    const note = convertNote(row.fields, this.#converter, noteType, furigana, place, skip);
    const tags = row.tags.split(/[\s\u3000]+/).filter((tag) => tag !== "");
    for (const group of merged ? [cards] : cards.map((card) => [card])) {
      const { number = 0, deck = "" } = group[0] ?? {};
      const key = templateKey(row.type, noteType, number);
      const template = this.#templates.get(key);
      if (occlusion === undefined && template === undefined) {
        skip({ place, what: "cards", why: "their card template is not in the package" });
        continue;
      }
      const masked = occlusion && (await this.#occlusions.card(note, occlusion, number + 1, place, skip));
      const text: Text | undefined = occlusion ? masked : template ? fieldsOf(note, template) : sidesOf(note);
      if (text === undefined) {
        if (occlusion === undefined)
          skip({ place, what: "notes without content", why: "all their fields are blank" });
        continue;
      }
      const { reviews, archived } = this.#schedules.of(group, place, skip);
      const path = collection.decks.get(deck);
      const allTags = new Set([...tags, ...group.flatMap(({ flag }) => flagTag(flag) ?? [])]);
      const files = media.attachments([...note.media, ...(template?.media ?? [])], place, skip);
      yield {
        key: several ? `${row.guid}/${number + 1}` : row.guid,
        ...(path === undefined ? {} : { deck: deckKey(path) }),
        ...(occlusion || !template ? {} : { template: { key } }),
        body: {
          content: text.content,
          ...(text.fields ? { fields: text.fields } : {}),
          ...(allTags.size > 0 ? { "manual-tags": [...allTags] } : {}),
          ...(archived ? { "archived?": true } : {}),
          ...(isReversed(noteType) ? { "review-reverse?": true } : {}),
        },
        reviews,
        attachments: masked ? [...files, masked.file] : files,
        place,
      };
    }
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

/** Whether all cards of a note are one card. */
const isOneCard = (noteType: NoteType): boolean => noteType.cloze || isReversed(noteType);

const isReversed = ({ name, templates }: NoteType) => templates.size === 2 && name.endsWith(reverseSuffix);

/** All cards of a note that becomes one card have its first template. */
const templateKey = (type: string, noteType: NoteType, number: number) =>
  `${type}/${isOneCard(noteType) ? 0 : number}`;

type Text = Pick<SourceCard["body"], "content" | "fields">;

/** The values of the template's fields; undefined if all are blank. */
function fieldsOf(note: Note, template: ConvertedTemplate): Text | undefined {
  const fields: Record<string, { id: string; value: string }> = Object.create(null);
  for (const { id, source } of template.fields) {
    const value = note.value(source);
    if (value !== "") fields[id] = { id, value };
  }
  return Object.keys(fields).length === 0 ? undefined : { content: "", fields };
}

/** The sides of a note that was exported from a card without a template; undefined if all are blank. */
function sidesOf(note: Note): Text | undefined {
  const sides = note.html.map((_, index) => note.value({ index }));
  while (sides.at(-1) === "") sides.pop();
  return sides.length === 0 ? undefined : { content: joinSides(sides) };
}

/** The beginning of a note's first text, in parentheses: a person finds a note by it, and not by its number. */
function firstText(fields: string): string {
  for (const html of fields.split("\x1f")) {
    const plain = html
      .slice(0, 2000)
      .replace(/<[^<>]*(?:>|$)|\{\{c\d+::(?:image-occlusion:[^}]*)?|(?:::[^{}]*)?\}\}/g, " ");
    const [...characters] = decodeHTMLStrict(plain).replace(/\s+/g, " ").trim();
    const short = characters.length > 40 ? `${characters.slice(0, 39).join("")}…` : characters.join("");
    if (short !== "") return ` (${JSON.stringify(short)})`;
  }
  return "";
}
