import { createHash } from "node:crypto";
import { manualTagsOf } from "../../cards/document.ts";
import { splitSides } from "../../cards/index.ts";
import type { Card, CardUpdate } from "../../schema/index.ts";
import { mediaLink, withTargets } from "../media.ts";
import type { SourceCard } from "../model.ts";

/** What an import compares and changes of a card; undefined is what the source says nothing of. */
interface CardParts {
  readonly content: string;
  readonly fields: Readonly<Record<string, string>> | undefined;
  readonly tags: readonly string[] | undefined;
  readonly pos: string | undefined;
  readonly "archived?": boolean | undefined;
  readonly "review-reverse?": boolean | undefined;
  readonly trashed: boolean | undefined;
}

/**
 * A text for comparisons: attachments are named in one way, and deletions that are all without a number have the same.
 * Notes that were exported come back with `@media/file.png` and `{{1::text}}` where a card may have `file.png` and
 * `{{text}}`.
 */
function inOneForm(text: string): string {
  const named = withTargets(text, mediaLink);
  return /\{\{\d+::/.test(named) ? named : named.replaceAll("{{", "{{1::");
}

const names = ["content", "fields", "tags", "pos", "archived?", "review-reverse?", "trashed"] as const;
type PartName = (typeof names)[number];

/** The hashes of the parts: as much as is held of each card of an account. */
export type PartHashes = { readonly [N in PartName]: string | undefined };

/** @param partial whether the source says nothing of what it does not mention, as a spreadsheet */
export function partsOfSource({ body, trashed }: SourceCard, partial: boolean): CardParts {
  const missing = <T>(value: T | undefined, otherwise: T) => value ?? (partial ? undefined : otherwise);
  const fields = body.fields === undefined ? undefined : valuesOf(body.fields);
  return {
    content: body.content,
    fields: missing(fields, {}),
    tags: missing(body["manual-tags"], []),
    pos: body.pos,
    "archived?": missing(body["archived?"], false),
    "review-reverse?": missing(body["review-reverse?"], false),
    trashed: partial ? undefined : trashed !== undefined,
  };
}

export async function partsOfCard(card: Card): Promise<CardParts> {
  return {
    content: card.content ?? "",
    fields: valuesOf(card.fields ?? {}),
    tags: await manualTagsOf(card),
    pos: card.pos ?? undefined,
    "archived?": card["archived?"] ?? false,
    "review-reverse?": card["review-reverse?"] ?? false,
    trashed: card["trashed?"] != null,
  };
}

export function hashesOf(parts: CardParts): PartHashes {
  const hashes: Record<string, string | undefined> = {};
  for (const name of names) {
    const value = parts[name];
    hashes[name] = value === undefined ? undefined : shortHash(canonical(name, value));
  }
  return hashes as PartHashes;
}

/** A hash of what a source says of a card, its attachments included: another file with the same card gives it, too. */
export function sourceHash(card: SourceCard, partial: boolean): string {
  const files = (card.attachments ?? []).map(({ fileName, size }) => [fileName, size ?? null]);
  return shortHash(JSON.stringify([hashesOf(partsOfSource(card, partial)), files]));
}

/** The parts in which a source differs from the account. */
export const differing = (source: PartHashes, there: PartHashes): PartName[] =>
  names.filter((name) => source[name] !== undefined && source[name] !== there[name]);

/** What became of a card in the account, where it is all in which a source differs from it. */
export type StateThere = "trashed" | "archived";

export function stateThere(source: PartHashes, there: PartHashes): StateThere | undefined {
  const parts = differing(source, there);
  const became = (part: PartName) =>
    (part === "trashed" || part === "archived?") && there[part] === shortHash(canonical(part, true));
  if (parts.length === 0 || !parts.every(became)) return undefined;
  return parts.includes("trashed") ? "trashed" : "archived";
}

/** What is sent to change these parts. */
export function updateOf(
  parts: CardParts,
  changed: readonly PartName[],
  trashed: string | undefined,
): CardUpdate {
  const update: Record<string, unknown> = {};
  for (const name of changed) {
    if (name === "tags") update["manual-tags"] = parts.tags;
    else if (name === "trashed") update["trashed?"] = trashed ?? null;
    else if (name === "fields")
      update["fields"] = Object.fromEntries(
        Object.entries(parts.fields ?? {}).map(([id, value]) => [id, { id, value }]),
      );
    else update[name] = parts[name];
  }
  return update as CardUpdate;
}

/**
 * A hash of what a card asks: its first side, or of a card of fields its primary field. Where that is empty, all that the
 * card has tells it from others.
 */
export function frontHash({ content, fields }: Pick<CardParts, "content" | "fields">): string | undefined {
  const [first = "", ...rest] = content.trim() === "" ? [] : splitSides(inOneForm(content));
  const values = Object.values(fields ?? {});
  const text = onOneLine(first.trim() || (fields?.["name"] ?? values[0] ?? ""));
  if (text !== "") return shortHash(text);
  const others = [...rest, ...values].map(onOneLine);
  return others.every((each) => each === "") ? undefined : shortHash(JSON.stringify(others));
}

const onOneLine = (text: string) => text.normalize("NFC").replace(/\s+/g, " ").trim();

/** The same of a card as the service has it, or is sent it. */
export const frontHashOf = (card: Pick<Card, "content" | "fields">): string | undefined =>
  frontHash({ content: card.content ?? "", fields: valuesOf(card.fields ?? {}) });

function canonical(name: PartName, value: unknown): string {
  if (name === "content") return JSON.stringify(inOneForm(value as string));
  if (name === "tags") return JSON.stringify([...new Set(value as string[])].sort());
  if (name === "fields")
    return JSON.stringify(
      Object.entries(value as object)
        .filter(([, each]) => each !== "")
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  return JSON.stringify(value);
}

type Values = Readonly<Record<string, { readonly value?: string | null | undefined } | null | undefined>>;

const valuesOf = (fields: Values): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([id, field]) => [id, field?.value ?? ""]));

const shortHash = (text: string): string =>
  createHash("sha256").update(text).digest("base64url").slice(0, 12);
