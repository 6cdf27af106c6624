import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { foldedName } from "../../../files/safe-names.ts";
import type { Card, Template } from "../../../schema/index.ts";
import type { Spool } from "../../export/spool.ts";
import { filesByCard, type SpooledFile } from "../../export/spooled.ts";
import type { Form, FormSource } from "../form.ts";
import { writeCardFile } from "./card-file.ts";
import { type DeckFolder, deckFolders } from "./deck-folders.ts";
import {
  attachmentFiles,
  cardStem,
  deckFile,
  deckText,
  markerName,
  markerText,
  templateFileName,
  templatesFolder,
  templateText,
} from "./write-files.ts";

/**
 * A folder of files. They are written as the cards come, while the next are fetched; those of cards that turn out to have
 * attachments are written again. Where cards were fetched before, all are written at the end.
 */
export async function markdown({ spool, decks, deck, path }: FormSource): Promise<Form> {
  // How templates are named is only known when all are there, which are wanted.
  const early = decks === undefined && spool.progress("cards").bytes === 0;
  let folder: MarkdownFolder | undefined;
  return {
    attachments: "held",
    head: "",
    async page(cards, before) {
      if (early) {
        if (before === 0) folder = MarkdownFolder.begin(path, spool, deck);
        for (const card of cards) await folder?.put(card, []);
      }
      // A page is a line: reading it again takes half the time.
      return `${JSON.stringify(cards)}\n`;
    },
    async write(progress) {
      const attachments = await filesByCard(spool.attachments());
      const written = folder !== undefined;
      if (written && attachments.size === 0) return;
      const again = written ? new MarkdownFolder(path, spool) : MarkdownFolder.begin(path, spool, deck);
      let done = 0;
      for await (const line of spool.lines("cards")) {
        const cards = JSON.parse(line) as Card[];
        for (const card of cards) {
          const files = attachments.get(card.id);
          if (written && files === undefined) again.place(card);
          else await again.put(card, files ?? []);
        }
        done += cards.length;
        progress("files", done);
      }
    },
  };
}

/** Takes the cards in the order in which they are spooled: their names depend on it. */
class MarkdownFolder {
  readonly #root: string;
  readonly #spool: Spool;
  readonly #decks: ReadonlyMap<string, DeckFolder>;
  readonly #templateName: (id: string) => string;
  readonly #made = new Map<string, string>();
  readonly #taken = new Map<string, Set<string>>();

  constructor(root: string, spool: Spool) {
    this.#root = root;
    this.#spool = spool;
    this.#decks = deckFolders(spool.decks());
    this.#templateName = templateNames(spool.templates());
  }

  /** Makes the folder, with all in it but the cards. */
  static begin(root: string, spool: Spool, only: string | undefined): MarkdownFolder {
    rmSync(root, { recursive: true, force: true });
    mkdirSync(root);
    const folder = new MarkdownFolder(root, spool);
    folder.#write("", markerName, markerText(only));
    for (const deck of spool.decks()) {
      const place = folder.#decks.get(deck.id);
      if (place) folder.#write(place.path.join("/"), deckFile, deckText(deck, !place.inTree));
    }
    for (const template of spool.templates())
      folder.#write(templatesFolder, templateFileName(template), templateText(template));
    return folder;
  }

  /** The folder of a card, and the name of its file without the ending; asked once for each. */
  place(card: Card): { readonly folder: string; readonly stem: string } {
    const folder = this.#decks.get(card["deck-id"] ?? "")?.path.join("/") ?? "_without-deck";
    return { folder, stem: freeStem(cardStem(card), folder, this.#taken) };
  }

  /** Writes a card with its files. */
  async put(card: Card, files: readonly SpooledFile[]): Promise<void> {
    const { folder, stem } = this.place(card);
    const stored = attachmentFiles(
      files.filter(({ file }) => file !== undefined).map((each) => each["file-name"]),
    );
    const attachments = files.map((each) => ({
      ...each,
      file: each.file === undefined ? undefined : stored.get(each["file-name"]),
    }));
    const template = card["template-id"] ? this.#templateName(card["template-id"]) : undefined;
    this.#write(folder, `${stem}.md`, await writeCardFile(card, { template, attachments }));
    if (stored.size > 0) copyFiles(files, stored, this.#spool, join(this.#root, folder, `${stem}.files`));
  }

  #write(folder: string, name: string, text: string): void {
    let path = this.#made.get(folder);
    if (path === undefined) {
      path = join(this.#root, folder);
      mkdirSync(path, { recursive: true });
      this.#made.set(folder, path);
    }
    writeFileSync(`${path}${sep}${name}`, text);
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
  let folded = foldedName(free);
  for (let number = 2; names.has(folded); number++) {
    free = `${stem}~${number}`;
    folded = foldedName(free);
  }
  names.add(folded);
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
