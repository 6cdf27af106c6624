import { hash } from "node:crypto";
import { type CardDocument, documentOfBody, valuesOf, type WantedDocument } from "../../cards/document.ts";
import { splitSides } from "../../cards/index.ts";
import type { Client } from "../../client/index.ts";
import type { Card } from "../../schema/index.ts";
import { mediaLink, withTargets } from "../media.ts";
import type { SourceCard } from "../model.ts";

/**
 * What a source says of a card, without deck and template, which are for the account to keep.
 *
 * @param partial whether what the source does not mention stays as it is, as with spreadsheets
 */
export function wantedOf({ body }: Pick<SourceCard, "body">, partial: boolean): WantedDocument {
  const whole = documentOfBody(body, { deck: null, template: null, pos: null });
  const said = <T>(given: unknown, value: T) => (partial && given === undefined ? undefined : value);
  return {
    content: whole.content,
    pos: body.pos,
    tags: said(body["manual-tags"], whole.tags),
    archived: said(body["archived?"], whole.archived),
    reverse: said(body["review-reverse?"], whole.reverse),
    fields: said(body.fields, whole.fields),
  };
}

/** What a source says of a card that is there: a sheet may have columns for some of its fields only. */
export const wantedBeside = (
  wanted: WantedDocument,
  there: CardDocument,
  partial: boolean,
): WantedDocument =>
  partial && wanted.fields !== undefined
    ? { ...wanted, fields: { ...there.fields, ...wanted.fields } }
    : wanted;

/**
 * A document in the form in which an import compares: attachments are named in one way, deletions that are all without a
 * number have the same, and an empty field is none. Notes that were exported come back with `@media/file.png` and
 * `{{1::text}}` where a card may have `file.png` and `{{text}}`.
 */
export function comparable<D extends WantedDocument>(document: D): D {
  const { content, fields } = document;
  return {
    ...document,
    ...(content === undefined ? {} : { content: inOneForm(content) }),
    ...(fields === undefined
      ? {}
      : { fields: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== "")) }),
  };
}

function inOneForm(text: string): string {
  const named = withTargets(text, mediaLink);
  return /\{\{\d+::/.test(named) ? named : named.replaceAll("{{", "{{1::");
}

/**
 * A hash of what a card asks: its first side, or of a card of fields its primary field. Where that is empty, all that the
 * card has tells it from others; undefined where it has nothing.
 */
export function frontHash({ content = "", fields = {} }: WantedDocument): string | undefined {
  const [first = "", ...rest] = content.trim() === "" ? [] : splitSides(inOneForm(content));
  const values = Object.values(fields);
  const text = onOneLine(first.trim() || (fields["name"] ?? values[0] ?? ""));
  if (text !== "") return shortHash(text);
  const others = [...rest, ...values].map(onOneLine);
  return others.every((each) => each === "") ? undefined : shortHash(JSON.stringify(others));
}

const onOneLine = (text: string) => text.normalize("NFC").replace(/\s+/g, " ").trim();

/** The same of a card as a service has it, or is sent it. That does not say which field is the primary one: all count. */
export const frontHashOf = ({ content, fields }: Pick<Card, "content" | "fields">): string | undefined =>
  frontHash({ content: content ?? "", fields: { name: Object.values(valuesOf(fields)).join("\n") } });

/** The cards of a deck that are not in the trash, by the hashes of their fronts. */
export async function cardsByFront(deckId: string, client: Client): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const { docs } of client.cards.pages({ deckId }))
    for (const card of docs) {
      const front = card["trashed?"] == null ? frontHashOf(card) : undefined;
      if (front !== undefined) found.set(front, card.id);
    }
  return found;
}

export const shortHash = (text: string): string => hash("sha256", text, "base64url").slice(0, 16);
