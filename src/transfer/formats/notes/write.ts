import { appendFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { splitSides } from "../../../cards/index.ts";
import { safeFileName, safeId, safeName } from "../../../files/safe-names.ts";
import { makeTemporaryFolder } from "../../../files/temporary.ts";
import type { Card, Template } from "../../../schema/index.ts";
import type { Collection, ExportedCard } from "../../export/collection.ts";
import type { ExportFolder } from "../../export/folder.ts";
import { mediaNames } from "../../media.ts";
import { cardsWithoutDeck } from "../../model.ts";
import { deckPaths } from "../deck-paths.ts";
import { manualTagsOf } from "../markdown/card-file.ts";
import { pairOf } from "./obsidian.ts";
import type { NotesFormat } from "./recognise.ts";

/** A file of notes for each deck, in the form of Obsidian's Spaced Repetition or of hashcards; pictures in `media`. */
export async function writeNotes(
  collection: Collection,
  folder: ExportFolder,
  format: NotesFormat,
): Promise<void> {
  const temporary = await makeTemporaryFolder("deckhand-");
  try {
    const texts = new DeckTexts(temporary, (deck) => headOf(deck, format));
    await writeCards(collection, folder, format, (deck, text) => texts.add(deck, text));
    const used = new Set<string>();
    for (const [deck, file] of texts.finish()) await folder.copy(freePath(deck, used), file);
    await folder.finish();
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function writeCards(
  collection: Collection,
  folder: ExportFolder,
  format: NotesFormat,
  write: (deck: string, text: string) => void,
): Promise<void> {
  const paths = deckPaths(collection.decks);
  const templates = new Map(collection.allTemplates.map((template) => [template.id, template]));
  for await (const exported of collection.eachCard()) {
    const sides = await sidesOf(exported.card, templates);
    const linked = await writeMedia(exported, sides, collection, folder);
    const text = format === "obsidian" ? await obsidianText(exported.card, linked) : hashcardsText(linked);
    if (text === undefined) {
      collection.leaveOutCard("cards with one side and no deletion");
      continue;
    }
    write(paths.get(exported.card["deck-id"] ?? "") ?? cardsWithoutDeck, text);
  }
}

/** Characters of all decks together that are kept until they are written. */
const mostKept = 1024 * 1024;

/** The text of each deck in a temporary file: cards do not come deck by deck. */
class DeckTexts {
  readonly #folder: string;
  readonly #headOf: (deck: string) => string;
  /** The file of each deck, in the order of their first cards. */
  readonly #files = new Map<string, string>();
  #kept = new Map<string, string[]>();
  #length = 0;

  constructor(folder: string, headOf: (deck: string) => string) {
    this.#folder = folder;
    this.#headOf = headOf;
  }

  add(deck: string, card: string): void {
    const isFirst = !this.#files.has(deck);
    if (isFirst) this.#files.set(deck, join(this.#folder, String(this.#files.size)));
    this.#keep(deck, `${isFirst ? `${this.#headOf(deck)}\n` : "\n\n"}${card}`);
  }

  finish(): ReadonlyMap<string, string> {
    for (const deck of this.#files.keys()) this.#keep(deck, "\n");
    this.#write();
    return this.#files;
  }

  #keep(deck: string, text: string): void {
    const kept = this.#kept.get(deck);
    if (kept === undefined) this.#kept.set(deck, [text]);
    else kept.push(text);
    this.#length += text.length;
    if (this.#length > mostKept) this.#write();
  }

  #write(): void {
    for (const [deck, texts] of this.#kept)
      appendFileSync(this.#files.get(deck) ?? "", texts.join(""), { mode: 0o600 });
    this.#kept = new Map();
    this.#length = 0;
  }
}

async function sidesOf(card: Card, templates: ReadonlyMap<string, Template>): Promise<string[]> {
  const template = templates.get(card["template-id"] ?? "");
  if (template === undefined || Object.keys(card.fields ?? {}).length === 0)
    return splitSides(card.content ?? "");
  const { fillSides } = await import("../../../cards/template.ts");
  return [...fillSides(template.content ?? "", template.fields ?? {}, card.fields ?? {}).sides];
}

const hasDeletion = (text: string) => /\{\{(?:\d+::)?[^{}]+\}\}/.test(text);

const withDeletions = (text: string, open: string, close: string) =>
  text.replace(/\{\{(?:\d+::)?([^{}]+)\}\}/g, `${open}$1${close}`);

/** A blank line would end the card. */
const unbroken = (text: string) => text.trim().replace(/\n[ \t]*(?=\n)/g, "\n<br>");

async function obsidianText(card: Card, sides: readonly string[]): Promise<string | undefined> {
  const [front = "", ...rest] = sides.map(unbroken);
  const back = rest.join("\n---\n");
  const tags = (await manualTagsOf(card)).map((tag) => ` #${tag.replace(/\s+/g, "-")}`).join("");
  const reverse = card["review-reverse?"] ?? false;
  const line = `${front}${tags}${reverse ? ":::" : "::"}${back}`;
  let text: string;
  if (rest.length === 0 && hasDeletion(front)) text = withDeletions(front, "==", "==") + tags;
  else if (back === "") return undefined;
  else if (!/\n/.test(front + back) && pairOf(line)?.content === `${front}${tags}\n---\n${back}`) text = line;
  else text = `${front}${tags}\n${reverse ? "??" : "?"}\n${back}`;
  const schedule = scheduleOf(card);
  return schedule === undefined ? text : `${text}\n${schedule}`;
}

function scheduleOf({ reviews }: Card): string | undefined {
  const last = reviews?.at(-1);
  if (last?.due == null || last.date == null) return undefined;
  const days = Math.round((Date.parse(last.due) - Date.parse(last.date)) / 86_400_000);
  return `<!--SR:!${localDate(new Date(last.due))},${Math.max(1, days)},250-->`;
}

const localDate = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()]
    .map((part, index) => String(part).padStart(index === 0 ? 4 : 2, "0"))
    .join("-");

function hashcardsText(sides: readonly string[]): string | undefined {
  const plain = (text: string) => text.trim().replace(/^(?=[QAC]:|---[ \t]*$)/gm, " ");
  const [front = "", ...rest] = sides;
  const back = rest
    .map(plain)
    .filter((side) => side !== "")
    .join("\n\n");
  if (rest.length === 0 && hasDeletion(front)) {
    const escaped = front.replace(/[[\]](?![([])/g, "\\$&");
    return `C: ${plain(withDeletions(front.includes("](") ? front : escaped, "[", "]"))}`;
  }
  return back === "" ? undefined : `Q: ${plain(front)}\nA: ${back}`;
}

const headOf = (deck: string, format: NotesFormat) =>
  format === "obsidian"
    ? `#flashcards/${deck.replace(/[\s#,;]+/g, "-")}\n`
    : `---\nname = ${JSON.stringify(deck)}\n---\n`;

/** Downloads the attachments that the sides name, and links to them. */
async function writeMedia(
  { card, files }: ExportedCard,
  sides: readonly string[],
  collection: Collection,
  folder: ExportFolder,
): Promise<string[]> {
  const links = new Map<string, string>();
  const named = new Set(sides.flatMap(mediaNames));
  for (const file of files) {
    const name = file["file-name"];
    if (!named.has(name)) {
      collection.leaveOut("attachments", 1);
      continue;
    }
    const fetched = await collection.fetch(file);
    if (fetched.path === undefined) continue;
    const path = `media/${safeId(card.id)}-${safeFileName(name)}`;
    await folder.copy(path, fetched.path, card.id);
    links.set(name, path);
  }
  if (links.size === 0) return [...sides];
  return sides.map((side) =>
    side.replace(/(\]\()<?@media\/([^()\s<>]+|[^<>\n]+(?=>))>?(\))/g, (whole, open, name, close) => {
      const path = links.get(decodeURIComponent(name));
      return path === undefined ? whole : `${open}${encodeURI(path)}${close}`;
    }),
  );
}

function freePath(deck: string, used: Set<string>): string {
  const name = safeName(deck.replaceAll("/", " - "), 120) || "deck";
  let free = name;
  for (let number = 2; used.has(free.toLowerCase()); number++) free = `${name}-${number}`;
  used.add(free.toLowerCase());
  return `${free}.md`;
}
