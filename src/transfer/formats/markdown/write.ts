import { hashOfCard } from "../../../cards/document.ts";
import { foldedName, freeName, safeId } from "../../../files/safe-names.ts";
import {
  apartFolder,
  deckFile,
  folderName,
  markerName,
  templatesFolder,
  withoutDeck as withoutDeckFolder,
} from "../../../folder/layout.ts";
import type { Deck, Template } from "../../../schema/index.ts";
import type { Collection, ExportedCard } from "../../collection.ts";
import { type ListedAttachment, writeCardFile } from "./card-file.ts";
import type { ExportFolder } from "./folder.ts";
import {
  attachmentFiles,
  cardStem,
  deckText,
  markerText,
  templateFileName,
  templateText,
} from "./write-files.ts";

/** A folder of files: a card in each, a folder for each deck (docs/design/cards.md, Markdown folders). */
export async function writeMarkdown(collection: Collection, folder: ExportFolder): Promise<void> {
  await folder.write(markerName, markerText(collection.deck));
  const decks = deckFolders(collection.decks);
  for (const deck of collection.decks)
    await folder.write(`${decks.get(deck.id)}/${deckFile}`, deckText(deck, false), { id: deck.id });
  const templateName = templateNames(collection.allTemplates);
  const used = new Set<string>();
  for await (const page of collection.cards())
    for (const exported of page) {
      const { card } = exported;
      const stem = `${decks.get(card["deck-id"] ?? "") ?? withoutDeckFolder}/${cardStem(card)}`;
      // No two cards are in one file, on file systems that ignore case either.
      const isTaken = (each: string) => used.has(foldedName(each));
      const path = freeName(stem, isTaken, (number) => `${stem}~${number}`);
      used.add(foldedName(path));
      const attachments = await writeAttachments(exported, path, collection, folder);
      const template = card["template-id"] ? templateName(card["template-id"]) : undefined;
      const about = { id: card.id, card: await hashOfCard(card) };
      await folder.write(`${path}.md`, await writeCardFile(card, { template, attachments }), about);
    }
  for (const template of collection.templates)
    await folder.write(`${templatesFolder}/${templateFileName(template)}`, templateText(template), {
      id: template.id,
    });
  await folder.finish();
}

/** The folder of each deck, below that of the deck above it; where a name is taken, on file systems that ignore case, too, the id follows it. */
function deckFolders(decks: readonly Deck[]): ReadonlyMap<string, string> {
  const byId = new Map(decks.map((deck) => [deck.id, deck]));
  const folders = new Map<string, string>();
  const used = new Set([withoutDeckFolder, apartFolder, templatesFolder].map(foldedName));
  const place = (deck: Deck, line: ReadonlySet<string>): string => {
    const known = folders.get(deck.id);
    if (known !== undefined) return known;
    const parent = byId.get(deck["parent-id"] ?? "");
    const isBelow = parent !== undefined && !line.has(parent.id);
    let path = (isBelow ? `${place(parent, new Set([...line, deck.id]))}/` : "") + folderName(deck);
    if (used.has(foldedName(path))) path = `${path}-${safeId(deck.id)}`;
    used.add(foldedName(path));
    folders.set(deck.id, path);
    return path;
  };
  for (const deck of decks) place(deck, new Set([deck.id]));
  return folders;
}

/** Downloads the files of a card into the folder beside it. */
async function writeAttachments(
  { card, files }: ExportedCard,
  path: string,
  collection: Collection,
  folder: ExportFolder,
): Promise<ListedAttachment[]> {
  const stored = attachmentFiles(files.map((each) => each["file-name"]));
  const listed: ListedAttachment[] = [];
  for (const file of files) {
    const name = file["file-name"];
    const onDisk = stored.get(name) ?? name;
    const fetched = await collection.fetch(file);
    if (fetched.path === undefined) {
      await folder.keep(`${path}.files/${onDisk}`, card.id);
      listed.push({ "file-name": name });
    } else {
      await folder.copy(`${path}.files/${onDisk}`, fetched.path, card.id);
      listed.push({ "file-name": name, type: fetched.file.type, file: onDisk });
    }
  }
  return listed;
}

/** Templates are named by their names where these are unique, else by their ids. */
export function templateNames(templates: readonly Template[]): (id: string) => string {
  const names = new Map(templates.map(({ id, name }) => [id, name ?? ""]));
  const counts = new Map<string, number>();
  for (const name of names.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return (id) => {
    const name = names.get(id);
    return name !== undefined && counts.get(name) === 1 ? name : id;
  };
}
