import { createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { CardFile, Client } from "../../client/index.ts";
import { DeckhandError } from "../../errors.ts";
import type { Card, Deck } from "../../schema/index.ts";
import type { Form } from "../formats/form.ts";
import { ifThere } from "../if-there.ts";
import { isFileName, mediaNames } from "../media.ts";
import { ahead } from "./ahead.ts";
import type { Spool } from "./spool.ts";
import type { CardFacts, SpooledFile } from "./spooled.ts";

export interface CollectOptions {
  readonly client: Client;
  readonly spool: Spool;
  readonly form: Form;
  /** The decks to export; all, and cards in no deck, if not given. */
  readonly decks: ReadonlySet<string> | undefined;
  readonly attachmentList: boolean;
  readonly attachmentDownload: boolean;
  progress(part: ExportPart, done: number): void;
}

export type ExportPart = "decks" | "cards" | "attachments" | "files";

/** Fetches the decks, and the templates where all are wanted, unless an earlier try did. */
export async function collectDecks(options: Omit<CollectOptions, "form">): Promise<void> {
  await fetchDecks(options);
  if (options.decks === undefined) await fetchTemplates(options);
}

/** Fetches all else that an export is made of, going on where an earlier try stopped. */
export async function collectCards(options: CollectOptions): Promise<void> {
  await fetchCards(options);
  await fetchTemplates(options);
  await fetchAttachments(options);
}

async function fetchDecks({ client, spool, decks, progress }: Omit<CollectOptions, "form">): Promise<void> {
  if (spool.progress("decks").done) return;
  spool.restart("decks");
  const documents: Deck[] = [];
  for (const item of await client.decks.all()) {
    if (decks !== undefined && !decks.has(item.id)) continue;
    const deck = await ifThere(client.decks.get(item.id));
    if (deck !== undefined) documents.push({ ...item, ...deck } as Deck);
    progress("decks", documents.length);
  }
  spool.append("decks", documents, { done: true });
}

async function fetchCards(options: CollectOptions): Promise<void> {
  const { spool, decks, form } = options;
  const before = spool.progress("cards");
  if (before.done) return;
  const lists: (string | undefined)[] = decks === undefined ? [undefined] : [...decks];
  for (let list = before.list ?? 0; list < lists.length; list++) {
    if (form.head !== "" && spool.progress("cards").bytes === 0)
      spool.appendCards(form.head, noFacts, { list });
    try {
      await fetchList(options, lists[list], list);
    } catch (error) {
      const stale =
        error instanceof DeckhandError && error.code === "validation" && spool.progress("cards").bookmark;
      if (!stale) throw error;
      // The service does not know its bookmark any more.
      spool.restart("cards");
      list = -1;
    }
  }
  spool.appendCards("", noFacts, { done: true });
  spool.settle();
}

async function fetchList(options: CollectOptions, deckId: string | undefined, list: number): Promise<void> {
  const { client, spool, form, progress } = options;
  const { bookmark } = spool.progress("cards");
  // What the attachments are is asked for where the service can tell.
  const mentioned = !options.attachmentList || form.attachments === "counted";
  for await (const page of ahead(client.cards.pages({ deckId, bookmark }))) {
    // A card that moved, or a bookmark that did, may give a card again.
    const fresh = page.docs.filter(({ id }) => !spool.ids.has(id));
    const text = fresh.length === 0 ? "" : await form.page(fresh, spool.progress("cards").count);
    spool.appendCards(text, factsOf(fresh, mentioned), { list, bookmark: page.bookmark ?? undefined });
    progress("cards", spool.progress("cards").count);
  }
  spool.appendCards("", noFacts, { list: list + 1 });
}

const noFacts: CardFacts = { ids: [], templates: [], mentions: [] };

function factsOf(cards: readonly Card[], mentioned: boolean): CardFacts {
  const templates = new Set<string>();
  const mentions: CardFacts["mentions"][number][] = [];
  for (const card of cards) {
    if (card["template-id"]) templates.add(card["template-id"]);
    if (mentioned) for (const name of namesIn(card)) mentions.push([card.id, name]);
  }
  return { ids: cards.map(({ id }) => id), templates: [...templates], mentions };
}

function namesIn(card: Card): Set<string> {
  const names = mediaNames(card.content ?? "");
  for (const field of Object.values(card.fields ?? {})) names.push(...mediaNames(field?.value ?? ""));
  return new Set(names);
}

/** All of them; of some decks only those that their cards have. */
async function fetchTemplates({ client, spool, decks }: Omit<CollectOptions, "form">): Promise<void> {
  if (spool.progress("templates").done) return;
  spool.restart("templates");
  const all = await client.templates.all();
  const used = decks === undefined ? all : all.filter(({ id }) => spool.usedTemplates.has(id));
  spool.append("templates", used, { done: true });
}

async function fetchAttachments(options: CollectOptions): Promise<void> {
  const { spool, progress, form } = options;
  if (spool.progress("attachments").done) return;
  const known = new Set<string>();
  for await (const file of spool.attachments()) known.add(keyOf(file));
  for await (const file of listFiles(options)) {
    if (known.has(keyOf(file))) continue;
    known.add(keyOf(file));
    spool.append("attachments", [form.attachments === "counted" ? file : await fetched(file, options)], {});
    progress("attachments", spool.progress("attachments").count);
  }
  spool.append("attachments", [], { done: true });
}

type ListedFile = Pick<SpooledFile, "card-id" | "file-name" | "size" | "type">;

const keyOf = (file: ListedFile) => JSON.stringify([file["card-id"], file["file-name"]]);

/** From the list of all files; else card by card; else what the contents name. */
async function* listFiles({
  client,
  spool,
  attachmentList,
  form,
}: CollectOptions): AsyncGenerator<ListedFile> {
  if (attachmentList) {
    try {
      for await (const page of client.attachments.all())
        for (const file of page) if (spool.ids.has(file["card-id"])) yield plainFile(file);
      return;
    } catch (error) {
      const without = error instanceof DeckhandError && (error.code === "not-found" || error.status === 405);
      if (!without) throw error;
    }
    if (form.attachments !== "counted") {
      for (const id of spool.ids)
        for (const file of await client.attachments.list(id).send())
          yield plainFile({ ...file, "card-id": id });
      return;
    }
  }
  for (const [card, name] of spool.mentions) yield { "card-id": card, "file-name": name };
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
    await client.attachments.fetch(file["card-id"], file["file-name"], ({ body }) =>
      pipeline(body, createWriteStream(spool.filePath(name))),
    );
    // What was fetched is what counts: it may have been replaced since it was listed.
    return { ...file, size: (await stat(spool.filePath(name))).size, file: name };
  } catch (error) {
    if (!(error instanceof DeckhandError)) throw error;
    if (error.code === "not-found") return { ...file, missing: "it is not there" };
    if (error.code !== "server" || !(await isWell(client))) throw error;
    // One that is damaged there must not keep back all the rest.
    return { ...file, missing: `the service fails to give it (${error.status})`, failed: true };
  }
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
