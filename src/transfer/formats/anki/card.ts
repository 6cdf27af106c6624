import { joinSides } from "../../../cards/sides.ts";
import { isFileName, withMediaNames } from "../../media.ts";
import type { Skip, SourceAttachment, SourceCard } from "../../model.ts";
import { cardOf } from "../documents.ts";
import { type AnkiCollection, deckKey, type NoteType } from "./collection.ts";
import { flagOf, flagTag } from "./flags.ts";
import type { AnkiMedia } from "./media.ts";
import type { Note } from "./note.ts";
import { reverseSuffix } from "./note-type-names.ts";
import { isPlain } from "./note-type-write.ts";
import type { OwnNote } from "./own.ts";
import type { CardState, Schedules } from "./schedule.ts";
import type { ConvertedTemplate } from "./template.ts";

export interface NoteRow {
  readonly note: string;
  readonly guid: string;
  readonly type: string;
  readonly tags: string;
  readonly fields: string;
  readonly data: string;
}

export interface CardRow extends CardState {
  /** Which of the note's cards it is, from 0. */
  readonly number: number;
  readonly deck: string;
  /** 0 for none. */
  readonly flag: number;
}

/** Whether all cards of a note are one card. */
export const isOneCard = (noteType: NoteType): boolean => noteType.cloze || isReversed(noteType);

const isReversed = ({ name, templates }: NoteType) => templates.size === 2 && name.endsWith(reverseSuffix);

interface CardParts {
  readonly row: NoteRow;
  readonly noteType: NoteType;
  /** Converts the note when it is first called. */
  note(): Note;
  /** Of the template. */
  readonly key: string;
  readonly template: ConvertedTemplate;
  /** The cards of Anki that become one. */
  readonly cards: readonly CardRow[];
  /** Whether the note becomes several cards. */
  readonly several: boolean;
  /** Of a note that we exported. */
  readonly own: OwnNote | undefined;
}

/** Puts cards together from rows of a collection and converted notes. */
export class CardBuilder {
  readonly #collection: AnkiCollection;
  readonly #media: AnkiMedia;
  readonly #schedules: Schedules;
  readonly #skip: Skip;
  /** Of the note types, whether they are those of cards without a template. */
  readonly #plain = new Map<string, boolean>();
  /** The files that were reported. */
  readonly #reported = new Set<string>();

  /** @param skip for what is counted and not reported one by one */
  constructor(collection: AnkiCollection, media: AnkiMedia, schedules: Schedules, skip: Skip) {
    this.#skip = skip;
    this.#collection = collection;
    this.#media = media;
    this.#schedules = schedules;
  }

  /** @returns undefined for a note without content, which is reported */
  async build(parts: CardParts, place: string, skip: Skip): Promise<SourceCard | undefined> {
    const { row, noteType, key, cards, several, own } = parts;
    const [first] = cards;
    const isPlain = this.#isPlain(row.type, noteType);
    const { reviews, archived } = this.#schedules.of(cards, place, this.#skip);
    const exported =
      isPlain || noteType.own?.template !== undefined
        ? await exportedContent(parts, archived, place, skip)
        : undefined;
    const content = exported ?? convertedContent(parts, isPlain, archived);
    if (first === undefined || content === undefined) {
      skip({ place, what: "notes without content", why: "all their fields are blank" });
      return undefined;
    }
    const path = this.#collection.decks.get(first.deck);
    const elsewhere = cards.filter(({ deck }) => deck !== first.deck).length;
    if (elsewhere > 0)
      this.#skip({
        place,
        what: "decks of further cards of a note",
        why: "the note is one card here, in the deck of its first card",
        count: elsewhere,
      });
    const last = reviews.at(-1);
    const isDue = own?.due && last?.due !== undefined && cards.every(({ due }) => due === own.due?.day);
    return {
      key: several ? `${row.guid}/${first.number + 1}` : row.guid,
      ...(path === undefined ? {} : { deck: deckKey(path) }),
      ...(isPlain ? {} : { template: { key } }),
      body: content.body,
      ...(content.trashed === undefined ? {} : { trashed: content.trashed }),
      reviews: isDue ? [...reviews.slice(0, -1), { ...last, due: own?.due?.at }] : reviews,
      attachments: this.#attachments(content.files, place, skip),
      ...(own && { base: own.base, isBase: isUntouched(own, archived, cards) }),
      place,
    };
  }

  #isPlain(type: string, { fields }: NoteType): boolean {
    const plain = this.#plain.get(type) ?? isPlain(type, fields);
    this.#plain.set(type, plain);
    return plain;
  }

  /** @param files the names in the package, and those that the card has for them */
  #attachments(files: FileNames, place: string, skip: Skip): SourceAttachment[] {
    const attachments = new Map<string, SourceAttachment>();
    for (const [packed, given] of files) {
      const name = given.normalize("NFC");
      const file = this.#media.get(packed);
      if (file !== undefined && isFileName(name)) attachments.set(name, { ...file, fileName: name });
      else if (!this.#reported.has(name)) {
        this.#reported.add(name);
        const why = file === undefined ? "they are not in the package" : "services do not accept their names";
        skip({ place: `${place}: ${name}`, what: "media files", why });
      }
    }
    return [...attachments.values()];
  }
}

type FileNames = ReadonlyMap<string, string>;

interface Content {
  readonly body: SourceCard["body"];
  readonly trashed?: string | undefined;
  readonly files: FileNames;
}

/** The card of a note that we exported and Anki did not change. */
async function exportedContent(
  { row, own, cards }: CardParts,
  archived: boolean,
  place: string,
  skip: Skip,
): Promise<Content | undefined> {
  if (own?.card === undefined || !own.untouched) return undefined;
  const { body, trashed } = await cardOf(own.card, row.guid, { place, skip });
  const files = new Map([...own.files].map(([name, packed]) => [packed, name]));
  if (isUntouched(own, archived, cards)) return { body, trashed, files };
  const tags = (body["manual-tags"] ?? []).filter((tag) => flagOf(tag) === 0);
  const flagged = [...new Set([...tags, ...flagsOf(cards)])];
  return {
    body: { ...body, "manual-tags": flagged, "archived?": archived },
    trashed: archived ? trashed : undefined,
    files,
  };
}

/** Whether an exported note is as it was, and its cards are neither suspended nor flagged otherwise. */
function isUntouched({ untouched, suspended, flag }: OwnNote, archived: boolean, cards: readonly CardRow[]) {
  return untouched && suspended === archived && cards.every((card) => card.flag === flag);
}

/** The content of a note as Anki has it. */
function convertedContent(parts: CardParts, isPlain: boolean, archived: boolean): Content | undefined {
  const { row, noteType, template, cards, own, note } = parts;
  const content = isPlain ? plainContent(parts) : templateContent(parts);
  if (content === undefined) return undefined;
  const tags = [
    ...new Set([...row.tags.split(/[\s\u3000]+/).filter((tag) => tag !== ""), ...flagsOf(cards)]),
  ];
  const names = new Map([...(own?.files ?? [])].map(([name, packed]) => [packed.normalize("NFC"), name]));
  const files = [...note().media, ...template.media].map((packed) => packed.normalize("NFC"));
  return {
    body: {
      ...withFileNames(content, names),
      ...(tags.length > 0 ? { "manual-tags": tags } : {}),
      ...(archived ? { "archived?": true } : {}),
      ...(isReversed(noteType) ? { "review-reverse?": true } : {}),
    },
    files: new Map(files.map((packed) => [packed, names.get(packed) ?? packed])),
  };
}

const flagsOf = (cards: readonly CardRow[]): string[] => cards.flatMap(({ flag }) => flagTag(flag) ?? []);

type Text = Pick<SourceCard["body"], "content" | "fields">;

/** With links to files by the names that the card has for them. */
function withFileNames({ content, fields }: Text, names: FileNames): Text {
  if (names.size === 0) return fields === undefined ? { content } : { content, fields };
  const values = Object.entries(fields ?? {}).map(([id, { value }]) => [
    id,
    { id, value: withMediaNames(value, names) },
  ]);
  return {
    content: withMediaNames(content, names),
    ...(fields === undefined ? {} : { fields: Object.fromEntries(values) }),
  };
}

/** The sides of a note that was exported from a card without a template. */
function plainContent({ noteType, note }: CardParts): Text | undefined {
  const sides = noteType.fields.map((_, index) => note().value({ index }));
  while (sides.length > 1 && sides.at(-1) === "") sides.pop();
  const content = joinSides(sides);
  return content.trim() === "" ? undefined : { content };
}

/** The values of the template's fields. */
function templateContent({ note, template }: CardParts): Text | undefined {
  const fields: Record<string, { id: string; value: string }> = Object.create(null);
  for (const { id, source } of template.fields) {
    const value = note().value(source);
    if (value !== "") fields[id] = { id, value };
  }
  return Object.keys(fields).length === 0 ? undefined : { content: "", fields };
}
