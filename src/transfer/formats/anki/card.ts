import { joinSides } from "../../../cards/sides.ts";
import { isFileName } from "../../media.ts";
import type { Skip, SourceAttachment, SourceCard } from "../../model.ts";
import { type AnkiCollection, deckKey, type NoteType } from "./collection.ts";
import { flagTag } from "./flags.ts";
import type { AnkiMedia } from "./media.ts";
import type { Note } from "./note.ts";
import { isPlain, reverseSuffix } from "./note-type-write.ts";
import type { CardState, Schedules } from "./schedule.ts";
import type { ConvertedTemplate } from "./template.ts";

export interface NoteRow {
  readonly note: string;
  readonly guid: string;
  readonly type: string;
  readonly tags: string;
  readonly fields: string;
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

  constructor(collection: AnkiCollection, media: AnkiMedia, schedules: Schedules, skip: Skip) {
    this.#skip = skip;
    this.#collection = collection;
    this.#media = media;
    this.#schedules = schedules;
  }

  /** @returns undefined for a note without content, which is reported */
  build(parts: CardParts, place: string): SourceCard | undefined {
    const { row, noteType, key, cards, several, template, note } = parts;
    const [first] = cards;
    const isPlain = this.#isPlain(row.type, noteType);
    const { reviews, archived } = this.#schedules.of(cards, place, this.#skip);
    const text = isPlain ? plainContent(parts) : templateContent(parts);
    if (first === undefined || text === undefined) {
      this.#skip({ place, what: "notes without content", why: "all their fields are blank" });
      return undefined;
    }
    const path = this.#collection.decks.get(first.deck);
    const tags = new Set([...row.tags.split(/[\s\u3000]+/).filter((tag) => tag !== ""), ...flagsOf(cards)]);
    return {
      key: several ? `${row.guid}/${first.number + 1}` : row.guid,
      ...(path === undefined ? {} : { deck: deckKey(path) }),
      ...(isPlain ? {} : { template: { key } }),
      body: {
        ...text,
        ...(tags.size > 0 ? { "manual-tags": [...tags] } : {}),
        ...(archived ? { "archived?": true } : {}),
        ...(isReversed(noteType) ? { "review-reverse?": true } : {}),
      },
      reviews,
      attachments: this.#attachments([...note().media, ...template.media], place),
      place,
    };
  }

  #isPlain(type: string, { fields }: NoteType): boolean {
    const plain = this.#plain.get(type) ?? isPlain(type, fields);
    this.#plain.set(type, plain);
    return plain;
  }

  #attachments(names: readonly string[], place: string): SourceAttachment[] {
    const attachments = new Map<string, SourceAttachment>();
    for (const given of names) {
      const name = given.normalize("NFC");
      const file = this.#media.get(name);
      if (file !== undefined && isFileName(name)) attachments.set(name, { ...file, fileName: name });
      else if (!this.#reported.has(name)) {
        this.#reported.add(name);
        const why = file === undefined ? "they are not in the package" : "services do not accept their names";
        this.#skip({ place: `${place}: ${name}`, what: "media files", why });
      }
    }
    return [...attachments.values()];
  }
}

const flagsOf = (cards: readonly CardRow[]): string[] => cards.flatMap(({ flag }) => flagTag(flag) ?? []);

type Text = Pick<SourceCard["body"], "content" | "fields">;

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
