import type { ContentFacts } from "../../cards/index.ts";
import type { CardUpdate } from "../../schema/index.ts";
import { positionAfter } from "../../schema/position.ts";
import { notFound, Problem } from "../errors.ts";
import { otherRequests } from "../pauses.ts";
import { listing, type Problems, reading, route, writing } from "../route.ts";
import { attachmentsOf } from "../store/attachments.ts";
import { deleteRow, exists, insertRow, lastPosition, updateRow } from "../store/documents.ts";
import type { CardRow, Db } from "../store/tables.ts";
import {
  blankCard,
  cardOf,
  changedCard,
  isReadable,
  type KnownCard,
  knownCard,
  rowOf,
  type WholeCard,
} from "./card-documents.ts";
import { cardTag, isWritten, refuseChanged } from "./conditions.ts";
import { creating, positionProblem } from "./creations.ts";
import { documentList, rowNamed } from "./slices.ts";

const list = listing<"cards.list">(
  ({ query }) => (query["deck-id"] === undefined ? "cards" : `cards in ${query["deck-id"]}`),
  ({ account, query: { "deck-id": deckId, limit = 10 } }, page, service) =>
    documentList("card", { account, deckId, limit }, page, service, ({ document }) => ({ json: document })),
);

const create = creating("cards.create", "card", {
  problems: async ({ account, body }, db) => ({
    ...(await linkProblems(db, account, body)),
    ...blankProblem(body, undefined),
    ...positionProblem(body),
  }),
  async insert({ account, body }, db, id, { now }) {
    const { id: _, ...values } = body;
    const deckId = body["deck-id"];
    const pos = body.pos ?? positionAfter(await lastPosition(db, "card", account, deckId));
    const at = now();
    const card = changedCard(blankCard(id, deckId, pos, at), values, await factsOf(body), at);
    const row = rowOf(account, card);
    await insertRow(db, "card", row);
    return { json: row.document, headers: () => cardTag(card.card) };
  },
  answerOf: ({ document }) => documentReply(document),
});

const get = reading<"cards.get">(async ({ account, params }, db) => {
  const { document } = await cardNamed(db, account, params["card-id"]);
  return documentReply(document);
});

const update = writing<"cards.update", FoundCard>({
  async find({ account, params }, db) {
    const row = await cardNamed(db, account, params["card-id"]);
    return { document: row.document, before: knownCard(row) };
  },
  problems: async ({ account, body }, db, { before }) => ({
    ...(await linkProblems(db, account, body)),
    ...blankProblem(body, before.card),
    ...positionProblem(body),
  }),
  async handle(call, db, { document, before }, { now }) {
    const { account, body } = call;
    const after = changedCard(before, body, await factsOf(body), now());
    const [was, is] = [() => cardTag(before.card), () => cardTag(after.card)];
    if (isWritten(call, was, is)) return documentReply(document);
    const changed = rowOf(account, after);
    await updateRow(db, "card", changed);
    return { json: changed.document, headers: is };
  },
});

interface FoundCard {
  readonly document: string;
  readonly before: KnownCard;
}

const remove = route<"cards.delete">(async ({ account, params, request }, service) => {
  const hashes = await service.store.write(account, async (db) => {
    const { id, document } = await cardNamed(db, account, params["card-id"]);
    refuseChanged(request, () => cardTag(cardOf(document)));
    const contents = (await attachmentsOf(db, account, id)).map((file) => file.hash);
    await deleteRow(db, "card", account, id);
    if (contents.length > 0) await (await service.blobs()).release(db, account, contents);
    return contents;
  });
  if (hashes.length > 0) await (await service.blobs()).settle(account, hashes).catch(service.onError);
  return undefined;
});

const documentReply = (document: string) => ({ json: document, headers: () => cardTag(cardOf(document)) });

export const cards = { list, create, get, update, delete: remove };

/** @throws Problem 404, and 500 for a card that is damaged */
export async function cardNamed(db: Db, account: string, id: string): Promise<CardRow> {
  const row = await rowNamed(db, "card", account, id);
  if (!isReadable(row.document)) throw damagedCard;
  return row;
}

const damagedCard = new Problem(500, [
  "the card is damaged; `deckhand check --repair` mends what can be mended",
]);

/**
 * The key of a card, without reading its document.
 *
 * @throws Problem 404
 */
export async function cardKey(db: Db, account: string, id: string): Promise<Pick<CardRow, "account" | "id">> {
  if (!(await exists(db, "card", account, id))) throw notFound("there is no such card");
  return { account, id };
}

/** What the content says; undefined where none is given. */
async function factsOf({ content }: CardUpdate): Promise<ContentFacts | undefined> {
  if (content === undefined) return undefined;
  const { contentFacts } = await import("../../cards/index.ts");
  const facts = await contentFacts(content);
  // Reading a large text takes as long as storing it: others are answered in between.
  if (content.length > 100_000) await otherRequests();
  return facts;
}

/**
 * Content may be blank only where fields are supplied, on create and update alike. A card without either is possible only
 * by a body that says both, with `fields` as an empty map.
 */
function blankProblem(
  { content, fields }: CardUpdate,
  before: Pick<WholeCard, "content" | "fields"> | undefined,
): Problems {
  if ((content === undefined) === (fields === undefined)) return {};
  const text = content ?? before?.content;
  if (text === undefined || text.trim() !== "") return {};
  if (Object.keys(fields ?? before?.fields ?? {}).length > 0) return {};
  return content === undefined
    ? { fields: "cannot be empty while the content is blank" }
    : { content: "cannot be blank unless fields are supplied" };
}

async function linkProblems(db: Db, account: string, values: CardUpdate): Promise<Problems> {
  const problems: Record<string, string> = {};
  const { "deck-id": deckId, "template-id": templateId } = values;
  if (deckId !== undefined && !(await exists(db, "deck", account, deckId)))
    problems["deck-id"] = "names a deck that does not exist";
  if (typeof templateId === "string" && !(await exists(db, "template", account, templateId)))
    problems["template-id"] = "names a template that does not exist";
  return problems;
}
