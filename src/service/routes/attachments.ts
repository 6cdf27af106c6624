import { Buffer } from "node:buffer";
import type { Attachment, WireRequest } from "../../schema/index.ts";
import type { Received } from "../blobs/blobs.ts";
import { BucketError } from "../blobs/failure.ts";
import { DamagedError } from "../blobs/verified.ts";
import { refuseTooLarge } from "../body.ts";
import { forbidden, invalid, notFound, Problem } from "../errors.ts";
import { readFilePart } from "../multipart.ts";
import { listing, reading, route, type Service } from "../route.ts";
import {
  attachmentByName,
  attachmentPlace,
  attachmentsAfter,
  attachmentsOf,
  deleteAttachment,
  putAttachment,
} from "../store/attachments.ts";
import { updateRow } from "../store/documents.ts";
import type { AttachmentRow, CardRow, Db } from "../store/tables.ts";
import { cardWithFiles, knownCard, rowOf } from "./card-documents.ts";
import { cardKey, cardNamed } from "./cards.ts";
import { attachmentTag, refuseChanged } from "./conditions.ts";

const pageLength = 100;
// The document of a card names them all, and each change of one writes it anew.
const mostFiles = 1_000;
// What multipart adds to a file: boundaries and the headers of the part.
const framing = 64 * 1024;

const add = route<"attachments.add">(async ({ account, params, request }, service) => {
  const { limits, store } = service;
  const [cardId, fileName] = [params["card-id"], params["file-name"]];
  await store.read((db) => cardKey(db, account, cardId));
  const problem = fileNameProblem(fileName);
  if (problem !== undefined) throw invalid({ "file-name": problem });
  refuseTooLarge(request.headers, limits.attachment + framing);
  const blobs = await service.blobs();
  const received: { content?: Received } = {};
  try {
    const type = await readFilePart(request, async (part) => {
      received.content = await blobs.receive(account, part, limits.attachment);
    });
    const { content } = received;
    if (content === undefined) throw new Error("the file was not received");
    const { size, hash } = content;
    const row = { account, card_id: cardId, file_name: fileName, size, type, hash };
    await settled(service, account, await record(service, row, content, request));
    return { document: attachmentOf(row) };
  } finally {
    if (received.content !== undefined) await blobs.discard(account, received.content).catch(service.onError);
  }
});

/**
 * Moves a received file into place and records it.
 *
 * @returns the content that it replaced, to be settled
 * @throws Problem 412 where the request is not to replace what is there
 */
async function record(
  service: Service,
  row: AttachmentRow,
  received: Received,
  request: WireRequest,
): Promise<string[]> {
  const { account, hash } = row;
  const blobs = await service.blobs();
  return service.store.write(account, async (db) => {
    const card = await cardNamed(db, account, row.card_id);
    const before = await attachmentByName(db, account, row.card_id, row.file_name);
    refuseChanged(request, () => before && attachmentTag(before));
    await putAttachment(db, row);
    const files = await updateFiles(db, card);
    if (before === undefined && files > mostFiles)
      throw forbidden(`a card may have at most ${mostFiles} attachments`);
    const hashes = before === undefined || before.hash === hash ? [] : [before.hash];
    await blobs.release(db, account, hashes);
    await blobs.keep(db, account, received);
    return hashes;
  });
}

const remove = route<"attachments.remove">(async ({ account, params, request }, service) => {
  const blobs = await service.blobs();
  const hash = await service.store.write(account, async (db) => {
    const card = await cardNamed(db, account, params["card-id"]);
    const row = await attachmentNamed(db, card, params["file-name"]);
    refuseChanged(request, () => attachmentTag(row));
    await deleteAttachment(db, row);
    await updateFiles(db, card);
    await blobs.release(db, account, [row.hash]);
    return row.hash;
  });
  await settled(service, account, [hash]);
  return undefined;
});

const list = reading<"attachments.list">(async ({ account, params }, db) => {
  const { id } = await cardKey(db, account, params["card-id"]);
  const rows = await attachmentsOf(db, account, id);
  return { document: { docs: rows.map(listedOf) } };
});

const all = listing<"attachments.all">(
  () => "attachments",
  async ({ account }, { after, bookmark }, { store }) => {
    const rows = await store.read((db) => attachmentsAfter(db, account, { after, limit: pageLength }));
    const last = rows.at(-1);
    const docs = rows.map((row) => ({ "card-id": row.card_id, ...listedOf(row) }));
    return { document: { docs, bookmark: bookmark(last && attachmentPlace(last)) } };
  },
);

const get = route<"attachments.get">(async ({ account, params }, service) => {
  const { row, bytes } = await opened(service, (db) =>
    cardKey(db, account, params["card-id"]).then((card) => attachmentNamed(db, card, params["file-name"])),
  );
  // The client sees only that the answer is cut. That it went away itself is no failure.
  bytes.once("error", (error) => {
    if (error instanceof DamagedError || error instanceof BucketError) service.onError(error);
  });
  return {
    bytes,
    headers: {
      "content-type": row.type,
      "content-length": String(row.size),
      ...attachmentTag(row),
      // Whatever the file is, a browser must not run it as a page of this service.
      "content-disposition": `attachment; filename*=UTF-8''${encoded(row.file_name)}`,
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
    },
  };
});

export const attachments = { add, remove, list, all, get };

/** @throws Problem 404 */
async function attachmentNamed(
  db: Db,
  { account, id }: Pick<CardRow, "account" | "id">,
  fileName: string,
): Promise<AttachmentRow> {
  const row = await attachmentByName(db, account, id, fileName);
  if (row === undefined) throw notFound("the card has no attachment of this name");
  return row;
}

/** Brings the document of a card up to date with its attachments. @returns how many it has */
export async function updateFiles(db: Db, card: CardRow): Promise<number> {
  const files = await attachmentsOf(db, card.account, card.id);
  await updateRow(db, "card", rowOf(card.account, cardWithFiles(knownCard(card), files)));
  return files.length;
}

/** An attachment and its content. Another process may replace it between the two: then it is looked up again. */
async function opened(service: Service, find: (db: Db) => Promise<AttachmentRow>) {
  const blobs = await service.blobs();
  let missing: string | undefined;
  for (;;) {
    const row = await service.store.read(find);
    const bytes = await blobs.read(row.account, row.hash, row.size);
    if (bytes !== undefined) return { row, bytes };
    if (row.hash === missing) throw new Problem(500, ["the file of this attachment is missing or damaged"]);
    missing = row.hash;
  }
}

/** The request has succeeded already: contents that cannot be settled now are swept later. */
async function settled(service: Service, account: string, hashes: readonly string[]): Promise<void> {
  await (await service.blobs()).settle(account, hashes).catch(service.onError);
}

/** docs/design/service.md, Attachments. */
function fileNameProblem(name: string): string | undefined {
  if (name === "." || name === "..") return "cannot be . or ..";
  if (/[/\p{Cc}]/u.test(name)) return "cannot have a slash or a control character";
  if (Buffer.byteLength(name) > 255) return "is too long (at most 255 bytes)";
  return undefined;
}

const attachmentOf = (row: AttachmentRow): Attachment => ({
  "file-name": row.file_name,
  size: row.size,
  type: row.type,
});

const listedOf = (row: AttachmentRow) => ({ ...attachmentOf(row), sha256: row.hash });

// RFC 8187 allows fewer characters than encodeURIComponent leaves.
const encoded = (name: string) =>
  encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
