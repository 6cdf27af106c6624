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
  readonly note: Note;
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

  /** @param skip for what is counted and not reported one by one */
  constructor(collection: AnkiCollection, media: AnkiMedia, schedules: Schedules, skip: Skip) {
    this.#skip = skip;
    this.#collection = collection;
    this.#media = media;
    this.#schedules = schedules;
  }

  /** @returns undefined for a note without content, which is reported */
  build(parts: CardParts, place: string, skip: Skip): SourceCard | undefined {
    const { row, noteType, note, template, cards, several } = parts;
    const [first] = cards;
    const content = this.#isPlain(row.type, noteType) ? plainContent(parts) : templateContent(parts);
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
    const { reviews, archived } = this.#schedules.of(cards, place, this.#skip);
    const tags = tagsOf(row, cards);
    return {
      key: several ? `${row.guid}/${first.number + 1}` : row.guid,
      ...(path === undefined ? {} : { deck: deckKey(path) }),
      ...content.template,
      body: {
        ...content.body,
        ...(tags.length > 0 ? { "manual-tags": tags } : {}),
        ...(archived ? { "archived?": true } : {}),
        ...(isReversed(noteType) ? { "review-reverse?": true } : {}),
      },
      reviews,
      attachments: this.#attachments([...note.media, ...template.media], place, skip),
      place,
    };
  }

  #isPlain(type: string, { fields }: NoteType): boolean {
    const plain = this.#plain.get(type) ?? isPlain(type, fields);
    this.#plain.set(type, plain);
    return plain;
  }

  #attachments(names: readonly string[], place: string, skip: Skip): SourceAttachment[] {
    const attachments: SourceAttachment[] = [];
    for (const name of new Set(names.map((each) => each.normalize("NFC")))) {
      const file = this.#media.get(name);
      if (file !== undefined && isFileName(name)) attachments.push(file);
      else {
        const why = file === undefined ? "they are not in the package" : "services do not accept their names";
        skip({ place: `${place}: ${name}`, what: "media files", why });
      }
    }
    return attachments;
  }
}

function tagsOf({ tags }: NoteRow, cards: readonly CardRow[]): string[] {
  const flags = cards.flatMap(({ flag }) => flagTag(flag) ?? []);
  return [...new Set([...tags.split(/[\s\u3000]+/).filter((tag) => tag !== ""), ...flags])];
}

/** The sides of a note that was exported from a card without a template. */
function plainContent({ noteType, note }: CardParts) {
  const sides = noteType.fields.map((_, index) => note.value({ index }));
  while (sides.length > 1 && sides.at(-1) === "") sides.pop();
  const content = joinSides(sides);
  return content.trim() === "" ? undefined : { template: {}, body: { content } };
}

/** The values of the template's fields. */
function templateContent({ note, key, template }: CardParts) {
  const fields: Record<string, { id: string; value: string }> = Object.create(null);
  for (const { id, source } of template.fields) {
    const value = note.value(source);
    if (value !== "") fields[id] = { id, value };
  }
  if (Object.keys(fields).length === 0) return undefined;
  return { template: { template: { key } }, body: { content: "", fields } };
}
