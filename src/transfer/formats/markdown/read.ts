import { realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import {
  deckFile,
  isMarkdown,
  markerName,
  templatesFolder,
  withoutDeck as withoutDeckFolder,
} from "../../../folder/layout.ts";
import { limits } from "../../limits.ts";
import { readManifest } from "../../manifest.ts";
import type { Skip, Source, SourceCard } from "../../model.ts";
import { broken, quoted, unlessBroken } from "../../place.ts";
import { FilesBeside, isMedia } from "../beside.ts";
import { deckOf, templateOf } from "../documents.ts";
import { Gathered } from "../gathered.ts";
import { listFolder } from "../list-folder.ts";
import { readWholeText } from "../text.ts";
import { readCardFile } from "./card-file.ts";
import { attachmentsOf } from "./card-files.ts";
import { readMatter, readYaml } from "./front-matter.ts";
import { isMarkerOfSync } from "./sync-marker.ts";

/**
 * A folder of markdown files, a card in each: ours (docs/import-export.md), or any other, of which each folder is a
 * deck. Nothing outside the folder is read: links on the disk are not followed.
 */
export async function openMarkdownFolder(root: string, name: string): Promise<Source> {
  const hashes = new Map<string, string>();
  await readManifest(root, ({ path, card }) => card !== undefined && hashes.set(path, card));
  const gathered = new Gathered();
  return {
    format: "markdown",
    decks: gathered.decks,
    templates: gathered.templates,
    cards: (skip) => new MarkdownFolder(root, name, hashes, gathered, skip).cards(),
    close: async () => {},
  };
}

class MarkdownFolder {
  readonly #root: string;
  readonly #name: string;
  /** `hashOfDocument` of the cards as they were exported, by the paths of their files. */
  readonly #hashes: ReadonlyMap<string, string>;
  readonly #gathered: Gathered;
  readonly #skip: Skip;
  readonly #beside: FilesBeside;
  /** Whether the folder is an export of ours: a file beside its decks is no card, if it has no id. */
  #ours = false;
  #synced = false;
  readonly #keys = new Set<string>();
  /** Pictures and sounds belong to the cards that embed them. */
  readonly #media: string[] = [];

  constructor(
    root: string,
    name: string,
    hashes: ReadonlyMap<string, string>,
    gathered: Gathered,
    skip: Skip,
  ) {
    this.#root = root;
    this.#name = name;
    this.#hashes = hashes;
    this.#gathered = gathered;
    this.#skip = skip;
    this.#beside = new FilesBeside(root);
  }

  async *cards(): AsyncGenerator<SourceCard> {
    const names = await this.#list("");
    this.#ours = names.files.includes(markerName);
    this.#synced = this.#ours && isMarkerOfSync(join(this.#root, markerName));
    if (names.folders.includes(templatesFolder)) await this.#gatherTemplates();
    yield* this.#folder("", undefined, 0);
    for (const path of this.#media)
      if (!this.#beside.used.has(await realpath(join(this.#root, path))))
        this.#skip({ place: this.#place(path), what: "files", why: "no card embeds them" });
    this.#gathered.finish(this.#skip);
  }

  /** @returns whether the folder or one below it has cards or describes a deck; else it is no deck */
  async *#folder(
    path: string,
    parent: string | undefined,
    depth: number,
  ): AsyncGenerator<SourceCard, boolean> {
    const place = this.#place(path);
    if (depth > limits.deckDepth)
      throw broken(place, `folders are nested more than ${limits.deckDepth} levels deep`);
    const { files, folders, links } = await this.#list(path);
    for (const link of links)
      this.#skip({
        place: this.#place(below(path, link)),
        what: "links",
        why: "links on the disk are not followed",
      });
    let deck = parent;
    const isApart = path === "_apart";
    const hasNoDeck = path === "" || isApart || (this.#ours && path === withoutDeckFolder);
    const described = files.includes(deckFile);
    if (described) deck = await this.#gatherDeck(path, parent);
    else if (!hasNoDeck) deck = path;
    let isDeck = described || files.some(isMarkdown);
    for (const file of files) yield* this.#file(path, file, deck);
    for (const folder of folders) {
      if (path === "" && folder === templatesFolder) continue;
      // A deck in an export may have that name.
      if (path === "" && folder === "node_modules" && !this.#ours) continue;
      if (/\.files$/i.test(folder) && files.includes(`${folder.slice(0, -".files".length)}.md`)) continue;
      if (yield* this.#folder(below(path, folder), isApart ? undefined : deck, depth + 1)) isDeck = true;
    }
    if (isDeck && !described && !hasNoDeck)
      this.#gathered.deck({ key: path, parent, body: { name: basename(path) }, place });
    return isDeck;
  }

  async *#file(folder: string, file: string, deck: string | undefined): AsyncGenerator<SourceCard> {
    const path = below(folder, file);
    const place = this.#place(path);
    if (file === deckFile || file === markerName) return;
    if (isMarkdown(file)) {
      const card = await unlessBroken(place, this.#skip, async () => {
        const read = await this.#card(path, folder, deck);
        if (read?.key !== undefined && this.#keys.has(read.key))
          throw broken(place, `the id ${quoted(read.key)} is also used by another card`);
        return read;
      });
      if (card?.key !== undefined) this.#keys.add(card.key);
      if (card !== undefined) yield card;
    } else if (isMedia(file)) this.#media.push(path);
    else this.#skip({ place, what: "files", why: "they are no markdown" });
  }

  async #gatherDeck(path: string, parent: string | undefined): Promise<string> {
    const file = below(path, deckFile);
    const place = this.#place(file);
    const document = readYaml(await this.#read(file), place);
    const key = typeof document["id"] === "string" ? document["id"] : path;
    const deck = deckOf({ name: basename(path), ...document }, key, place, this.#skip);
    this.#gathered.deck({ ...deck, parent: deck.parent ?? parent });
    return key;
  }

  async #gatherTemplates(): Promise<void> {
    const { files } = await this.#list(templatesFolder);
    for (const file of files.filter((each) => each.endsWith(".md"))) {
      const path = `${templatesFolder}/${file}`;
      const place = this.#place(path);
      const { matter = {}, content } = readMatter(await this.#read(path), place);
      const key = typeof matter["id"] === "string" ? matter["id"] : path;
      this.#gathered.template(templateOf({ ...matter, content }, key, place, this.#skip));
    }
  }

  async #card(path: string, folder: string, deck: string | undefined): Promise<SourceCard | undefined> {
    const [skip, place] = [this.#skip, this.#place(path)];
    const read = await readCardFile(await this.#read(path), place, skip);
    const isOwn = this.#ours && read.id !== undefined;
    if (this.#synced && !isOwn) {
      skip({ place, what: "files", why: "they have no id: `deckhand sync` makes cards of them" });
      return undefined;
    }
    if (this.#ours && !isOwn && deck === undefined) {
      const why = "they have no id and are in no folder of a deck: in one they are new cards";
      skip({ place, what: "files", why });
      return undefined;
    }
    const { body } = read.card;
    // What an export wrote has an id: that of a card that is blank on the service, too.
    if (body.content.trim() === "" && read.id === undefined && Object.keys(body.fields ?? {}).length === 0) {
      skip({ place, what: "files without content", why: "they have nothing that a card could show" });
      return undefined;
    }
    // A name that two templates have names neither.
    const [named, ...more] = this.#gathered.templates.filter(({ body }) => body.name === read.template);
    const key = named === undefined || more.length > 0 ? read.template : named.key;
    const template = this.#gathered.templateKey(key, place, skip);
    const attachments = await attachmentsOf(
      { root: this.#root, path, place: (each) => this.#place(each) },
      read.attachments,
      body,
      skip,
    );
    const linked = isOwn
      ? { text: body.content, attachments: [] }
      : await this.#beside.take(body.content, folder, place, skip);
    return {
      ...read.card,
      body: { ...body, content: linked.text },
      base: this.#hashes.get(path),
      deck,
      ...(template === undefined ? {} : { template: { key: template } }),
      attachments: [...attachments, ...linked.attachments],
    };
  }

  /** What is in a folder, in the order of the names' code units; hidden files are left out. */
  async #list(path: string): Promise<{ files: string[]; folders: string[]; links: string[] }> {
    const found = { files: [] as string[], folders: [] as string[], links: [] as string[] };
    for (const entry of await listFolder(join(this.#root, path), this.#place(path))) {
      if (entry.name.startsWith(".")) continue;
      if (entry.isFile()) found.files.push(entry.name);
      if (entry.isDirectory()) found.folders.push(entry.name);
      if (entry.isSymbolicLink()) found.links.push(entry.name);
    }
    for (const names of Object.values(found)) names.sort();
    return found;
  }

  #read(path: string): Promise<string> {
    return readWholeText(join(this.#root, path), { name: this.#place(path) });
  }

  #place(path: string): string {
    return path === "" ? this.#name : `${this.#name}/${path}`;
  }
}

/** The path of what is in a folder. */
const below = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`);
