import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Aside } from "../../files/aside.ts";
import type { Blobs } from "../blobs/blobs.ts";
import { BucketError } from "../blobs/failure.ts";
import { contentPath } from "../blobs/paths.ts";
import { cardOf, cardWithFiles, knownCard, rowOf } from "../routes/card-documents.ts";
import { allUnsettled, attachmentsOf, deleteAttachment, isNamed } from "../store/attachments.ts";
import { updateCard } from "../store/cards.ts";
import { beyond, rowById } from "../store/documents.ts";
import type { Store } from "../store/index.ts";
import type { AttachmentRow, Db } from "../store/tables.ts";
import type { Affected, Finding } from "./finding.ts";

/** What is checked: the rows, and what reads their contents. */
interface Contents {
  readonly store: Store;
  readonly blobs: Blobs;
  /** The folder of the contents; undefined where they are in the database. */
  readonly files: string | undefined;
}

const pageLength = 500;

/** Reads every attachment whole and compares it with its hash. @param progress with the bytes read so far */
export async function* contentFindings(
  contents: Contents,
  progress: (bytes: number) => void,
): AsyncGenerator<Finding> {
  let read = 0;
  const seen = (bytes: number) => {
    read += bytes;
    progress(read);
  };
  for await (const rows of rowsByContent(contents.store)) {
    const [first] = rows;
    const problem = await problemOf(contents.blobs, first, seen);
    if (problem === undefined || !(await stillThere(contents.store, first))) continue;
    yield {
      part: "attachments",
      item: `${first.file_name} (${first.hash.slice(0, 12)})`,
      problem,
      cards: await contents.store.read((db) => cardsOf(db, rows)),
      repair: async (aside) => {
        for (const row of rows) aside.note({ attachment: row });
        const kept = await setAside(contents, first, aside);
        for (const row of rows) await contents.store.write(row.account, (db) => forget(db, row));
        // A file was moved; what is left of a content elsewhere is deleted there, objects by the next sweep of a server.
        if (contents.files === undefined)
          await contents.store.write(first.account, (db) =>
            contents.blobs.release(db, first.account, [first.hash]),
          );
        return kept === undefined
          ? "the cards have it no more"
          : `it was moved to ${kept}, and the cards have it no more`;
      },
    };
  }
  if (contents.files !== undefined) yield* unnamedFiles(contents.store, contents.files);
  for await (const { name, remove } of contents.blobs.leftOver?.() ?? [])
    yield {
      part: "attachments",
      item: name,
      problem: "no card names this object",
      cards: [],
      repair: () => remove().then(() => "it was deleted"),
    };
}

/** Keeps what is left of a content. @returns where; undefined if there is nothing */
async function setAside(
  { blobs, files }: Contents,
  { account, hash }: AttachmentRow,
  aside: Aside,
): Promise<string | undefined> {
  if (files === undefined) {
    const rest = await blobs.remains?.(account, hash);
    return rest && aside.keep(hash, rest);
  }
  const path = join(files, contentPath(hash));
  return existsSync(path) ? aside.move(path) : undefined;
}

type Rows = [AttachmentRow, ...AttachmentRow[]];

/** The rows of attachments, those of the same content together. */
async function* rowsByContent(store: Store): AsyncGenerator<Rows> {
  let same: Rows | undefined;
  for (let last: AttachmentRow | undefined; ; ) {
    const after = last;
    const rows = await store.read((db) => page(db, after));
    for (const row of rows)
      if (same !== undefined && same[0].hash === row.hash && same[0].account === row.account) same.push(row);
      else {
        if (same !== undefined) yield same;
        same = [row];
      }
    last = rows.at(-1);
    if (last !== undefined) continue;
    if (same !== undefined) yield same;
    return;
  }
}

function page(db: Db, after: AttachmentRow | undefined): Promise<AttachmentRow[]> {
  let query = db.selectFrom("attachment").selectAll();
  if (after !== undefined)
    query = query.where(
      beyond(
        ["hash", "account", "card_id", "file_name"],
        [after.hash, after.account, after.card_id, after.file_name],
      ),
    );
  return query
    .orderBy("hash")
    .orderBy("account")
    .orderBy("card_id")
    .orderBy("file_name")
    .limit(pageLength)
    .execute();
}

async function problemOf(
  blobs: Blobs,
  { account, hash, size }: AttachmentRow,
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

/** Whether it was not removed while it was read. */
const stillThere = (store: Store, { account, card_id, hash }: AttachmentRow) =>
  store.read(async (db) => (await attachmentsOf(db, account, card_id)).some((row) => row.hash === hash));

async function cardsOf(db: Db, rows: Rows): Promise<Affected[]> {
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
  await updateCard(db, rowOf(row.account, cardWithFiles(knownCard(card), files)));
}

/** Files that no card names: a wrong bit in a row's hash leaves one, for example. */
async function* unnamedFiles(store: Store, files: string): AsyncGenerator<Finding> {
  const folders = existsSync(files) ? readdirSync(files).filter((name) => /^[0-9a-f]{2}$/.test(name)) : [];
  for (const folder of folders)
    for (const name of readdirSync(join(files, folder))) {
      const [hash, path] = [folder + name, join(files, folder, name)];
      // First the notes: a content that is being added has one until its row is there.
      const noted = await store.read(async (db) => (await allUnsettled(db)).includes(hash));
      if (noted || (await store.read((db) => isNamed(db, hash))) || !existsSync(path)) continue;
      yield {
        part: "attachments",
        // Short, so that a terminal shows what is different.
        item: `attachments/${folder}/${name}`,
        problem: "no card names this file",
        cards: [],
        repair: async (aside) => `it was moved to ${aside.move(path)}`,
      };
    }
}
