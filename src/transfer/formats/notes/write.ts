import { appendFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { splitSides } from "../../../cards/index.ts";
import { FenceScan } from "../../../cards/sides.ts";
import { safeFileName, safeId, safeName } from "../../../files/safe-names.ts";
import { makeTemporaryFolder } from "../../../files/temporary.ts";
import type { Card, Template } from "../../../schema/index.ts";
import type { Collection, ExportedCard } from "../../export/collection.ts";
import type { ExportFolder } from "../../export/folder.ts";
import type { Adapted } from "../../export/losses.ts";
import { mediaNames } from "../../media.ts";
import { cardsWithoutDeck } from "../../model.ts";
import { manualTagsOf } from "../markdown/card-file.ts";
import { adaptedToHashcards, adaptedToObsidian } from "./adapted.ts";
import { bracketed, hasDeletion, highlighted } from "./deletions.ts";
import { guarded } from "./hashcards.ts";
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
    const texts = new DeckTexts(temporary, (deck) => headOf(deck, format, collection));
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
  const paths = await collection.deckPaths();
  const templates = new Map(collection.allTemplates.map((template) => [template.id, template]));
  const note = format === "obsidian" ? obsidianNote : hashcardsNote;
  for await (const exported of collection.eachCard({ trash: false })) {
    const { sides, filled } = await sidesOf(exported.card, templates);
    const linked = await writeMedia(exported, sides.map(closed), collection, folder);
    const { text, adapted } = await note(exported, linked, filled);
    if (text === undefined) {
      collection.losses.leaveOutCard("cards with one side and no deletion");
      continue;
    }
    for (const each of adapted) collection.losses.adapt(each);
    write(paths.get(exported.card["deck-id"] ?? "") ?? cardsWithoutDeck, text);
  }
}

/** A card in a form of notes; without a text where the form has none for it. */
interface WrittenNote {
  readonly text: string | undefined;
  readonly adapted: readonly Adapted[];
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

async function sidesOf(card: Card, templates: ReadonlyMap<string, Template>) {
  const template = templates.get(card["template-id"] ?? "");
  if (template === undefined || Object.keys(card.fields ?? {}).length === 0)
    return { sides: splitSides(card.content ?? ""), filled: false };
  const { fillSides } = await import("../../../cards/template.ts");
  const { sides } = fillSides(template.content ?? "", template.fields ?? {}, card.fields ?? {});
  return { sides: [...sides], filled: true };
}

/** With an end for a code block that has none: the cards after it would be part of it. */
function closed(side: string): string {
  const scan = new FenceScan();
  for (const line of side.split("\n")) scan.inside(line);
  return scan.open === undefined ? side : `${side.trimEnd()}\n${scan.open}`;
}

/** A blank line would end the card. */
const unbroken = (text: string) => text.trim().replace(/\n[ \t]*(?=\n)/g, "\n<br>");

async function obsidianNote(
  { card, archived }: ExportedCard,
  sides: readonly string[],
  filled: boolean,
): Promise<WrittenNote> {
  const [first = "", ...rest] = sides.map(unbroken);
  const deletions = rest.length === 0 && hasDeletion(first) ? highlighted(first) : undefined;
  const front = deletions?.text ?? first;
  const back = rest.join("\n---\n");
  const tags = await manualTagsOf(card);
  const names = tags.map(obsidianTag);
  const how = adaptedToObsidian;
  const colons = rest.length === 0 && front.split("\n").some((line) => pairOf(line) !== undefined);
  const adapted = [
    ...(archived ? [how.archived] : []),
    ...(card.reviews?.length ? [how.history] : []),
    ...(filled ? [how.filled] : []),
    ...(names.some((name, index) => name !== tags[index]) ? [how.tags] : []),
    ...(deletions?.changed ? [how.deletions] : []),
    ...(colons ? [how.colons] : []),
  ];
  // Beside its last fence a code block would have no end.
  const blank = /(?:```|~~~)$/.test(front) ? "\n" : " ";
  const asked = [front, names.map((name) => `#${name}`).join(" ")].filter((part) => part !== "").join(blank);
  const reverse = card["review-reverse?"] ?? false;
  const line = `${asked}${reverse ? ":::" : "::"}${back}`;
  let text: string;
  if (deletions !== undefined) text = colons ? asked.replace(/:(?=:)/g, ":\\") : asked;
  else if (back === "") return { text: undefined, adapted };
  else if (!/\n/.test(asked + back) && pairOf(line)?.content === `${asked}\n---\n${back}`) text = line;
  else text = `${asked}\n${reverse ? "??" : "?"}\n${back}`;
  const schedule = scheduleOf(card);
  return { text: schedule === undefined ? text : `${text}\n${schedule}`, adapted };
}

/** Characters that end a tag of Obsidian. */
const refused = /[\s\u2000-\u206f\u2e00-\u2e7f'!"#$%&()*+,.:;<=>?@^`{|}~[\]\\]+/g;

/** A tag as Obsidian accepts it: with `/` between the tags of a tree, and not only digits. */
function obsidianTag(tag: string): string {
  const name = tag.replaceAll("::", "/").replace(refused, "-");
  return /^[\d/]*$/.test(name) ? `_${name}` : name;
}

/** The path of a deck as a tag. */
const obsidianDeck = (path: string): string =>
  path
    .split(/(?<!\\)\//)
    .map((name) => name.replaceAll("\\/", "-").replace(refused, "-"))
    .join("/");

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

async function hashcardsNote(
  { card, archived }: ExportedCard,
  sides: readonly string[],
  filled: boolean,
): Promise<WrittenNote> {
  const how = adaptedToHashcards;
  const { text, isGuarded } = hashcardsText(sides);
  const adapted = [
    ...(archived ? [how.archived] : []),
    ...(card.reviews?.length ? [how.history] : []),
    ...(filled ? [how.filled] : []),
    ...((await manualTagsOf(card)).length > 0 ? [how.tags] : []),
    ...(card["review-reverse?"] ? [how.reverse] : []),
    ...(sides.length > 2 ? [how.sides] : []),
    ...(isGuarded ? [how.lines] : []),
  ];
  return { text, adapted };
}

function hashcardsText(sides: readonly string[]): { text: string | undefined; isGuarded: boolean } {
  const [front = "", ...rest] = sides.map((side) => side.trim());
  const back = rest.filter((side) => side !== "").join("\n\n");
  const isCloze = rest.length === 0 && hasDeletion(front);
  if (!isCloze && back === "") return { text: undefined, isGuarded: false };
  const escaped = front.includes("](") ? front : front.replace(/[[\]](?![([])/g, "\\$&");
  const parts = isCloze
    ? [["C:", bracketed(escaped)]]
    : [
        ["Q:", front],
        ["A:", back],
      ];
  const written = parts.map(([tag, text = ""]) => {
    const plain = guarded(text);
    // A code block has its fence on a line of its own.
    return { text: `${tag}${/^(?:```|~~~)/.test(plain) ? "\n" : " "}${plain}`, isGuarded: plain !== text };
  });
  return {
    text: written.map(({ text }) => text).join("\n"),
    isGuarded: written.some((part) => part.isGuarded),
  };
}

function headOf(deck: string, format: NotesFormat, collection: Collection): string {
  if (format === "hashcards") return `---\nname = ${JSON.stringify(deck)}\n---\n`;
  const tag = obsidianDeck(deck);
  if (tag !== deck && deck !== cardsWithoutDeck) collection.losses.adapt(adaptedToObsidian.decks);
  return `#flashcards/${tag}\n`;
}

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
      collection.losses.leaveOut("attachments", 1);
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
