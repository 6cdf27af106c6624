import { hash } from "node:crypto";
import { manualTagsOf } from "../cards/document.ts";
import type { Card, CardCreate, CardUpdate } from "../schema/index.ts";
import type { SourceCard } from "../transfer/model.ts";
import type { CardDoc, DocRef } from "./types.ts";

/** The document of a card of the service. */
export async function docOfCard(card: Card): Promise<CardDoc> {
  return docWithTags(card, await manualTagsOf(card));
}

/** The document of a card whose manual tags are these. */
export function docWithTags(card: Card, tags: readonly string[]): CardDoc {
  return {
    content: card.content ?? "",
    deck: card["deck-id"] ?? null,
    template: card["template-id"] ?? null,
    pos: card.pos ?? null,
    tags,
    archived: card["archived?"] ?? false,
    reverse: card["review-reverse?"] ?? false,
    fields: valuesOf(card.fields),
  };
}

/**
 * The document of a card's file.
 *
 * @param pos the position to assume where the file has none
 */
export function docOfFile(
  body: SourceCard["body"],
  { deck, template, pos }: Pick<CardDoc, "deck" | "template" | "pos">,
): CardDoc {
  return {
    content: body.content,
    deck,
    template,
    pos: body.pos ?? pos,
    tags: [...new Set(body["manual-tags"] ?? [])].sort(),
    archived: body["archived?"] ?? false,
    reverse: body["review-reverse?"] ?? false,
    fields: valuesOf(body.fields),
  };
}

/** The parts of a document as a card for `writeCardFile`. */
export function cardOfDoc(id: string, doc: CardDoc): Card {
  return {
    id,
    content: doc.content,
    ...(doc.pos === null ? {} : { pos: doc.pos }),
    tags: doc.tags,
    "archived?": doc.archived,
    "review-reverse?": doc.reverse,
    fields: fieldsOf(doc),
  } as Card;
}

/** The characters of a hash of a document. */
export const docHashLength = 22;

/** A hash of a document: equal documents have the same one. */
export function hashOfDoc(doc: CardDoc): string {
  const { content, deck, template, pos, tags, archived, reverse, fields } = doc;
  const text = JSON.stringify([content, deck, template, pos, tags, archived, reverse, fields]);
  return hash("sha256", text, "base64url").slice(0, docHashLength);
}

export function refOf(doc: CardDoc): DocRef {
  return { hash: hashOfDoc(doc), read: () => doc };
}

export const equalDocs = (a: CardDoc, b: CardDoc): boolean => hashOfDoc(a) === hashOfDoc(b);

export function createBody(doc: CardDoc): CardCreate {
  return {
    content: doc.content,
    "deck-id": doc.deck ?? "",
    ...(doc.template === null ? {} : { "template-id": doc.template }),
    ...(doc.pos === null ? {} : { pos: doc.pos }),
    ...(doc.tags.length === 0 ? {} : { "manual-tags": [...doc.tags] }),
    ...(doc.archived ? { "archived?": true } : {}),
    ...(doc.reverse ? { "review-reverse?": true } : {}),
    ...(Object.keys(doc.fields).length === 0 && doc.content.trim() !== "" ? {} : { fields: fieldsOf(doc) }),
  };
}

/** The changes that make a card of the service another document. */
export function updateBody(from: CardDoc, to: CardDoc): CardUpdate {
  const differs = (name: keyof CardDoc) => JSON.stringify(from[name]) !== JSON.stringify(to[name]);
  return {
    ...(differs("content") ? { content: to.content } : {}),
    ...(differs("deck") && to.deck !== null ? { "deck-id": to.deck } : {}),
    ...(differs("template") ? { "template-id": to.template } : {}),
    ...(differs("pos") && to.pos !== null ? { pos: to.pos } : {}),
    ...(differs("tags") ? { "manual-tags": [...to.tags] } : {}),
    ...(differs("archived") ? { "archived?": to.archived } : {}),
    ...(differs("reverse") ? { "review-reverse?": to.reverse } : {}),
    ...(differs("fields") ? { fields: fieldsOf(to) } : {}),
  };
}

/** How much two documents have in common, from 0 to 1: the share of their lines. */
export function similarity(a: CardDoc, b: CardDoc): number {
  const [one, other] = [linesOf(a), linesOf(b)];
  const total = one.length + other.length;
  if (total === 0) return 1;
  const left = new Map<string, number>();
  for (const line of one) left.set(line, (left.get(line) ?? 0) + 1);
  let common = 0;
  for (const line of other) {
    const count = left.get(line) ?? 0;
    if (count === 0) continue;
    left.set(line, count - 1);
    common++;
  }
  return (2 * common) / total;
}

/** The lines of a document that say something. */
const linesOf = (doc: CardDoc): string[] =>
  [doc.content, ...Object.values(doc.fields)]
    .join("\n")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line));

const fieldsOf = (doc: CardDoc) =>
  Object.fromEntries(Object.entries(doc.fields).map(([id, value]) => [id, { id, value }]));

const noFields: CardDoc["fields"] = {};

/** The values of fields, in the order of their ids. */
function valuesOf(fields: Card["fields"]): CardDoc["fields"] {
  if (fields == null) return noFields;
  const entries = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([id, field]) => [id, field?.value ?? ""]));
}
