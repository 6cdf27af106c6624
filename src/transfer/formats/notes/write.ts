import { splitSides } from "../../../cards/index.ts";
import { safeFileName, safeId, safeName } from "../../../files/safe-names.ts";
import type { Card, Template } from "../../../schema/index.ts";
import type { Collection, ExportedCard } from "../../export/collection.ts";
import type { ExportFolder } from "../../export/folder.ts";
import { mediaNames } from "../../media.ts";
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
  const paths = deckPaths(collection.decks);
  const templates = new Map(collection.allTemplates.map((template) => [template.id, template]));
  const decks = new Map<string, string[]>();
  for await (const exported of collection.eachCard()) {
    const sides = await sidesOf(exported.card, templates);
    const linked = await writeMedia(exported, sides, collection, folder);
    const text = format === "obsidian" ? await obsidianText(exported.card, linked) : hashcardsText(linked);
    if (text === undefined) {
      collection.leaveOutCard("cards with one side and no deletion");
      continue;
    }
    const deck = paths.get(exported.card["deck-id"] ?? "") ?? "Cards without a deck";
    const known = decks.get(deck);
    if (known === undefined) decks.set(deck, [text]);
    else known.push(text);
  }
  const used = new Set<string>();
  for (const [deck, cards] of decks)
    await folder.write(freePath(deck, used), `${headOf(deck, format)}\n${cards.join("\n\n")}\n`);
  await folder.finish();
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
      collection.leaveOut([file]);
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
