import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { CardFile, Client } from "../../client/index.ts";
import { DeckhandError } from "../../errors.ts";
import type { Deck } from "../../schema/index.ts";
import { isFileName, mediaNames } from "../media.ts";
import type { Spool, SpooledFile } from "./spool.ts";

export interface CollectOptions {
  readonly client: Client;
  readonly spool: Spool;
  /** The decks to export; all, and cards in no deck, if not given. */
  readonly decks: ReadonlySet<string> | undefined;
  readonly attachmentList: boolean;
  readonly attachmentDownload: boolean;
  progress(part: "decks" | "cards" | "attachments", done: number): void;
}

/** Fetches all that an export is made of, going on where an earlier try stopped. */
export async function collect(options: CollectOptions): Promise<void> {
  await collectDecks(options);
  await collectCards(options);
  await collectTemplates(options);
  await collectAttachments(options);
}

async function collectDecks({ client, spool, decks, progress }: CollectOptions): Promise<void> {
  if (spool.progress("decks").done) return;
  spool.restart("decks");
  const documents: Deck[] = [];
  for (const item of await client.decks.all()) {
    if (decks !== undefined && !decks.has(item.id)) continue;
    const deck = await client.decks
      .get(item.id)
      .send()
      .catch((error: unknown) => {
        // Removed since it was listed.
        if (error instanceof DeckhandError && error.code === "not-found") return undefined;
        throw error;
      });
    if (deck !== undefined) documents.push({ ...item, ...deck } as Deck);
    progress("decks", documents.length);
  }
  spool.append("decks", documents, { done: true });
}

async function collectCards(options: CollectOptions): Promise<void> {
  const { spool, decks } = options;
  const before = spool.progress("cards");
  if (before.done) return;
  const lists: (string | undefined)[] = decks === undefined ? [undefined] : [...decks];
  const seen = new Set<string>();
  if (before.count > 0) for await (const { id } of spool.cards()) seen.add(id);
  for (let list = before.list ?? 0; list < lists.length; list++) {
    try {
      await collectList(options, lists[list], list, seen);
    } catch (error) {
      const stale =
        error instanceof DeckhandError && error.code === "validation" && spool.progress("cards").bookmark;
      if (!stale) throw error;
      // The service does not know its bookmark any more.
      seen.clear();
      spool.restart("cards");
      list = -1;
    }
  }
  spool.append("cards", [], { done: true });
}

async function collectList(
  { client, spool, progress }: CollectOptions,
  deckId: string | undefined,
  list: number,
  seen: Set<string>,
): Promise<void> {
  const { bookmark } = spool.progress("cards");
  for await (const page of client.cards.pages({ deckId, bookmark })) {
    // A bookmark that moved may give a card again.
    const fresh = seen.size === 0 ? page.docs : page.docs.filter(({ id }) => !seen.has(id));
    spool.append("cards", fresh, { list, bookmark: page.bookmark ?? undefined });
    progress("cards", spool.progress("cards").count);
  }
  spool.append("cards", [], { list: list + 1 });
}

/** All of them; of some decks only those that their cards have. */
async function collectTemplates({ client, spool, decks }: CollectOptions): Promise<void> {
  if (spool.progress("templates").done) return;
  spool.restart("templates");
  const all = await client.templates.all();
  const used = new Set<string>();
  if (decks !== undefined)
    for await (const card of spool.cards()) if (card["template-id"]) used.add(card["template-id"]);
  spool.append("templates", decks === undefined ? all : all.filter(({ id }) => used.has(id)), { done: true });
}

async function collectAttachments(options: CollectOptions): Promise<void> {
  const { spool, progress } = options;
  if (spool.progress("attachments").done) return;
  const known = new Set<string>();
  for await (const file of spool.attachments()) known.add(keyOf(file));
  for await (const file of listFiles(options)) {
    if (known.has(keyOf(file))) continue;
    known.add(keyOf(file));
    spool.append("attachments", [await fetched(file, options)], {});
    progress("attachments", spool.progress("attachments").count);
  }
  spool.append("attachments", [], { done: true });
}

type ListedFile = Pick<SpooledFile, "card-id" | "file-name" | "size" | "type">;

const keyOf = (file: ListedFile) => JSON.stringify([file["card-id"], file["file-name"]]);

/** From the list of all files; else card by card; else what the contents name. */
async function* listFiles(options: CollectOptions): AsyncGenerator<ListedFile> {
  const { client, spool, decks, attachmentList } = options;
  if (!attachmentList) {
    for await (const card of spool.cards()) {
      const texts = [
        card.content ?? "",
        ...Object.values(card.fields ?? {}).map((field) => field?.value ?? ""),
      ];
      for (const name of new Set(texts.flatMap(mediaNames))) yield { "card-id": card.id, "file-name": name };
    }
    return;
  }
  const cards = new Set<string>();
  if (decks !== undefined) for await (const { id } of spool.cards()) cards.add(id);
  try {
    for await (const page of client.attachments.all())
      for (const file of page) if (decks === undefined || cards.has(file["card-id"])) yield plainFile(file);
    return;
  } catch (error) {
    const without = error instanceof DeckhandError && (error.code === "not-found" || error.status === 405);
    if (!without) throw error;
  }
  for await (const { id } of spool.cards())
    for (const file of await client.attachments.list(id).send()) yield plainFile({ ...file, "card-id": id });
}

const plainFile = (file: CardFile): ListedFile => ({
  "card-id": file["card-id"],
  "file-name": file["file-name"],
  ...(typeof file.size === "number" ? { size: file.size } : {}),
  ...(typeof file.type === "string" ? { type: file.type } : {}),
});

async function fetched(
  file: ListedFile,
  { client, spool, attachmentDownload }: CollectOptions,
): Promise<SpooledFile> {
  if (!attachmentDownload) return { ...file, missing: "the service does not let attachments be read" };
  if (!isFileName(file["file-name"])) return { ...file, missing: "its name is no file name" };
  const name = String(spool.progress("attachments").count);
  try {
    const download = await client.attachments.get(file["card-id"], file["file-name"]).send();
    await pipeline(download.body, createWriteStream(spool.filePath(name)));
    return { ...file, file: name };
  } catch (error) {
    if (error instanceof DeckhandError && error.code === "not-found")
      return { ...file, missing: "it is not there" };
    throw error;
  }
}
