import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { inlineTags } from "../../markdown/index.ts";
import type { Card, Template } from "../../schema/index.ts";
import type { Spool } from "../export/spool.ts";
import type { SpooledFile } from "../export/spooled.ts";
import { matterText, yamlWriter } from "../front-matter.ts";
import { foldedName } from "../safe-names.ts";
import { deckFolders } from "./deck-folders.ts";
import type { Form } from "./form.ts";
import {
  attachmentFiles,
  cardMatter,
  cardStem,
  deckFile,
  deckText,
  markerName,
  markerText,
  templateFileName,
  templatesFolder,
  templateText,
} from "./markdown-files.ts";

export const markdown: Form = {
  attachments: "held",
  // Files can't be written before their attachments are known. A page is a line: reading it again takes half the time.
  open: async () => ({ head: "", page: (cards) => `${JSON.stringify(cards)}\n` }),
  async write({ spool }, path, progress) {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path);
    await writeMarkdown(spool, path, progress);
  },
};

/** Writes the collection as a folder of files into an empty folder. */
async function writeMarkdown(
  spool: Spool,
  root: string,
  progress: (part: "files", done: number) => void,
): Promise<void> {
  const made = new Map<string, string>();
  const put = (folder: string, name: string, text: string) => {
    let path = made.get(folder);
    if (path === undefined) {
      path = join(root, folder);
      mkdirSync(path, { recursive: true });
      made.set(folder, path);
    }
    writeFileSync(`${path}${sep}${name}`, text);
  };
  put("", markerName, markerText);
  const decks = spool.decks();
  const folders = deckFolders(decks);
  for (const deck of decks) {
    const folder = folders.get(deck.id);
    if (folder) put(folder.path.join("/"), deckFile, deckText(deck, !folder.inTree));
  }
  const templates = spool.templates();
  for (const template of templates) put(templatesFolder, templateFileName(template), templateText(template));
  const templateName = templateNames(templates);
  const attachments = await spool.attachmentsByCard();
  const taken = new Map<string, Set<string>>();
  const yaml = yamlWriter();
  let written = 0;
  for await (const line of spool.lines("cards")) {
    const cards = JSON.parse(line) as Card[];
    for (const card of cards) {
      const folder = folders.get(card["deck-id"] ?? "")?.path.join("/") ?? "_without-deck";
      const stem = freeStem(cardStem(card), folder, taken);
      const files = attachments.get(card.id) ?? [];
      const stored = attachmentFiles(
        files.filter(({ file }) => file !== undefined).map((each) => each["file-name"]),
      );
      const matter = cardMatter(card, {
        template: card["template-id"] ? templateName(card["template-id"]) : undefined,
        inline: card.content?.includes("#") ? await inlineTags(card.content) : [],
        attachments: files,
        stored,
      });
      put(folder, `${stem}.md`, matterText(yaml(matter), card.content ?? ""));
      if (stored.size > 0) copyFiles(files, stored, spool, join(root, folder, `${stem}.files`));
    }
    written += cards.length;
    progress("files", written);
  }
}

/** Templates are named by their names where these are unique, else by their ids. */
function templateNames(templates: readonly Template[]): (id: string) => string {
  const names = new Map(templates.map(({ id, name }) => [id, name ?? ""]));
  const counts = new Map<string, number>();
  for (const name of names.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return (id) => {
    const name = names.get(id);
    return name !== undefined && counts.get(name) === 1 ? name : id;
  };
}

/** No two cards of a folder in one file, on file systems that ignore case either. */
function freeStem(stem: string, folder: string, taken: Map<string, Set<string>>): string {
  let names = taken.get(folder);
  if (names === undefined) {
    names = new Set();
    taken.set(folder, names);
  }
  let free = stem;
  for (let number = 2; names.has(foldedName(free)); number++) free = `${stem}~${number}`;
  names.add(foldedName(free));
  return free;
}

function copyFiles(
  files: readonly SpooledFile[],
  stored: ReadonlyMap<string, string>,
  spool: Spool,
  folder: string,
): void {
  for (const { file, "file-name": name } of files) {
    if (file === undefined) continue;
    mkdirSync(folder, { recursive: true });
    copyFileSync(spool.filePath(file), join(folder, stored.get(name) ?? name));
  }
}
