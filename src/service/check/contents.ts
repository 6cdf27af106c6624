import type { Aside } from "../../files/aside.ts";
import type { Blobs } from "../blobs/blobs.ts";
import { BucketError } from "../blobs/failure.ts";
import { cardOf, cardWithFiles, knownCard, rowOf } from "../routes/card-documents.ts";
import {
  allContents,
  attachmentsOf,
  attachmentsWith,
  type Content,
  deleteAttachment,
} from "../store/attachments.ts";
import { rowById, updateRow } from "../store/documents.ts";
import type { Store } from "../store/index.ts";
import type { AttachmentRow, Db } from "../store/tables.ts";
import type { Affected, Finding } from "./finding.ts";

/** Reads every attachment whole and compares it with its hash. @param progress with the bytes read so far */
export async function* contentFindings(
  store: Store,
  blobs: Blobs,
  progress: (bytes: number) => void,
): AsyncGenerator<Finding> {
  let read = 0;
  const seen = (bytes: number) => {
    read += bytes;
    progress(read);
  };
  for (const content of await store.read(allContents)) {
    const problem = await problemOf(blobs, content, seen);
    const rows = problem === undefined ? [] : await store.read((db) => attachmentsWith(db, content));
    const [first] = rows;
    // It may have been removed while it was read.
    if (problem === undefined || first === undefined) continue;
    yield {
      part: "attachments",
      item: `${first.file_name} (${first.hash.slice(0, 12)})`,
      problem,
      cards: await store.read((db) => cardsOf(db, rows)),
      repair: (aside) => takeOut(store, blobs, content, rows, aside),
    };
  }
  for await (const { name, of, path, remove } of blobs.leftOver())
    yield {
      part: "attachments",
      item: name,
      problem: `no card names this ${of}`,
      cards: [],
      repair: async (aside) => {
        if (path !== undefined) return `it was moved to ${aside.move(path)}`;
        await remove?.();
        return "it was deleted";
      },
    };
}

/** Takes a damaged content off its cards, and keeps what is left of it. */
async function takeOut(
  store: Store,
  blobs: Blobs,
  { account, hash }: Content,
  rows: readonly AttachmentRow[],
  aside: Aside,
): Promise<string> {
  for (const row of rows) aside.note({ attachment: row });
  const rest = await blobs.remains(account, hash);
  const kept = rest && (await aside.keep(hash, rest));
  for (const row of rows) await store.write(account, (db) => forget(db, row));
  await store.write(account, (db) => blobs.release(db, account, [hash]));
  await blobs.settle(account, [hash]);
  return kept === undefined
    ? "the cards have it no more"
    : `it was moved to ${kept}, and the cards have it no more`;
}

async function problemOf(
  blobs: Blobs,
  { account, hash, size }: Content,
  seen: (bytes: number) => void,
): Promise<string | undefined> {
  try {
    const stream = await blobs.read(account, hash, size);
    if (stream === undefined) return "its file is missing or damaged";
    for await (const bytes of stream) seen((bytes as Uint8Array).length);
    return undefined;
  } catch (error) {
    // The content may be whole.
    if (error instanceof BucketError) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}

async function cardsOf(db: Db, rows: readonly AttachmentRow[]): Promise<Affected[]> {
  const cards: Affected[] = [];
  for (const { account, card_id: id } of rows) {
    const row = await rowById(db, "card", account, id).catch(() => undefined);
    cards.push({ id, name: row === undefined ? null : nameOf(row.document) });
  }
  return cards;
}

function nameOf(document: string): string | null {
  try {
    return cardOf(document).name;
  } catch {
    return null;
  }
}

async function forget(db: Db, row: AttachmentRow): Promise<void> {
  await deleteAttachment(db, row);
  const card = await rowById(db, "card", row.account, row.card_id);
  if (card === undefined) return;
  const files = await attachmentsOf(db, row.account, row.card_id);
  await updateRow(db, "card", rowOf(row.account, cardWithFiles(knownCard(card), files)));
}
