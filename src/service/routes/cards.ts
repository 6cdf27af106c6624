import { contentFacts } from "../../markdown/index.ts";
import { type CardCreate, type CardUpdate, cardCreate, cardUpdate, check } from "../../schema/index.ts";
import { notFound, refuseInvalid } from "../errors.ts";
import { randomId } from "../ids.ts";
import { pageOf } from "../pages.ts";
import { positionAfter, positionBytes } from "../positions.ts";
import type { Handler } from "../service.ts";
import { settle } from "../settling.ts";
import { attachmentsOf, noteUnsettled } from "../store/attachments.ts";
import {
  cardById,
  cardExists,
  cardPlace,
  cardsAfter,
  deleteCard,
  insertCard,
  lastCardPosition,
  updateCard,
} from "../store/cards.ts";
import { deckExists } from "../store/decks.ts";
import type { CardRow, Db } from "../store/tables.ts";
import { templateById } from "../store/templates.ts";
import { given, known } from "./bodies.ts";
import { cardOf, cardsOf, documentOf, documentWith, isReady } from "./card-documents.ts";

const list: Handler = async (call, service) => {
  const { "deck-id": deckId, limit = 10 } = call.query as { "deck-id"?: string; limit?: number };
  const document = await pageOf<CardRow>(call, service, {
    name: deckId === undefined ? "cards" : `cards of ${deckId}`,
    rows: (db, after) => cardsAfter(db, call.account, { deckId, after, limit }),
    place: cardPlace,
    documents: (db, rows) => cardsOf(db, call.account, rows),
  });
  return { document };
};

const create: Handler = async ({ account, body }, service) => {
  const problems = check(cardCreate, body, "sent");
  const values = known(cardCreate, withTags(body)) as CardCreate;
  const facts = await factsOf(values);
  return service.store.write(async (db) => {
    refuseInvalid(problems, blankProblem(values, undefined), await linkProblems(db, account, values));
    const document = documentWith(undefined, values, facts);
    let id = randomId(service.random);
    while (await cardExists(db, account, id)) id = randomId(service.random);
    const deckId = values["deck-id"];
    const now = service.now();
    const row: CardRow = {
      account,
      id,
      deck_id: deckId,
      pos: positionBytes(values.pos ?? positionAfter(await lastCardPosition(db, account, deckId))),
      ready: isReady(document),
      due_at: null,
      created_at: now,
      updated_at: now,
      document: JSON.stringify(document),
    };
    await insertCard(db, row);
    return { document: cardOf(row, []) };
  });
};

const get: Handler = async ({ account, params }, { store }) =>
  store.read(async (db) => {
    const [document] = await cardsOf(db, account, [await found(db, account, params)]);
    return { document };
  });

const update: Handler = async ({ account, params, body }, service) => {
  const problems = check(cardUpdate, body, "sent");
  const values = known(cardUpdate, withTags(body)) as CardUpdate;
  const facts = await factsOf(values);
  return service.store.write(async (db) => {
    const row = await found(db, account, params);
    const before = documentOf(row);
    refuseInvalid(problems, blankProblem(values, before.fields), await linkProblems(db, account, values));
    if (!given(values)) return { document: (await cardsOf(db, account, [row]))[0] };
    const document = documentWith(before, values, facts);
    const changed: CardRow = {
      ...row,
      deck_id: values["deck-id"] ?? row.deck_id,
      pos: values.pos === undefined ? row.pos : positionBytes(values.pos),
      ready: isReady(document),
      updated_at: service.now(),
      document: JSON.stringify(document),
    };
    await updateCard(db, changed);
    return { document: (await cardsOf(db, account, [changed]))[0] };
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
  await settle(store, blobs, hashes).catch(onError);
  return undefined;
};

export const cards = { list, create, get, update, delete: remove };

/** Found out before the transaction: the parser may have to be loaded, and nobody else could write meanwhile. */
const factsOf = async ({ content }: CardUpdate) =>
  typeof content === "string" ? await contentFacts(content) : undefined;

async function found(db: Db, account: string, params: Readonly<Record<string, string>>): Promise<CardRow> {
  const row = await cardById(db, account, params["card-id"] ?? "");
  if (row === undefined) throw notFound("there is no such card");
  return row;
}

/** The key `tags` is accepted for `manual-tags`, which wins where both are given (service.md). */
function withTags(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (body["tags"] === undefined || body["manual-tags"] !== undefined) return body;
  return { ...body, "manual-tags": body["tags"] };
}

/** Content may be blank only where fields are supplied: in this body, or on the card already. */
function blankProblem(
  { content, fields }: CardUpdate,
  before: CardCreate["fields"],
): Record<string, string> | undefined {
  if (typeof content !== "string" || content.trim() !== "") return undefined;
  if (fields !== undefined || Object.keys(before ?? {}).length > 0) return undefined;
  return { content: "cannot be blank unless fields are supplied" };
}

async function linkProblems(db: Db, account: string, values: CardUpdate): Promise<Record<string, string>> {
  const problems: Record<string, string> = {};
  const { "deck-id": deckId, "template-id": templateId } = values;
  if (typeof deckId === "string" && !(await deckExists(db, account, deckId)))
    problems["deck-id"] = "names a deck that does not exist";
  if (typeof templateId === "string" && (await templateById(db, account, templateId)) === undefined)
    problems["template-id"] = "names a template that does not exist";
  return problems;
}
