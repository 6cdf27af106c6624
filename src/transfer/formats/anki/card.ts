import { joinSides } from "../../../cards/sides.ts";
import type { Skip, SourceCard } from "../../model.ts";
import { type AnkiCollection, deckKey, type NoteType } from "./collection.ts";
import { flagTag } from "./flags.ts";
import type { AnkiMedia } from "./media.ts";
import type { Note } from "./note.ts";
import { reverseSuffix } from "./note-type-write.ts";
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
  readonly place: string;
}

export interface CardContext {
  readonly collection: AnkiCollection;
  readonly media: AnkiMedia;
  readonly schedules: Schedules;
  readonly skip: Skip;
}

/** Puts a card together. @returns undefined for a note without content, which is reported */
export function cardOf(
  parts: CardParts,
  { collection, media, schedules, skip }: CardContext,
): SourceCard | undefined {
  const { row, noteType, key, cards, several, template, note, place } = parts;
  const [first] = cards;
  const { reviews, archived } = schedules.of(cards, place, skip);
  const text = template.plain ? plainContent(parts) : templateContent(parts);
  if (first === undefined || text === undefined) {
    skip({ place, what: "notes without content", why: "all their fields are blank" });
    return undefined;
  }
  const path = collection.decks.get(first.deck);
  const tags = new Set([...row.tags.split(/[\s\u3000]+/).filter((tag) => tag !== ""), ...flagsOf(cards)]);
  return {
    key: several ? `${row.guid}/${first.number + 1}` : row.guid,
    ...(path === undefined ? {} : { deck: deckKey(path) }),
    ...(template.plain ? {} : { template: { key } }),
    body: {
      ...text,
      ...(tags.size > 0 ? { "manual-tags": [...tags] } : {}),
      ...(archived ? { "archived?": true } : {}),
      ...(isReversed(noteType) ? { "review-reverse?": true } : {}),
    },
    reviews,
    attachments: media.attachments([...note().media, ...template.media], place, skip),
    place,
  };
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
