import { type CardDocument, documentOf, fieldsOf, hashOfDocument } from "../cards/document.ts";
import type { Card } from "../schema/index.ts";
import type { DocRef } from "./types.ts";

/** The document of a card of the service, as it is compared. */
export const docOfCard = async (card: Card): Promise<CardDocument> => withPlainEnds(await documentOf(card));

/** A document with LF at the end of each line: what else a side has there is no edit. */
export function withPlainEnds(doc: CardDocument): CardDocument {
  const texts = Object.entries(doc.fields);
  if (![doc.content, ...texts.map(([, text]) => text)].some((text) => text.includes("\r\n"))) return doc;
  const plain = (text: string) => text.replaceAll("\r\n", "\n");
  const fields = Object.fromEntries(texts.map(([id, text]) => [id, plain(text)]));
  return { ...doc, content: plain(doc.content), fields };
}

/** The parts of a document as a card for `writeCardFile`. */
export function cardOfDoc(id: string, doc: CardDocument): Card {
  return {
    id,
    content: doc.content,
    ...(doc.pos === null ? {} : { pos: doc.pos }),
    tags: doc.tags,
    "archived?": doc.archived,
    "review-reverse?": doc.reverse,
    fields: fieldsOf(doc.fields),
  } as Card;
}

export function refOf(doc: CardDocument): DocRef {
  return { hash: hashOfDocument(doc), read: () => doc };
}

export const equalDocs = (a: CardDocument, b: CardDocument): boolean =>
  hashOfDocument(a) === hashOfDocument(b);

/** How much two documents have in common, from 0 to 1: the share of their lines. */
export function similarity(a: CardDocument, b: CardDocument): number {
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
export const linesOf = (doc: CardDocument): string[] =>
  [doc.content, ...Object.values(doc.fields)]
    .join("\n")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line));
