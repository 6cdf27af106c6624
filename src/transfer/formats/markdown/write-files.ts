import {
  beforeEnding,
  foldedName,
  freeName,
  safeFileName,
  safeId,
  safeName,
} from "../../../files/safe-names.ts";
import {
  type Card,
  type Deck,
  deckCreate,
  deck as deckKind,
  type Template,
  templateCreate,
} from "../../../schema/index.ts";
import { matterText, yamlText } from "./front-matter.ts";

/**
 * The text of the files of a markdown folder (docs/import-export.md). Keys stand in a fixed order and nothing is written
 * that changes by itself, so that the same collection is the same bytes.
 */

/** @param deck the id of the deck that was asked for; nothing where everything was */
export const markerText = (deck: string | undefined): string =>
  yamlText({ format: "deckhand-markdown", version: 1, ...(deck === undefined ? {} : { deck }) });

/** The id of a document, and what of it can be sent. */
function settingsOf(document: Deck | Template, fields: readonly string[], left: string): object {
  const values = document as Readonly<Record<string, unknown>>;
  const named = fields.filter((name) => name !== left && values[name] !== undefined && values[name] !== null);
  return Object.fromEntries(["id", ...named].map((name) => [name, values[name]]));
}

/** @param parent whether the parent is written: only where the folder does not lie below that of the parent. */
export function deckText(deck: Deck, parent: boolean): string {
  const fields = Object.keys(deckKind.fields).filter((name) => name in deckCreate.fields);
  return yamlText(settingsOf(deck, fields, parent ? "" : "parent-id"));
}

export function templateFileName(template: Template): string {
  const name = safeName(template.name ?? "", 80);
  return `${name === "" ? "" : `${name}-`}${safeId(template.id)}.md`;
}

export const templateText = (template: Template): string =>
  matterText(
    yamlText(settingsOf(template, Object.keys(templateCreate.fields), "content")),
    template.content ?? "",
  );

/** What of a name is looked at: patterns take their time with more. */
const longestName = 1000;

/** The name of a card's file without its ending. */
export function cardStem(card: Card): string {
  const name = safeName(withoutMarks((card.name ?? "").slice(0, longestName)), 80);
  return `${name === "" ? "" : `${name}-`}${safeId(card.id)}`;
}

/** Names that come from the value of a field may still hold markdown. */
const withoutMarks = (name: string) =>
  name
    .replace(/!\[[^\]]*\]\([^()]*\)/g, " ")
    .replace(/\[([^\]]*)\]\([^()]*\)/g, "$1")
    .replace(/\{\{(?:\d+::)?|\}\}|[*`$]+|\\(?=[!-/:-@[-`{-~])/g, "");

/** A name on the disk for each attachment of a card, none of them twice on a file system that ignores case. */
export function attachmentFiles(names: readonly string[]): Map<string, string> {
  const used = new Set<string>();
  const files = new Map<string, string>();
  for (const name of [...names].sort(byCode)) {
    const safe = safeFileName(name);
    const isTaken = (each: string) => used.has(foldedName(each));
    const file = freeName(safe, isTaken, (number) => beforeEnding(safe, `-${number}`));
    used.add(foldedName(file));
    files.set(name, file);
  }
  return files;
}

const byCode = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
