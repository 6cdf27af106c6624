import { createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ifThere } from "../client/if-there.ts";
import { type Client, DifferentFileError, type StoredAttachment } from "../client/index.ts";
import { DeckhandError } from "../errors.ts";
import { makeTemporaryFolder } from "../files/temporary.ts";
import type { Card, Deck, Template } from "../schema/index.ts";
import { deckPaths } from "./formats/deck-paths.ts";
import { isFileName, mediaOf } from "./media.ts";

export interface CollectionOptions {
  readonly client: Client;
  /** The id of the deck that was asked for: that above all `decks`. */
  readonly deck: string | undefined;
  /** The decks to export; all, and cards in no deck, if not given. */
  readonly decks: ReadonlySet<string> | undefined;
  /** Whether the service lists attachments, and lets them be read. */
  readonly attachmentList: boolean;
  readonly attachmentDownload: boolean;
  progress(part: "decks" | "cards" | "attachments", done: number): void;
}

/** A file of a card as the service lists it, or, on a service without such lists, as the card's text names it. */
export interface ListedFile {
  readonly "card-id": string;
  readonly "file-name": string;
  /** Bytes. */
  readonly size?: number | undefined;
  /** Content type. */
  readonly type?: string | undefined;
  /** Of the bytes, in hex. */
  readonly sha256?: string | undefined;
}

export interface ExportedCard {
  readonly card: Card;
  readonly files: readonly ListedFile[];
}

/** A file that was read, with what the service lists of it now; or why there is none. */
type FetchedFile =
  | { readonly path: string; readonly file: ListedFile }
  | { readonly path?: undefined; readonly missing: string };

interface MissingFile {
  readonly card: string;
  readonly fileName: string;
  readonly why: string;
}

/** What programs of a format show in another form. */
export interface Adapted {
  /** As a plural. */
  readonly what: string;
  readonly how: string;
}

/** What a format may have no place for, as a plural. */
type LeftOut = "attachments" | "reviews" | "layouts of templates";

/**
 * The collection of an account as a writer of a format reads it: decks and templates are held in memory, cards come page
 * by page and once, attachments are downloaded one at a time.
 */
export class Collection {
  /** See `CollectionOptions`. */
  readonly deck: string | undefined;
  readonly decks: readonly Deck[];
  /** All that the account has. */
  readonly allTemplates: readonly Template[];
  readonly missing: MissingFile[] = [];
  /** What the format has another form for, with how often it was met. */
  readonly adapted = new Map<Adapted, number>();
  /** What the format has no place for, with how many of each. */
  readonly leftOut = new Map<LeftOut, number>();
  readonly #options: CollectionOptions;
  readonly #seen = new Set<string>();
  readonly #usedTemplates = new Set<string>();
  #listed: ReadonlyMap<string, readonly ListedFile[]> | undefined;
  #folder: string | undefined;
  #attachments = 0;
  #trashed = 0;
  #failed = 0;

  private constructor(options: CollectionOptions, decks: readonly Deck[], templates: readonly Template[]) {
    this.#options = options;
    this.deck = options.deck;
    this.decks = decks;
    this.allTemplates = templates;
  }

  static async open(options: CollectionOptions): Promise<Collection> {
    const { client, progress } = options;
    const decks: Deck[] = [];
    for (const item of await client.decks.all()) {
      if (options.decks?.has(item.id) === false) continue;
      const deck = await ifThere(client.decks.get(item.id));
      if (deck !== undefined) decks.push({ ...item, ...deck } as Deck);
      progress("decks", decks.length);
    }
    return new Collection(options, decks, await client.templates.all());
  }

  /**
   * The path of each deck from the root, for formats that have nothing else of a deck. It names also the decks above the
   * one that was asked for, which are not exported.
   */
  async deckPaths(): Promise<ReadonlyMap<string, string>> {
    const all = [...this.decks];
    let above = this.decks.find(({ id }) => id === this.deck)?.["parent-id"];
    while (above != null && !all.some(({ id }) => id === above)) {
      const deck = await ifThere(this.#options.client.decks.get(above));
      if (deck !== undefined) all.push({ ...deck, id: above } as Deck);
      above = deck?.["parent-id"];
    }
    return deckPaths(all);
  }

  /** Whether everything is exported, and not some decks. */
  get isWhole(): boolean {
    return this.#options.decks === undefined;
  }

  /** The templates to write: all; for some decks those of the cards that were read so far. */
  get templates(): readonly Template[] {
    return this.isWhole ? this.allTemplates : this.usedTemplates;
  }

  /** The templates of the cards that were read so far. */
  get usedTemplates(): readonly Template[] {
    return this.allTemplates.filter(({ id }) => this.#usedTemplates.has(id));
  }

  get counts() {
    return {
      decks: this.decks.length,
      templates: this.templates.length,
      cards: this.#seen.size,
      /** Cards in the trash. */
      trashed: this.#trashed,
      attachments: this.#attachments,
      /** Files that the service has, and failed to give. */
      failed: this.#failed,
    };
  }

  adapt(what: Adapted): void {
    this.adapted.set(what, (this.adapted.get(what) ?? 0) + 1);
  }

  leaveOut(what: LeftOut, count: number): void {
    if (count > 0) this.leftOut.set(what, (this.leftOut.get(what) ?? 0) + count);
  }

  /** The cards in the order of the service's lists, each once. */
  async *cards(): AsyncGenerator<readonly ExportedCard[]> {
    const { client, decks, attachmentList, progress } = this.#options;
    if (attachmentList) this.#listed = await listedFiles(client);
    for (const deckId of decks ?? [undefined])
      for await (const { docs } of client.cards.pages({ deckId })) {
        const page: ExportedCard[] = [];
        for (const card of docs) {
          // A card that is moved meanwhile may be listed twice.
          if (this.#seen.has(card.id)) continue;
          this.#seen.add(card.id);
          if (card["trashed?"] != null) this.#trashed++;
          if (card["template-id"]) this.#usedTemplates.add(card["template-id"]);
          const named = () => [...new Set(mediaOf(card))].map((name) => listedFile(card.id, name));
          page.push({ card, files: this.#listed ? (this.#listed.get(card.id) ?? []) : named() });
        }
        yield page;
        progress("cards", this.#seen.size);
      }
  }

  /**
   * Downloads a file, compared with its listed size and hash.
   *
   * @param cards how many cards have it, in a format that stores equal files once: each is an attachment of its own
   * @returns the path of a temporary file that is valid until the next call
   */
  async fetch(file: ListedFile, cards = 1): Promise<FetchedFile> {
    const fetched = await this.#download(file);
    if (fetched.path === undefined)
      this.missing.push({ card: file["card-id"], fileName: file["file-name"], why: fetched.missing });
    else {
      this.#attachments += cards;
      this.#options.progress("attachments", this.#attachments);
    }
    return fetched;
  }

  /** Removes the temporary files. */
  async close(): Promise<void> {
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }

  async #download(file: ListedFile): Promise<FetchedFile> {
    const { client, attachmentDownload } = this.#options;
    const [card, name] = [file["card-id"], file["file-name"]];
    if (!attachmentDownload) return { missing: "the service does not let attachments be read" };
    if (!isFileName(name)) return { missing: "its name cannot be that of a file" };
    this.#folder ??= await makeTemporaryFolder("deckhand-export-");
    const path = join(this.#folder, "file");
    try {
      const keep = (body: Readable) => pipeline(body, createWriteStream(path, { mode: 0o600 }));
      await client.attachments.fetchListed(card, name, ({ body }) => keep(body), file);
    } catch (error) {
      if (error instanceof DifferentFileError) return this.#fail("what came is not the file that is listed");
      if (!(error instanceof DeckhandError)) throw error;
      if (error.code === "not-found") return { missing: "it is not there" };
      // One that is damaged there must not keep back all the rest; a service that is down must.
      if (error.code !== "server" || !(await isWell(client))) throw error;
      return this.#fail(`the service fails to give it (${error.status})`);
    }
    return { path, file: { ...file, size: (await stat(path)).size } };
  }

  #fail(missing: string): FetchedFile {
    this.#failed++;
    return { missing };
  }
}

/** The files of all cards, by the cards' ids. */
async function listedFiles(client: Client): Promise<ReadonlyMap<string, readonly ListedFile[]>> {
  const listed = new Map<string, ListedFile[]>();
  for await (const page of client.attachments.all())
    for (const file of page) {
      const card = file["card-id"];
      const known = listed.get(card) ?? [];
      known.push(listedFile(card, file["file-name"], file));
      listed.set(card, known);
    }
  return listed;
}

function listedFile(card: string, name: string, file: Partial<StoredAttachment> = {}): ListedFile {
  const { size, type, sha256 } = file as Readonly<Record<string, unknown>>;
  return {
    "card-id": card,
    "file-name": name,
    ...(typeof size === "number" ? { size } : {}),
    ...(typeof type === "string" ? { type } : {}),
    ...(typeof sha256 === "string" ? { sha256 } : {}),
  };
}

/** Whether the service answers anything else: then a failure is that of one file. */
const isWell = (client: Client): Promise<boolean> =>
  client.decks.list().then(
    () => true,
    () => false,
  );
