import { inlineTags } from "../../markdown/index.ts";
import {
  type Card,
  type Deck,
  deckCreate,
  deck as deckKind,
  type Template,
  templateCreate,
} from "../../schema/index.ts";
import { matterText, yamlText } from "../front-matter.ts";
import { foldedName, safeFileName, safeId, safeName } from "../safe-names.ts";

/**
 * The text of the files of a markdown folder (docs/import-export.md). Keys stand in a fixed order and nothing is written
 * that changes by itself, so that the same collection is the same bytes.
 */

/** Marks a folder as ours, at its root. */
export const markerName = "deckhand.yaml";
export const markerText = yamlText({ format: "deckhand-markdown", version: 1 });
export const templatesFolder = "_templates";
export const deckFile = "deck.yaml";

/** @param parent whether the parent is written: only where the folder does not lie below that of the parent. */
export function deckText(deck: Deck, parent: boolean): string {
  const document: Record<string, unknown> = { id: deck.id };
  for (const name of Object.keys(deckKind.fields)) {
    const value = (deck as Readonly<Record<string, unknown>>)[name];
    if (!(name in deckCreate.fields) || value === undefined || value === null) continue;
    if (name !== "parent-id" || parent) document[name] = value;
  }
  return yamlText(document);
}

export function templateFileName(template: Template): string {
  const name = safeName(template.name ?? "", 80);
  return `${name === "" ? "" : `${name}-`}${safeId(template.id)}.md`;
}

export function templateText(template: Template): string {
  const matter: Record<string, unknown> = { id: template.id };
  for (const name of Object.keys(templateCreate.fields)) {
    const value = (template as Readonly<Record<string, unknown>>)[name];
    if (name !== "content" && value !== undefined && value !== null) matter[name] = value;
  }
  return matterText(matter, template.content ?? "");
}

/** The name of a card's file without its ending. */
export function cardStem(card: Card): string {
  const name = safeName(withoutMarks(card.name ?? ""), 80);
  return `${name === "" ? "" : `${name}-`}${safeId(card.id)}`;
}

/** Names that come from the value of a field may still hold markdown. */
const withoutMarks = (name: string) =>
  name
    .replace(/!\[[^\]]*\]\([^()]*\)/g, " ")
    .replace(/\[([^\]]*)\]\([^()]*\)/g, "$1")
    .replace(/\{\{(?:\d+::)?|\}\}|[*`$]+|\\(?=[!-/:-@[-`{-~])/g, "");

export interface CardFile {
  readonly fileName: string;
  readonly type?: string | undefined;
  readonly missing?: boolean;
}

/**
 * @param template how the card's template is named: by its name where that is unique, else by its id
 * @param files the names of its attachments on the disk, by their true names
 */
export async function cardText(
  card: Card,
  template: string | undefined,
  attachments: readonly CardFile[],
  files: ReadonlyMap<string, string>,
): Promise<string> {
  const content = card.content ?? "";
  const inline = new Set(content.includes("#") ? await inlineTags(content) : []);
  const tags = (card.tags ?? []).filter((tag) => !inline.has(tag)).sort(byCode);
  const fields = Object.entries(card.fields ?? {}).sort(([a], [b]) => byCode(a, b));
  const reviews = (card.reviews ?? []).map((review) => ({
    date: review.date,
    "remembered?": review["remembered?"],
    ...(review.duration == null ? {} : { duration: review.duration }),
  }));
  const matter = {
    id: card.id,
    ...(template === undefined ? {} : { template }),
    ...(tags.length > 0 ? { tags } : {}),
    ...(card.pos == null ? {} : { pos: card.pos }),
    ...(card["archived?"] ? { "archived?": true } : {}),
    ...(card["review-reverse?"] ? { "review-reverse?": true } : {}),
    ...(card["trashed?"] ? { "trashed?": card["trashed?"] } : {}),
    ...(fields.length > 0 ? { fields: new Map(fields.map(([id, { value }]) => [id, value ?? ""])) } : {}),
    ...(attachments.length > 0 ? { attachments: attachmentEntries(attachments, files) } : {}),
    ...(reviews.length > 0 ? { reviews } : {}),
  };
  return matterText(matter, content);
}

function attachmentEntries(
  attachments: readonly CardFile[],
  files: ReadonlyMap<string, string>,
): Map<string, unknown> {
  const sorted = [...attachments].sort((a, b) => byCode(a.fileName, b.fileName));
  return new Map(
    sorted.map(({ fileName, type, missing }) => {
      if (missing) return [fileName, { missing: true }];
      const file = files.get(fileName);
      return [
        fileName,
        file === undefined || file === fileName ? (type ?? {}) : { ...(type ? { type } : {}), file },
      ];
    }),
  );
}

/** A name on the disk for each attachment of a card, none of them twice on a file system that ignores case. */
export function attachmentFiles(names: readonly string[]): Map<string, string> {
  const used = new Set<string>();
  const files = new Map<string, string>();
  for (const name of [...names].sort(byCode)) {
    const safe = safeFileName(name);
    let file = safe;
    for (let number = 2; used.has(foldedName(file)); number++)
      file = safe.replace(/(?=\.[A-Za-z\d]{1,10}$|$)/, `-${number}`);
    used.add(foldedName(file));
    files.set(name, file);
  }
  return files;
}

const byCode = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
