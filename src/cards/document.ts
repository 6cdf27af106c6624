import { hash } from "node:crypto";
import type { Card, CardCreate, CardUpdate } from "../schema/index.ts";
import { inlineTags } from "./facts.ts";

/**
 * What people write of a card, in one form for all that compares cards: import, export, sync. Reviews, due dates,
 * attachments, the trash and instants take no part, and what is absent equals its default.
 */
export interface CardDocument {
  readonly content: string;
  /** The id of its deck; null for none. */
  readonly deck: string | null;
  /** The id of its template. */
  readonly template: string | null;
  readonly pos: string | null;
  /** Without those inline in the content, each once, sorted. */
  readonly tags: readonly string[];
  readonly archived: boolean;
  readonly reverse: boolean;
  /** Field id to value, sorted by id. */
  readonly fields: Readonly<Record<string, string>>;
}

type CardPart = keyof CardDocument;

/** What a card is to become; undefined is what stays as it is. */
export type WantedDocument = { readonly [P in CardPart]?: CardDocument[P] | undefined };

const parts: readonly CardPart[] = [
  ...(["content", "deck", "template", "pos", "tags", "archived", "reverse", "fields"] as const),
];

/** The document of a card of a service. */
export async function documentOf(card: Card): Promise<CardDocument> {
  return documentWithTags(card, await manualTagsOf(card));
}

/** The document of a card whose manual tags are known, in any order. */
export function documentWithTags(card: Omit<Card, "id">, tags: readonly string[]): CardDocument {
  return {
    content: card.content ?? "",
    deck: card["deck-id"] ?? null,
    template: card["template-id"] ?? null,
    pos: card.pos ?? null,
    tags: sortedTags(tags),
    archived: card["archived?"] ?? false,
    reverse: card["review-reverse?"] ?? false,
    fields: valuesOf(card.fields),
  };
}

type Body = Omit<CardCreate, "deck-id" | "template-id">;

/** The document of a card that is not stored yet. @param place its deck and template, and its position if it has none of its own */
export function documentOfBody(
  { "manual-tags": tags, ...body }: Body,
  { deck, template, pos }: Pick<CardDocument, "deck" | "template" | "pos">,
): CardDocument {
  return { ...documentWithTags(body, tags ?? []), deck, template, pos: body.pos ?? pos };
}

/** Equal documents have the same hash, whichever answer or file they are read from. */
export function hashOfDocument(document: CardDocument): string {
  const text = JSON.stringify(parts.map((part) => document[part]));
  return hash("sha256", text, "base64url").slice(0, 22);
}

/** `hashOfDocument` of a card of a service. */
export const hashOfCard = async (card: Card): Promise<string> => hashOfDocument(await documentOf(card));

/** The parts in which a card is not as wanted; what is undefined is not compared. */
export const differences = (there: CardDocument, wanted: WantedDocument): CardPart[] =>
  parts.filter(
    (part) => wanted[part] !== undefined && JSON.stringify(wanted[part]) !== JSON.stringify(there[part]),
  );

/** What is sent to create a card. */
export function createBody(document: CardDocument): CardCreate {
  const { content, deck, template, pos, tags, archived, reverse, fields } = document;
  return {
    content,
    "deck-id": deck ?? "",
    ...(template === null ? {} : { "template-id": template }),
    ...(pos === null ? {} : { pos }),
    ...(tags.length === 0 ? {} : { "manual-tags": [...tags] }),
    ...(archived ? { "archived?": true } : {}),
    ...(reverse ? { "review-reverse?": true } : {}),
    ...(Object.keys(fields).length === 0 && content.trim() !== "" ? {} : { fields: fieldsOf(fields) }),
  };
}

/** What is sent to make a card as wanted: only what differs. A deck or position cannot be taken away. */
export function updateBody(there: CardDocument, wanted: WantedDocument): CardUpdate {
  const update: Record<string, unknown> = {};
  for (const part of differences(there, wanted)) {
    if (part === "deck" || part === "pos") {
      if (wanted[part] !== null) update[names[part]] = wanted[part];
    } else update[names[part]] = part === "fields" ? fieldsOf(wanted.fields ?? {}) : wanted[part];
  }
  return update;
}

const names: Readonly<Record<CardPart, keyof CardUpdate>> = {
  content: "content",
  deck: "deck-id",
  template: "template-id",
  pos: "pos",
  tags: "manual-tags",
  archived: "archived?",
  reverse: "review-reverse?",
  fields: "fields",
};

/** The manual tags of a card in code-unit order; where a service does not list them, those that are not in its content. */
export async function manualTagsOf(card: Card): Promise<string[]> {
  if (card["manual-tags"]) return sortedTags(card["manual-tags"]);
  const tags = card.tags ?? [];
  if (tags.length === 0) return [];
  const inline = card.content?.includes("#") ? await inlineTags(card.content) : [];
  return sortedTags(tags.filter((tag) => !inline.includes(tag)));
}

const sortedTags = (tags: readonly string[]): string[] => [...new Set(tags)].sort(byCode);

const byCode = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Field values as services take them. */
export const fieldsOf = (values: CardDocument["fields"]): Record<string, { id: string; value: string }> =>
  Object.fromEntries(Object.entries(values).map(([id, value]) => [id, { id, value }]));

const noValues: CardDocument["fields"] = {};

/** The values of fields by their ids, in order. */
export function valuesOf(fields: Card["fields"] | CardCreate["fields"]): CardDocument["fields"] {
  if (fields == null) return noValues;
  const entries = Object.entries(fields).sort(([a], [b]) => byCode(a, b));
  return Object.fromEntries(entries.map(([id, field]) => [id, field?.value ?? ""]));
}
