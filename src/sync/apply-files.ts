import { createWriteStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { pipeline, type Readable } from "node:stream";
import { pipeline as finished } from "node:stream/promises";
import type { Client } from "../client/index.ts";
import { BadResponseError, UsageError } from "../errors.ts";
import { fileProblem } from "../files/errors.ts";
import type { Prepared } from "../folder/changes.ts";
import { filesFolder } from "../folder/layout.ts";
import type { Stat } from "../folder/stat.ts";
import { HashStream } from "../folder/stat.ts";
import type { FolderWriter } from "../folder/writer.ts";
import { ifThere } from "../transfer/if-there.ts";
import { again, done, left, refused } from "./outcome.ts";
import type { FileItem } from "./plan-files.ts";
import type { ServiceFiles } from "./scan-service-files.ts";
import type { State } from "./state.ts";
import type { Agreed, Outcome, ServiceFile } from "./types.ts";

interface FileApplyOptions {
  readonly client: Client;
  readonly folder: FolderWriter<Agreed>;
  readonly state: State;
  readonly service: ServiceFiles;
  /** Called before each effect; tests end the run or change a side there. */
  readonly step: (effect: string) => Promise<void>;
  /** Whether a deck is in the trash, so that its cards count as removed. */
  inTrash(deck: string | null): boolean;
  now(): number;
}

/** Carries out items of the plan for attachments, after those for cards: each only if both sides still are as scanned. */
export class FileApplier {
  readonly #options: FileApplyOptions;

  constructor(options: FileApplyOptions) {
    this.#options = options;
  }

  async apply(item: FileItem): Promise<Outcome> {
    const { state } = this.#options;
    const card = item.card ?? state.cardsAt(item.cardPath ?? "")[0]?.id;
    const cardPath = state.card(card ?? "")?.path;
    // Its card could not be synced, which has been reported.
    if (card === undefined || cardPath === undefined) return done;
    const path = item.file?.path ?? `${filesFolder(cardPath)}/${item.target}`;
    try {
      if (item.kind === "upload") return await this.#upload(item, card, path);
      if (item.kind === "download") return await this.#download(item, card, path);
    } catch (error) {
      // A file that cannot be written, or a service whose list and file do not agree.
      if (error instanceof UsageError || error instanceof BadResponseError)
        return left(error.message, error.hint);
      throw error;
    }
    if (item.kind === "forget-file") state.keepFile(card, item.name, undefined);
    else if (item.file !== undefined) this.#keep(card, item.name, path, item.file);
    return done;
  }

  async #upload({ name, file, there }: FileItem, card: string, path: string): Promise<Outcome> {
    const { client, folder, service, step } = this.#options;
    const full = `${folder.root}/${path}`;
    if (file === undefined || !folder.exists(path)) return again;
    if (service.lists) {
      await step(`compare the attachment ${path}`);
      if (!(await this.#isSame(card, name, there))) return again;
    }
    if (there !== undefined && service.fetches) {
      const old = await this.#fetch(card, there);
      if (old === undefined) return again;
      folder.keep(path, old);
    }
    let sent = new HashStream();
    const source = async () => {
      sent = new HashStream();
      const opened = await open(full, "r").catch((cause) => Promise.reject(unreadable(path, cause)));
      const { size } = await opened.stat();
      // Passes the errors of either side on to the other, where the reader gets them.
      return { stream: pipeline(opened.createReadStream(), sent, () => {}), size };
    };
    const expected = service.lists ? (there?.hash ?? "none") : undefined;
    try {
      await step(`upload ${path}`);
      await client.attachments.add(card, { fileName: name, source }, expected).send();
      await step(`record ${path}`);
    } catch (error) {
      return refused(error);
    }
    // One that was added to a card that was removed meanwhile counts as an edit, by which the card is kept.
    const now = await ifThere(client.cards.get(card));
    if (now === undefined || now["trashed?"] != null || this.#options.inTrash(now["deck-id"] ?? null))
      return again;
    // What was sent: a file that was edited meanwhile differs from it, and is sent again.
    this.#keep(card, name, path, { ...file, hash: sent.digest() });
    return done;
  }

  async #download({ name, file, there }: FileItem, card: string, path: string): Promise<Outcome> {
    const { folder } = this.#options;
    const prepared = there && (await this.#fetch(card, there));
    if (prepared === undefined) return again;
    const written = await folder.write({ path, content: prepared, expected: file?.hash, kept: true });
    // One that was added to a card whose file was removed meanwhile counts as an edit, by which the card is kept.
    if (written === undefined || !folder.exists(this.#options.state.card(card)?.path ?? "")) return again;
    this.#keep(card, name, path, written);
    return done;
  }

  /** Downloads an attachment; undefined if it is not the one that was listed. */
  async #fetch(card: string, { name, hash }: ServiceFile): Promise<Prepared | undefined> {
    const { client, folder } = this.#options;
    const path = folder.private.temporary("new");
    const full = `${folder.root}/${path}`;
    const take = async ({ body }: { readonly body: Readable }) => {
      const hashed = new HashStream();
      await finished(body, hashed, createWriteStream(full, { mode: 0o600, flush: true }));
      return hashed.digest();
    };
    const fetched = await ifThere({ send: () => client.attachments.fetch(card, name, take) });
    if (fetched === undefined || fetched !== hash) {
      await rm(full, { force: true });
      return undefined;
    }
    return { path, hash: fetched };
  }

  /** Whether the service still has what was scanned. */
  async #isSame(card: string, name: string, scanned: ServiceFile | undefined): Promise<boolean> {
    const files = await ifThere(this.#options.client.attachments.list(card));
    const found = files?.find((each) => each["file-name"] === name);
    return files !== undefined && found?.sha256?.toLowerCase() === scanned?.hash;
  }

  #keep(card: string, name: string, path: string, file: Stat & { hash: string }): void {
    const { state, now } = this.#options;
    const { hash, mtime, ctime, size } = file;
    state.keepFile(card, name, { path, hash, mtime, ctime, size, at: now() });
  }
}

/** Whether a card still has the attachments that were scanned; true where the service does not list them. */
export async function hasSameFiles(
  client: Client,
  card: string,
  scanned: readonly ServiceFile[] = [],
): Promise<boolean> {
  if (!(await client.service.has("attachment-list"))) return true;
  const there = (await ifThere(client.attachments.list(card))) ?? [];
  const known = new Map(scanned.map(({ name, hash }) => [name, hash]));
  return (
    there.length === known.size &&
    there.every(({ "file-name": name, sha256 }) => known.get(name) === sha256?.toLowerCase())
  );
}

const unreadable = (path: string, cause: unknown) =>
  new UsageError(`could not read ${path}: ${fileProblem(cause)}`, { cause });
