import { existsSync } from "node:fs";
import type { Aside } from "../../files/aside.ts";
import type { FileBlobs } from "../blobs/files.ts";
import { contentPath } from "../blobs/paths.ts";
import { updateFiles } from "../routes/attachments.ts";
import { cardOf, isReadable } from "../routes/card-documents.ts";
import { allContents, attachmentsWith, type Content, deleteAttachment } from "../store/attachments.ts";
import { rowById } from "../store/documents.ts";
import type { Store } from "../store/index.ts";
import type { AttachmentRow, Db } from "../store/tables.ts";
import type { Affected, Finding } from "./finding.ts";

/** Reads every attachment whole and compares it with its hash. @param progress with the bytes read so far */
export async function* contentFindings(
  store: Store,
  blobs: FileBlobs,
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
      repair: (aside) => takeOut(store, blobs.pathOf(content.hash), rows, aside),
    };
  }
  for await (const hash of blobs.unnamed())
    yield {
      part: "attachments",
      // A short name, so that a terminal shows what is different.
      item: `attachments/${contentPath(hash)}`,
      problem: "no card names this file",
      cards: [],
      repair: async (aside) => `it was moved to ${aside.move(blobs.pathOf(hash))}`,
    };
}

/** Takes a damaged content off its cards, and keeps what is left of it. */
async function takeOut(
  store: Store,
  path: string,
  rows: readonly AttachmentRow[],
  aside: Aside,
): Promise<string> {
  for (const row of rows) aside.note({ attachment: row });
  const kept = existsSync(path) ? aside.move(path) : undefined;
  for (const row of rows) await store.write(row.account, (db) => forget(db, row));
  return kept === undefined
    ? "the cards have it no more"
    : `it was moved to ${kept}, and the cards have it no more`;
}

async function problemOf(
  blobs: FileBlobs,
  { account, hash, size }: Content,
  seen: (bytes: number) => void,
): Promise<string | undefined> {
  try {
    const stream = await blobs.read(account, hash, size);
    if (stream === undefined) return "its file is missing or damaged";
    for await (const bytes of stream) seen((bytes as Uint8Array).length);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function cardsOf(db: Db, rows: readonly AttachmentRow[]): Promise<Affected[]> {
  const cards: Affected[] = [];
  for (const { account, card_id: id } of rows) {
    const document = (await rowById(db, "card", account, id))?.document ?? "";
    cards.push({ id, name: isReadable(document) ? cardOf(document).name : null });
  }
  return cards;
}

async function forget(db: Db, row: AttachmentRow): Promise<void> {
  await deleteAttachment(db, row);
  const card = await rowById(db, "card", row.account, row.card_id);
  if (card !== undefined) await updateFiles(db, card);
}
