import { lstatSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DeckhandError } from "../errors.ts";
import {
  apartFolder,
  deckFile,
  filesEnding,
  filesFolder,
  folderName,
  ignoreFile,
  ignorePatterns,
  isReserved,
  templatesFolder,
  withoutDeck,
} from "../folder/layout.ts";
import { hashOfBytes, statOf } from "../folder/stat.ts";
import { settingsOf } from "../schema/today.ts";
import { FilesBeside } from "../transfer/formats/beside.ts";
import { readMatter, readYaml } from "../transfer/formats/markdown/front-matter.ts";
import { type CardReadOptions, readFileCard } from "./read-card.ts";
import { type ScannedFiles, scanEmbeds, scanFiles } from "./scan-files.ts";
import { scannedEntries, steadyScan } from "./steady-scan.ts";
import type { BaseFile, Excluded, FileCard, FolderDeck, FolderFile, FolderTemplate } from "./types.ts";

export interface FolderState {
  readonly decks: Map<string, FolderDeck>;
  readonly files: ScannedFiles;
  readonly templates: readonly FolderTemplate[];
  /** The files beside a card's file, by its path. */
  readonly attachments: ReadonlyMap<string, readonly FolderFile[]>;
  /** Why a file of the folder is not synced, whatever is in it; undefined for one that is, or is missing. */
  excluded(path: string): Excluded | undefined;
  /** Whether a folder of attachments that was moved has only files that the card had when it was scanned or synced last. */
  hasOnlyKnown(id: string, path: string, at: string): boolean;
}

interface FolderScanOptions extends Omit<CardReadOptions, "beside"> {
  /** Whether the service has a deck, or had it at the last sync. */
  hasDeck(id: string): boolean;
  /** A deck of the service by its name and the id of the one above it. */
  deckNamed(name: string, parent: string | null): string | undefined;
  /** The deck that is synced; undefined for all of them. */
  readonly scope: string | undefined;
  /** Whether the service has the extension `deck-settings`. */
  readonly hasSettings: boolean;
  progress(files: number): void;
}

const ignored: Excluded = {
  note: ".deckhandignore matches its file, so its card is left as it is: remove the pattern to sync it, or the file to remove the card",
  failed: false,
};
const linked: Excluded = {
  note: "a symbolic link is in the place of its file: put the file there, or remove the link to remove the card",
  failed: true,
};

/** The key of a deck: its id, or a name for one that has to be created. */
export const deckKey = (deck: Pick<FolderDeck, "id" | "path">): string => deck.id ?? `new:${deck.path}`;

/** The deck for new files at the top of a folder, as a folder in it. */
export function topDeck(root: string): FolderDeck {
  const name = basename(root).normalize("NFC");
  return { path: folderName({ id: "cards", name }), id: undefined, name, parent: undefined, hash: undefined };
}

/** Whether a file's place says nothing of its deck: at the top of a folder for all decks. */
export const hasNoDeck = (path: string, scope: string | undefined): boolean =>
  scope === undefined && !path.includes("/");

/** Reads a folder whole. Files that have not changed since the last sync are not opened. */
export async function scanFolder(root: string, options: FolderScanOptions): Promise<FolderState> {
  return steadyScan(root, async () => {
    const scan = new FolderScan(root, options);
    scan.walk("", undefined);
    await scan.readCards();
    return scan;
  });
}

class FolderScan implements FolderState {
  readonly decks = new Map<string, FolderDeck>();
  readonly files = { others: [] as FileCard[], unchanged: new Set<string>() };
  readonly templates: FolderTemplate[] = [];
  readonly attachments = new Map<string, readonly FolderFile[]>();
  readonly #root: string;
  readonly #options: FolderScanOptions & CardReadOptions;
  readonly #ignored: (path: string) => boolean;
  /** The folder of the files of a card, by the path of its file. */
  readonly #filesFolders = new Map<string, string>();
  /** The names of the files of cards by folder, with the path of its deck. */
  readonly #found: { readonly path: string; readonly deck: string | undefined; readonly names: string[] }[] =
    [];

  constructor(root: string, options: FolderScanOptions) {
    this.#root = root;
    this.#options = { ...options, beside: new FilesBeside(root) };
    this.#ignored = ignorePatterns(this.#text(ignoreFile) ?? "");
  }

  /** Finds the decks and cards below a folder. @returns whether there are any */
  walk(path: string, parent: FolderDeck | undefined): boolean {
    const below = (name: string) => (path === "" ? name : `${path}/${name}`);
    const entries = scannedEntries(this.#root, path)
      .filter(({ name }) => !name.startsWith(".") && !this.#ignored(below(name)))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    if (path === templatesFolder) {
      for (const name of files.filter((each) => !isReserved(each))) this.#readTemplate(below(name));
      return false;
    }
    const isDeck = path !== "" && path !== withoutDeck && path !== apartFolder;
    const deck = isDeck ? this.#deckOf(path, parent, files.includes(deckFile)) : undefined;
    const inside = deck ?? (path === apartFolder ? undefined : parent);
    const cards = files.filter((name) => !isReserved(name));
    if (cards.length > 0) this.#found.push({ path, deck: inside?.path, names: cards });
    let isFound = cards.length > 0 || files.includes(deckFile);
    if (deck !== undefined) this.decks.set(path, deck);
    for (const name of folders) {
      if (name.endsWith(filesEnding)) {
        const card = cards.find((each) => filesFolder(each) === name);
        if (card !== undefined) this.#filesFolders.set(below(card), below(name));
        continue;
      }
      if (path === "" && name === "node_modules") continue;
      isFound = this.walk(below(name), inside) || isFound;
    }
    // A folder without cards is no deck.
    if (deck !== undefined && !isFound) this.decks.delete(path);
    return isFound;
  }

  async readCards(): Promise<void> {
    this.#tellApart();
    // Emptied: the scan itself is kept for `hasOnlyKnown`.
    for (const { path: folder, deck, names } of this.#found.splice(0)) {
      const inside = deck === undefined ? undefined : this.decks.get(deck);
      const key = inside ? deckKey(inside) : folder === "" ? this.#topDeck() : null;
      const problem = inside?.problem;
      for (const name of names) {
        const path = folder === "" ? name : `${folder}/${name}`;
        const stat = statOf(`${this.#root}/${path}`);
        const deck = hasNoDeck(path, this.#options.scope) ? undefined : key;
        const known = problem === undefined ? this.#options.state.unchangedAt(path, stat, deck) : undefined;
        const { others, unchanged } = this.files;
        // Waiting for each of many files takes longer than looking at them.
        if (known !== undefined) unchanged.add(known);
        else others.push(await readFileCard(this.#root, { path, deck: key, stat, problem }, this.#options));
        const done = others.length + unchanged.size;
        if (done % 100 === 0) this.#options.progress(done);
      }
    }
    const known = new Map<string, BaseFile>();
    for (const files of this.#options.state.files.values())
      for (const file of files.values()) known.set(file.path, file);
    for (const [card, folder] of this.#filesFolders) {
      const files = scanFiles(this.#root, folder, this.#ignored, known);
      if (files.length > 0) this.attachments.set(card, files);
    }
    scanEmbeds(this.#root, this.files, this.#options.state, this.attachments, known);
  }

  readonly excluded = (path: string): Excluded | undefined => {
    const parts = path.split("/");
    const paths = parts.map((_, index) => `${this.#root}/${parts.slice(0, index + 1).join("/")}`);
    const found = paths.map((each) => lstatSync(each, { throwIfNoEntry: false }));
    if (found.some((each) => each?.isSymbolicLink())) return linked;
    return found.at(-1) !== undefined && this.#ignored(path) ? ignored : undefined;
  };

  readonly hasOnlyKnown = (id: string, path: string, at: string): boolean => {
    const ignored = (each: string) => this.#ignored(filesFolder(path) + each.slice(at.length));
    const synced = this.#options.state.files.get(id)?.values() ?? [];
    const known = new Set([...(this.attachments.get(path) ?? []), ...synced].map(({ hash }) => hash));
    return scanFiles(this.#root, at, ignored, new Map()).every(({ hash }) => known.has(hash));
  };

  /** Of several folders with the id of one deck, that at its last path keeps it. */
  #tellApart(): void {
    const owners = new Map<string, FolderDeck>();
    for (const deck of this.decks.values()) {
      const owner = deck.id === undefined ? undefined : owners.get(deck.id);
      if (deck.id === undefined) continue;
      const known = this.#options.state.decks.get(deck.id)?.path;
      const isOwner =
        owner === undefined || (deck.hash !== undefined && deck.path === known) || owner.hash === undefined;
      if (isOwner) owners.set(deck.id, deck);
    }
    for (const [path, deck] of this.decks) {
      const owner = deck.id === undefined ? undefined : owners.get(deck.id);
      if (owner === undefined || owner === deck) continue;
      // A folder that was made at the place of one that was moved is a new deck; a copy of a deck is left.
      if (deck.hash === undefined) this.decks.set(path, { ...deck, id: undefined });
      else
        this.decks.set(path, {
          ...deck,
          problem: `its deck.yaml has the id of ${owner.path}: remove the id to make it a deck of its own`,
        });
    }
  }

  #deckOf(path: string, parent: FolderDeck | undefined, hasFile: boolean): FolderDeck {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const above = parent?.path;
    if (!hasFile)
      return { path, id: this.#knownDeck(path, name, parent), name, parent: above, hash: undefined };
    const file = `${path}/${deckFile}`;
    const text = this.#text(file) ?? "";
    try {
      const document = readYaml(text, file);
      const written = typeof document["id"] === "string" ? document["id"] : undefined;
      // The id of another account is none of this one.
      const id =
        written !== undefined && this.#options.hasDeck(written)
          ? written
          : this.#knownDeck(path, name, parent);
      const given = typeof document["name"] === "string" ? document["name"] : name;
      const hash = hashOfBytes(Buffer.from(text));
      const settings = this.#options.hasSettings ? settingsOf(document) : {};
      return { path, id, name: given, parent: above, hash, settings };
    } catch (error) {
      const problem = error instanceof DeckhandError ? error.message : String(error);
      return { path, id: undefined, name, parent: above, hash: undefined, problem };
    }
  }

  /** The deck of a folder without a `deck.yaml`: the one that was created for it, else the one of its name. */
  #knownDeck(path: string, name: string, parent: FolderDeck | undefined): string | undefined {
    const { state, hasDeck, deckNamed, scope = null } = this.#options;
    const known = [...state.decks.values()].find((deck) => deck.path === path);
    if (known !== undefined && hasDeck(known.id)) return known.id;
    if (parent !== undefined && parent.id === undefined) return undefined;
    return deckNamed(name, parent?.id ?? scope);
  }

  /** The deck of new files at the top: the one that is synced, else one with the name of the folder. */
  #topDeck(): string {
    const { scope } = this.#options;
    const { path, name } = topDeck(this.#root);
    return scope ?? this.decks.get(path)?.id ?? this.#knownDeck(path, name, undefined) ?? `new:${path}`;
  }

  #readTemplate(path: string): void {
    try {
      const text = this.#text(path) ?? "";
      const { matter = {}, content } = readMatter(text, path);
      const id = typeof matter["id"] === "string" ? matter["id"] : undefined;
      this.templates.push({
        path,
        id,
        hash: hashOfBytes(Buffer.from(text)),
        document: { ...matter, content },
      });
    } catch {
      // A template that cannot be read is created by nobody; cards that name it are not sent.
    }
  }

  #text(path: string): string | undefined {
    try {
      return readFileSync(join(this.#root, path), "utf8");
    } catch {
      return undefined;
    }
  }
}
