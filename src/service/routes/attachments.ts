import { Buffer } from "node:buffer";
import type { Attachment } from "../../schema/index.ts";
import type { Received } from "../blobs.ts";
import { refuseTooLarge } from "../body.ts";
import { invalid, notFound, Problem } from "../errors.ts";
import { readFilePart } from "../multipart.ts";
import { beginPage } from "../pages.ts";
import type { Call, Handler, Service } from "../service.ts";
import { settle } from "../settling.ts";
import {
  attachmentByName,
  attachmentPlace,
  attachmentsAfter,
  attachmentsOf,
  deleteAttachment,
  putAttachment,
} from "../store/attachments.ts";
import { cardExists } from "../store/cards.ts";
import type { AttachmentRow, Db } from "../store/tables.ts";
import { noteUnsettled, takeUnsettled } from "../store/unsettled.ts";

const pageLength = 100;
// What multipart adds to a file: boundaries and the headers of the part.
const framing = 64 * 1024;

const add: Handler = async (call, service) => {
  const { account, params, request } = call;
  const { limits, store } = service;
  const [cardId = "", fileName = ""] = [params["card-id"], params["file-name"]];
  await refuseWithoutCard(store.db, account, cardId);
  const problem = fileNameProblem(fileName);
  if (problem !== undefined) throw invalid({ "file-name": problem });
  refuseTooLarge(request.headers, limits.attachment + framing);
  const blobs = await service.blobs();
  const { type, taken } = await readFilePart(
    request,
    (content) => blobs.receive(content, limits.attachment),
    blobs.discard,
  );
  try {
    const row = { account, card_id: cardId, file_name: fileName, size: taken.size, type, hash: taken.hash };
    await settled(service, await record(service, row, taken));
    return { document: attachmentOf(row) };
  } finally {
    blobs.discard(taken);
  }
};

/**
 * Puts a received file in its place and records it. @returns the content that this replaced, to be settled.
 */
async function record(service: Service, row: AttachmentRow, received: Received): Promise<string[]> {
  const { store } = service;
  const blobs = await service.blobs();
  for (;;) {
    await store.write((db) => noteUnsettled(db, [row.hash]));
    const replaced = await store.write(async (db) => {
      // Gone only if another process was just started and has settled it: once more.
      if (!(await takeUnsettled(db, row.hash))) return undefined;
      await refuseWithoutCard(db, row.account, row.card_id);
      const before = await attachmentByName(db, row.account, row.card_id, row.file_name);
      blobs.keep(received);
      await putAttachment(db, row);
      const hashes = before === undefined || before.hash === row.hash ? [] : [before.hash];
      await noteUnsettled(db, hashes);
      return hashes;
    });
    if (replaced !== undefined) return replaced;
  }
}

const remove: Handler = async (call, service) => {
  const hash = await service.store.write(async (db) => {
    const row = await found(db, call);
    await deleteAttachment(db, row);
    await noteUnsettled(db, [row.hash]);
    return row.hash;
  });
  await settled(service, [hash]);
  return undefined;
};

const list: Handler = async ({ account, params }, { store }) =>
  store.read(async (db) => {
    const cardId = params["card-id"] ?? "";
    await refuseWithoutCard(db, account, cardId);
    const rows = (await attachmentsOf(db, account, [cardId])).get(cardId) ?? [];
    return { document: { docs: rows.map(attachmentOf) } };
  });

const all: Handler = async (call, service) => {
  const page = await beginPage(call, service, "attachments");
  const rows = await attachmentsAfter(service.store.db, call.account, {
    after: page.after,
    limit: pageLength,
  });
  const last = rows.at(-1);
  const docs = rows.map((row) => ({ "card-id": row.card_id, ...attachmentOf(row) }));
  return { document: { docs, bookmark: page.bookmark(last && attachmentPlace(last)) } };
};

const get: Handler = async (call, service) => {
  const { row, bytes } = await opened(call, service);
  return {
    bytes,
    headers: {
      "content-type": row.type,
      "content-length": String(row.size),
      // Whatever the file is, no browser is to run it as a page of this service.
      "content-disposition": `attachment; filename*=UTF-8''${encoded(row.file_name)}`,
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
    },
  };
};

export const attachments = { add, remove, list, all, get };

async function found(db: Db, { account, params }: Call): Promise<AttachmentRow> {
  const cardId = params["card-id"] ?? "";
  await refuseWithoutCard(db, account, cardId);
  const row = await attachmentByName(db, account, cardId, params["file-name"] ?? "");
  if (row === undefined) throw notFound("the card has no attachment of this name");
  return row;
}

/** An attachment and its content, in the place of which another process may put a new one at any moment. */
async function opened(call: Call, { store, blobs }: Service) {
  let missing: string | undefined;
  for (;;) {
    const row = await found(store.db, call);
    const bytes = await (await blobs()).read(row.hash, row.size);
    if (bytes !== undefined) return { row, bytes };
    if (row.hash === missing) throw new Problem(500, ["the file of this attachment is missing or damaged"]);
    missing = row.hash;
  }
}

async function refuseWithoutCard(db: Db, account: string, cardId: string): Promise<void> {
  if (!(await cardExists(db, account, cardId))) throw notFound("there is no such card");
}

/** The request has done its work: what cannot be settled now is settled at the next start. */
async function settled(service: Service, hashes: readonly string[]): Promise<void> {
  await settle(service.store, await service.blobs(), hashes).catch(service.onError);
}

/** service.md, attachment file names. */
function fileNameProblem(name: string): string | undefined {
  if (name === "." || name === "..") return "cannot be . or ..";
  if (/[/\p{Cc}]/u.test(name)) return "cannot hold a slash or a control character";
  if (Buffer.byteLength(name) > 255) return "is too long (at most 255 bytes)";
  return undefined;
}

const attachmentOf = (row: AttachmentRow): Attachment => ({
  "file-name": row.file_name,
  size: row.size,
  type: row.type,
});

// RFC 8187 allows fewer characters than encodeURIComponent leaves.
const encoded = (name: string) =>
  encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
