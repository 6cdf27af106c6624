import { hash } from "node:crypto";
import { type Card, canonicalInstant, type Deck, isMap, type Template } from "../../../schema/index.ts";
import { cardHash } from "../../card-hash.ts";

/**
 * What Anki has no place for, beside what it reads: each note carries its card in the column `data`, which Anki does not
 * use, each deck and note type its document under a key of ours. An import takes them as long as Anki has not changed the
 * note or note type: their hashes tell (docs/design/cards.md, Packages of Anki).
 */

export const ownKey = "deckhand";

type Document = Readonly<Record<string, unknown>>;

interface ExactDue {
  /** ISO 8601. */
  readonly at: string;
  /** The day of the collection. */
  readonly day: number;
}

export interface OwnNote {
  /** `cardHash` of the card. */
  readonly base: string;
  /** Whether its cards were suspended, and their flag. */
  readonly suspended: boolean;
  readonly flag: number;
  /** The card; undefined where the package does not hold its template as it is. */
  readonly card: Document | undefined;
  /** The names of files in the package by those that the card has for them. */
  readonly files: ReadonlyMap<string, string>;
  /** When the card was due, which Anki knows by the day; undefined for a new card. */
  readonly due: ExactDue | undefined;
  /** Whether its fields and tags are as they were exported. */
  readonly untouched: boolean;
}

interface NoteParts {
  /** Joined by the control character 1F. */
  readonly fields: string;
  /** Separated by blanks. */
  readonly tags: string;
}

const hashOf = (value: unknown): string => hash("sha256", JSON.stringify(value), "base64url").slice(0, 16);

const noteHash = ({ fields, tags }: NoteParts): string =>
  hashOf([fields, ...tags.split(" ").filter((tag) => tag !== "")]);

/** The column `data` of a note. */
export function ownNote(
  card: Card,
  note: NoteParts,
  options: {
    readonly suspended: boolean;
    readonly flag: number;
    readonly due: ExactDue | undefined;
    readonly files: ReadonlyMap<string, string>;
    /** Whether the package holds the card's template as it is. */
    readonly whole: boolean;
  },
): string {
  const { suspended, flag, due, files, whole } = options;
  // What is undefined is not written.
  const own = {
    base: cardHash(card),
    note: noteHash(note),
    suspended: suspended || undefined,
    flag: flag || undefined,
    due,
    card: whole ? cardDocument(card) : undefined,
    files: files.size > 0 ? Object.fromEntries(files) : undefined,
  };
  return JSON.stringify({ [ownKey]: own });
}

function cardDocument(card: Card): Document {
  const { content, pos, fields, "manual-tags": manual, "trashed?": trashed } = card;
  const values = Object.entries(fields ?? {}).map(([id, field]) => [id, field?.value ?? ""]);
  return {
    content: content ?? undefined,
    fields: fields == null ? undefined : Object.fromEntries(values),
    ...(manual == null ? { tags: card.tags ?? undefined } : { "manual-tags": manual }),
    pos: pos ?? undefined,
    "archived?": card["archived?"] || undefined,
    "review-reverse?": card["review-reverse?"] || undefined,
    "trashed?": trashed ?? undefined,
  };
}

const withoutBlanks = (document: Document): Document =>
  Object.fromEntries(Object.entries(document).filter(([, value]) => value !== null && value !== undefined));

/** @returns undefined for a note that we did not export */
export function readOwnNote(data: string, note: NoteParts): OwnNote | undefined {
  if (!data.startsWith(`{"${ownKey}"`)) return undefined;
  const own = parsed(data)?.[ownKey];
  if (!isMap(own) || typeof own["base"] !== "string" || typeof own["note"] !== "string") return undefined;
  const files = Object.entries(isMap(own["files"]) ? own["files"] : {});
  return {
    base: own["base"],
    flag: Number(own["flag"] ?? 0),
    due: exactDue(own["due"]),
    suspended: own["suspended"] === true,
    card: isMap(own["card"]) ? own["card"] : undefined,
    files: new Map(files.filter((entry): entry is [string, string] => typeof entry[1] === "string")),
    untouched: own["note"] === noteHash(note),
  };
}

function exactDue(value: unknown): ExactDue | undefined {
  if (!isMap(value) || typeof value["at"] !== "string" || typeof value["day"] !== "number") return undefined;
  const at = canonicalInstant(value["at"]);
  return at === undefined ? undefined : { at, day: value["day"] };
}

function parsed(json: string): Document | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

interface NoteTypeContent {
  readonly fields: readonly string[];
  /** Question and answer of each template. */
  readonly sides: readonly (readonly [question: string, answer: string])[];
}

/** What is under our key in a note type. @param fieldIds those of the template's fields, as the note type has them */
export const ownNoteType = (
  template: Template,
  fieldIds: readonly string[],
  content: NoteTypeContent,
): Document => ({
  content: hashOf(content),
  fields: content.fields.map((name, index) => [name, fieldIds[index] ?? ""]),
  template: withoutBlanks({ ...template }),
});

/** The template of which a note type was made. */
export interface OwnTemplate {
  /** Undefined if Anki changed the note type since. */
  readonly template: Document | undefined;
  /** The ids of its fields by the names that they have in the note type. */
  readonly fieldIds: ReadonlyMap<string, string>;
}

/** @returns undefined if the note type is not ours */
export function readOwnNoteType(own: unknown, content: NoteTypeContent): OwnTemplate | undefined {
  if (!isMap(own) || !isMap(own["template"]) || !Array.isArray(own["fields"])) return undefined;
  return {
    template: own["content"] === hashOf(content) ? own["template"] : undefined,
    fieldIds: new Map(own["fields"].filter(isPair)),
  };
}

const isPair = (entry: unknown): entry is [string, string] =>
  Array.isArray(entry) && entry.length === 2 && entry.every((each) => typeof each === "string");

/** What is under our key in a deck. */
export const ownDeck = ({ "card-count": _, ...deck }: Deck): Document => withoutBlanks({ ...deck });
