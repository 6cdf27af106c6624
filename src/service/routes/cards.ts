import { Buffer } from "node:buffer";
import type { ContentFacts } from "../../cards/index.ts";
import { type CardCreate, type CardUpdate, isMap } from "../../schema/index.ts";
import { positionAfter } from "../../schema/position.ts";
import { notFound, refuseInvalid } from "../errors.ts";
import { randomId } from "../ids.ts";
import { beginPage } from "../pages.ts";
import type { Handler } from "../service.ts";
import { attachmentsOf } from "../store/attachments.ts";
import {
  cardById,
  cardExists,
  cardsAfter,
  deleteCard,
  insertCard,
  lastCardPosition,
  updateCard,
} from "../store/cards.ts";
import { deckExists } from "../store/decks.ts";
import type { CardRow, Db } from "../store/tables.ts";
import { templateById } from "../store/templates.ts";
import { noteUnsettled } from "../store/unsettled.ts";
import { blankCard, changedCard, knownCard, placeOf, rowOf, type WholeCard } from "./card-documents.ts";

const list: Handler = async (call, service) => {
  const { account, query } = call;
  const { "deck-id": deckId, limit = 10 } = query as { "deck-id"?: string; limit?: number };
  const { after, bookmark } = await beginPage(
    call,
    service,
    deckId === undefined ? "cards" : `cards of ${deckId}`,
  );
  const options = { deckId, after, limit, before: opening, behind: blanks };
  const page = await cardsAfter(service.store.db, account, options);
  if (page === undefined) return { json: `${opening}${closing(bookmark(undefined))}` };
  const end = page.length - blanks.length;
  return { json: closed(page, end, closing(bookmark(placeOf(lastLine(page, end))))) };
};

const opening = '{"docs":[';
const closing = (bookmark: string) => `],"bookmark":${JSON.stringify(bookmark)}}`;
// Room for what closes a page, so that it need not be copied.
const blanks = " ".repeat(200);

/** Documents have no line breaks but those between them. */
function lastLine(page: Buffer, end: number): string {
  const lineBreak = page.lastIndexOf("\n");
  return page.toString("utf8", lineBreak === -1 ? opening.length : lineBreak + 1, end);
}

/** A page whose documents end there, closed by ASCII. */
function closed(page: Buffer, end: number, text: string): Buffer {
  // A bookmark is as long as the position that it names.
  if (text.length > page.length - end) return Buffer.concat([page.subarray(0, end), Buffer.from(text)]);
  return page.subarray(0, end + page.write(text, end));
}

const create: Handler = async ({ account, body, problems }, service) => {
  const values = body as CardCreate;
  const facts = await factsOf(values);
  return service.store.write(async (db) => {
    refuseInvalid(problems, blankProblem(values, undefined), await linkProblems(db, account, values));
    let id = randomId(service.random);
    while (await cardExists(db, account, id)) id = randomId(service.random);
    const deckId = values["deck-id"];
    const pos = values.pos ?? positionAfter(await lastCardPosition(db, account, deckId));
    const now = service.now();
    const row = rowOf(account, changedCard(blankCard(id, deckId, pos, now), values, facts, now));
    await insertCard(db, row);
    return { json: row.document };
  });
};

const get: Handler = async ({ account, params }, { store }) => ({
  json: (await found(store.db, account, params)).document,
});

const update: Handler = async ({ account, params, body, problems }, service) => {
  const values = body as CardUpdate;
  const facts = await factsOf(values);
  return service.store.write(async (db) => {
    const row = await found(db, account, params);
    const before = knownCard(row);
    refuseInvalid(problems, blankProblem(values, before.card), await linkProblems(db, account, values));
    if (Object.keys(values).length === 0) return { json: row.document };
    const changed = rowOf(account, changedCard(before, values, facts, service.now()));
    await updateCard(db, changed);
    return { json: changed.document };
  });
};

const remove: Handler = async ({ account, params }, { store, blobs, onError }) => {
  const hashes = await store.write(async (db) => {
    const { id } = await found(db, account, params);
    const files = (await attachmentsOf(db, account, [id])).get(id) ?? [];
    const contents = files.map((file) => file.hash);
    await noteUnsettled(db, contents);
    await deleteCard(db, account, id);
    return contents;
  });
  if (hashes.length > 0) {
    const { settle } = await import("../settling.ts");
    await settle(store, await blobs(), hashes).catch(onError);
  }
  return undefined;
};

export const cards = { list, create, get, update, delete: remove };

/** Found out before the transaction: a parser may have to be loaded, and nobody else could write meanwhile. */
async function factsOf({ content }: CardUpdate): Promise<ContentFacts | undefined> {
  if (typeof content !== "string") return undefined;
  const { contentFacts } = await import("../../cards/index.ts");
  return contentFacts(content);
}

async function found(db: Db, account: string, params: Readonly<Record<string, string>>): Promise<CardRow> {
  const row = await cardById(db, account, params["card-id"] ?? "");
  if (row === undefined) throw notFound("there is no such card");
  return row;
}

/**
 * Content may be blank only where fields are supplied, on create and update alike: a card has a content or a field. One
 * without either is made only by a body that says both, `fields` as an empty map.
 */
function blankProblem(
  { content, fields }: CardUpdate,
  before: Pick<WholeCard, "content" | "fields"> | undefined,
): Record<string, string> | undefined {
  if ((content === undefined) === (fields === undefined)) return undefined;
  const [text, map] = [content ?? before?.content, fields ?? before?.fields];
  if (!isBlank(text) || !isEmpty(map)) return undefined;
  return content === undefined
    ? { fields: "cannot be empty while the content is blank" }
    : { content: "cannot be blank unless fields are supplied" };
}

const isBlank = (content: unknown) => typeof content === "string" && content.trim() === "";
const isEmpty = (fields: unknown) =>
  fields === undefined || (isMap(fields) && Object.keys(fields).length === 0);

async function linkProblems(db: Db, account: string, values: CardUpdate): Promise<Record<string, string>> {
  const problems: Record<string, string> = {};
  const { "deck-id": deckId, "template-id": templateId } = values;
  if (typeof deckId === "string" && !(await deckExists(db, account, deckId)))
    problems["deck-id"] = "names a deck that does not exist";
  if (typeof templateId === "string" && (await templateById(db, account, templateId)) === undefined)
    problems["template-id"] = "names a template that does not exist";
  return problems;
}
