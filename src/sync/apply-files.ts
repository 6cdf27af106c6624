import { createWriteStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { pipeline, type Readable } from "node:stream";
import { pipeline as finished } from "node:stream/promises";
import { ifThere } from "../client/if-there.ts";
import type { Client } from "../client/index.ts";
import { DeckhandError, UsageError } from "../errors.ts";
import { fileProblem } from "../files/errors.ts";
import type { Prepared } from "../folder/changes.ts";
import { filesFolder } from "../folder/layout.ts";
import { HashStream, type Stat } from "../folder/stat.ts";
import { again, done, left, refused, type Sides, unlessUnusable } from "./outcome.ts";
import type { AttachmentChange, Outcome, ServiceFile } from "./types.ts";

/** Carries out changes of attachments, after those of cards: each only if both sides still are as they were scanned. */
export class FileApplier {
  readonly #sides: Sides;

  constructor(sides: Sides) {
    this.#sides = sides;
  }

  async apply(change: AttachmentChange): Promise<Outcome> {
    const { state } = this.#sides;
    const { op, side, name, file } = change;
    const card = change.id ?? state.cardsAt(change.cardPath ?? "")[0]?.id;
    const cardPath = state.card(card ?? "")?.path;
    // Its card could not be synced, which has been reported.
    if (card === undefined || cardPath === undefined) return done;
    const path = file?.path ?? `${filesFolder(cardPath)}/${change.target}`;
    if (op === "forget") state.keepFile(card, name, undefined);
    if (op === "record" && file !== undefined) this.#keep(card, name, path, file);
    if (op !== "update") return done;
    try {
      const moved =
        side === "service" ? this.#upload(change, card, path) : this.#download(change, card, path);
      return await unlessUnusable(moved);
    } catch (error) {
      // A service whose list and file do not agree.
      if (error instanceof DeckhandError && error.code === "bad-response")
        return left(error.message, error.hint);
      throw error;
    }
  }

  async #upload({ name, file, there }: AttachmentChange, card: string, path: string): Promise<Outcome> {
    const { client, folder, serviceFiles, service, step } = this.#sides;
    const full = `${folder.root}/${path}`;
    if (file === undefined || !folder.exists(path)) return again;
    if (serviceFiles.lists) {
      await step(`compare the attachment ${path}`);
      const files = await filesOf(client, card);
      if (files === undefined || files.get(name) !== there?.hash) return again;
    }
    if (there !== undefined && serviceFiles.lists) {
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
    const expected = serviceFiles.lists ? (there?.hash ?? "none") : undefined;
    try {
      await step(`upload ${path}`);
      await client.attachments.add(card, { fileName: name, source }, expected);
      await step(`record ${path}`);
    } catch (error) {
      return refused(error);
    }
    // One that was added to a card that was removed meanwhile counts as an edit, by which the card is kept.
    const now = await ifThere(client.cards.get(card));
    if (now === undefined || now["trashed?"] != null || service.inTrash(now["deck-id"] ?? null)) return again;
    // What was sent: a file that was edited meanwhile differs from it, and is sent again.
    this.#keep(card, name, path, { ...file, hash: sent.digest() });
    return done;
  }

  async #download({ name, file, there }: AttachmentChange, card: string, path: string): Promise<Outcome> {
    const { folder, state } = this.#sides;
    const prepared = there && (await this.#fetch(card, there));
    if (prepared === undefined) return again;
    const written = await folder.write({ path, content: prepared, expected: file?.hash, kept: true });
    // One that was added to a card whose file was removed meanwhile counts as an edit, by which the card is kept.
    if (written === undefined || !folder.exists(state.card(card)?.path ?? "")) return again;
    this.#keep(card, name, path, written);
    return done;
  }

  /** Downloads an attachment; undefined if it is not the one that was listed. */
  async #fetch(card: string, { name, hash }: ServiceFile): Promise<Prepared | undefined> {
    const { client, folder } = this.#sides;
    const path = folder.private.temporary("new");
    const full = `${folder.root}/${path}`;
    const take = async ({ body }: { readonly body: Readable }) => {
      const hashed = new HashStream();
      await finished(body, hashed, createWriteStream(full, { mode: 0o600, flush: true }));
      return hashed.digest();
    };
    const fetched = await ifThere(client.attachments.fetch(card, name, take));
    if (fetched !== undefined && fetched === hash) return { path, hash };
    await rm(full, { force: true });
    return undefined;
  }

  #keep(card: string, name: string, path: string, file: Stat & { hash: string }): void {
    const { hash, mtime, ctime, size } = file;
    this.#sides.state.keepFile(card, name, { path, hash, mtime, ctime, size, at: this.#sides.now() });
  }
}

/** Whether a card still has the attachments that were scanned; true where the service does not list them. */
export async function hasSameFiles(
  client: Client,
  card: string,
  scanned: readonly ServiceFile[] = [],
): Promise<boolean> {
  if (!(await client.service.has("attachment-list"))) return true;
  const there = await filesOf(client, card);
  return (
    (there?.size ?? 0) === scanned.length && scanned.every(({ name, hash }) => there?.get(name) === hash)
  );
}

/** The hashes of the attachments of a card by their names, as they are now; undefined for a card that was deleted. */
async function filesOf(client: Client, card: string) {
  const files = await ifThere(client.attachments.list(card));
  return files && new Map(files.map((each) => [each["file-name"], each.sha256?.toLowerCase()]));
}

const unreadable = (path: string, cause: unknown) =>
  new UsageError(`could not read ${path}: ${fileProblem(cause)}`, { cause });
