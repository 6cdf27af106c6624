import { createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Client, StoredAttachment } from "../../client/index.ts";
import { DeckhandError } from "../../errors.ts";
import { makeTemporaryFolder } from "../../files/temporary.ts";
import { hashAt } from "../../folder/stat.ts";
import type { Card, Deck, SchedulePut, Template } from "../../schema/index.ts";
import type { Collection, ExportedCard, FetchedFile, ListedFile, MissingFile } from "../collection.ts";
import { deckPaths } from "../formats/deck-paths.ts";
import { Losses } from "../losses.ts";
import { isFileName, mediaOf } from "../media.ts";
import { trainedSchedule } from "../schedule.ts";
import { decksIn, fetchDecks, fetchDecksAbove } from "./decks.ts";

export interface CollectionOptions {
  readonly client: Client;
  /** The id of the deck that was asked for: that above all `decks`. */
  readonly deck: string | undefined;
  /** The decks to export; all, and cards in no deck, if not given. */
  readonly decks: ReadonlySet<string> | undefined;
  /** Whether the service lists attachments, and lets them be read. */
  readonly attachmentList: boolean;
  readonly attachmentDownload: boolean;
  progress(part: ExportPart, done: number): void;
}

type ExportPart = "decks" | "cards" | "attachments";

/**
 * The collection of an account as a writer of a format reads it: decks and templates are held in memory, cards come page
 * by page and once, attachments are downloaded one at a time.
 */
export class FetchedCollection implements Collection {
  /** See `CollectionOptions`. */
  readonly deck: string | undefined;
  readonly decks: readonly Deck[];
  /** All that the account has. */
  readonly allTemplates: readonly Template[];
  /** The trained parameters of the account, where everything is exported and it has some. */
  readonly schedule: SchedulePut | undefined;
  readonly missing: MissingFile[] = [];
  readonly losses = new Losses();
  readonly #options: CollectionOptions;
  readonly #seen = new Set<string>();
  readonly #usedTemplates = new Set<string>();
  #listed: ReadonlyMap<string, readonly ListedFile[]> | "card by card" | undefined;
  #folder: string | undefined;
  #attachments = 0;
  #trashed = 0;
  #failed = 0;
  #unnameable = 0;

  private constructor(
    options: CollectionOptions,
    decks: readonly Deck[],
    templates: readonly Template[],
    schedule: SchedulePut | undefined,
  ) {
    this.#options = options;
    this.deck = options.deck;
    this.decks = decks;
    this.allTemplates = templates;
    this.schedule = schedule;
  }

  static async open(options: CollectionOptions): Promise<FetchedCollection> {
    const decks = await fetchDecks(options);
    const schedule = options.decks === undefined ? await trainedSchedule(options.client) : undefined;
    return new FetchedCollection(options, decks, await options.client.templates.all(), schedule);
  }

  /**
   * The path of each deck from the root, for formats that have nothing else of a deck. It names also the decks above the
   * one that was asked for, which are not exported.
   */
  async deckPaths(): Promise<ReadonlyMap<string, string>> {
    const exported = this.decks.find(({ id }) => id === this.deck);
    return deckPaths([...(await fetchDecksAbove(exported, this.#options.client)), ...this.decks]);
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
      trashed: this.#trashed,
      attachments: this.#attachments,
      failed: this.#failed,
      unnameable: this.#unnameable,
    };
  }

  /** The cards in the order of the service's lists, each once. */
  async *cards(): AsyncGenerator<readonly ExportedCard[]> {
    await this.#listFiles();
    const { client, decks, progress } = this.#options;
    const trashed = decksIn("trashed?", this.decks);
    for (const deckId of decks ?? [undefined])
      for await (const { docs } of client.cards.pages({ deckId })) {
        const page: ExportedCard[] = [];
        for (const card of docs) {
          // A card that is moved meanwhile may be listed twice.
          if (this.#seen.has(card.id)) continue;
          this.#seen.add(card.id);
          const deck = card["deck-id"] ?? "";
          if (card["trashed?"] != null || trashed.has(deck)) this.#trashed++;
          if (card["template-id"]) this.#usedTemplates.add(card["template-id"]);
          page.push({ card, files: await this.#filesOf(card) });
        }
        yield page;
        progress("cards", this.#seen.size);
      }
  }

  /** The cards one by one. */
  async *eachCard(): AsyncGenerator<ExportedCard> {
    for await (const page of this.cards()) yield* page;
  }

  /**
   * Downloads a file and compares it with its listed size and hash; one that differs is listed and downloaded once more.
   *
   * @param cards how many cards have it, in a format that stores equal files once: each is an attachment of its own
   * @returns the path of a temporary file that is valid until the next call
   */
  async fetch(file: ListedFile, cards = 1): Promise<FetchedFile> {
    const fetched = await this.#download(file, "first");
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

  async #download(file: ListedFile, attempt: "first" | "second"): Promise<FetchedFile> {
    const { client, attachmentDownload, attachmentList } = this.#options;
    const [card, name] = [file["card-id"], file["file-name"]];
    if (!attachmentDownload) return { missing: "the service does not let attachments be read" };
    // What only a text names need not be an attachment.
    if (!isFileName(name) && attachmentList) this.#unnameable++;
    if (!isFileName(name)) return { missing: "its name cannot be that of a file" };
    this.#folder ??= await makeTemporaryFolder("deckhand-export-");
    const path = join(this.#folder, "file");
    try {
      await client.attachments.fetch(card, name, ({ body }) =>
        pipeline(body, createWriteStream(path, { mode: 0o600 })),
      );
    } catch (error) {
      if (!(error instanceof DeckhandError)) throw error;
      if (error.code === "not-found") return { missing: "it is not there" };
      // One that is damaged there must not keep back all the rest; a service that is down must.
      if (error.code !== "server" || !(await isWell(client))) throw error;
      return this.#fail(`the service fails to give it (${error.status})`);
    }
    const { size } = await stat(path);
    if (
      (file.size ?? size) === size &&
      (file.sha256 === undefined || hashAt(path) === file.sha256.toLowerCase())
    )
      return { path, file: { ...file, size } };
    if (attempt === "second" || !attachmentList)
      return this.#fail("what came is not the file that is listed");
    const listed = (await client.attachments.list(card).send()).find((each) => each["file-name"] === name);
    if (listed === undefined) return { missing: "it is not there" };
    return this.#download(listedFile(card, listed), "second");
  }

  #fail(missing: string): FetchedFile {
    this.#failed++;
    return { missing };
  }

  async #listFiles(): Promise<void> {
    const { client, attachmentList } = this.#options;
    if (!attachmentList) return;
    const listed = new Map<string, ListedFile[]>();
    try {
      for await (const page of client.attachments.all())
        for (const file of page) {
          const card = file["card-id"];
          const known = listed.get(card);
          if (known === undefined) listed.set(card, [listedFile(card, file)]);
          else known.push(listedFile(card, file));
        }
      this.#listed = listed;
    } catch (error) {
      if (!(error instanceof DeckhandError && (error.code === "not-found" || error.status === 405)))
        throw error;
      this.#listed = "card by card";
    }
  }

  async #filesOf(card: Card): Promise<readonly ListedFile[]> {
    if (this.#listed === undefined)
      return [...new Set(mediaOf(card))].map((name) => ({ "card-id": card.id, "file-name": name }));
    if (this.#listed !== "card by card") return this.#listed.get(card.id) ?? [];
    const listed = await this.#options.client.attachments.list(card.id).send();
    return listed.map((file) => listedFile(card.id, file));
  }
}

function listedFile(card: string, file: StoredAttachment): ListedFile {
  const { size, type, sha256 } = file as StoredAttachment & { readonly sha256?: unknown };
  return {
    "card-id": card,
    "file-name": file["file-name"],
    ...(typeof size === "number" ? { size } : {}),
    ...(typeof type === "string" ? { type } : {}),
    ...(typeof sha256 === "string" ? { sha256 } : {}),
  };
}

/** Whether the service answers anything else: then a failure is that of one file. */
const isWell = (client: Client): Promise<boolean> =>
  client.decks
    .list()
    .send()
    .then(
      () => true,
      () => false,
    );
