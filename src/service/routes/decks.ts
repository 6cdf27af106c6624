import type { Deck, DeckCreate, DeckUpdate } from "../../schema/index.ts";
import { notFound, refuseInvalid } from "../errors.ts";
import { randomId } from "../ids.ts";
import { beginPage } from "../pages.ts";
import type { Handler } from "../service.ts";
import {
  cardCount,
  deckById,
  deckExists,
  deckPlace,
  decksAfter,
  deleteDeck,
  highestSort,
  insertDeck,
  isAtOrBelow,
  updateDeck,
} from "../store/decks.ts";
import type { Db, DeckDocument, DeckRow } from "../store/tables.ts";

const pageLength = 100;

const list: Handler = async (call, service) => {
  const page = await beginPage(call, service, "decks");
  const rows = await decksAfter(service.store.db, call.account, { after: page.after, limit: pageLength });
  const last = rows.at(-1);
  const docs = rows.map((row) => ({ id: row.id, sort: row.sort, name: documentOf(row).name }));
  return { document: { docs, bookmark: page.bookmark(last && deckPlace(last)) } };
};

const create: Handler = async ({ account, body, problems }, { store, random }) => {
  const values = body as DeckCreate;
  return store.write(async (db) => {
    refuseInvalid(problems, await parentProblem(db, account, undefined, values));
    let id = randomId(random);
    while (await deckExists(db, account, id)) id = randomId(random);
    const { "parent-id": parentId = null, sort, ...document } = values;
    const row = {
      account,
      id,
      parent_id: parentId,
      sort: sort ?? after(await highestSort(db, account, parentId)),
      ready: isReady(document),
      document: JSON.stringify(withoutNull(document)),
    };
    await insertDeck(db, row);
    return { document: deckOf(row) };
  });
};

const get: Handler = async ({ account, params }, { store }) =>
  store.read(async (db) => {
    const row = await found(db, account, params);
    return { document: { ...deckOf(row), "card-count": await cardCount(db, account, row.id) } };
  });

const update: Handler = async ({ account, params, body, problems }, { store }) => {
  const values = body as DeckUpdate;
  return store.write(async (db) => {
    const row = await found(db, account, params);
    refuseInvalid(problems, await parentProblem(db, account, row.id, values));
    if (Object.keys(values).length === 0) return { document: deckOf(row) };
    const { "parent-id": parentId = row.parent_id, sort = row.sort, ...changes } = values;
    const document = { ...documentOf(row), ...changes };
    const { live: _, ...rest } = row;
    const changed = {
      ...rest,
      parent_id: parentId,
      sort,
      ready: isReady(document),
      document: JSON.stringify(withoutNull(document)),
    };
    await updateDeck(db, changed);
    return { document: deckOf(changed) };
  });
};

const remove: Handler = async ({ account, params }, { store }) =>
  store.write(async (db) => {
    await deleteDeck(db, account, (await found(db, account, params)).id);
    return undefined;
  });

export const decks = { list, create, get, update, delete: remove };

async function found(db: Db, account: string, params: Readonly<Record<string, string>>): Promise<DeckRow> {
  const row = await deckById(db, account, params["deck-id"] ?? "");
  if (row === undefined) throw notFound("there is no such deck");
  return row;
}

async function parentProblem(
  db: Db,
  account: string,
  id: string | undefined,
  { "parent-id": parentId }: DeckUpdate,
): Promise<Record<string, string> | undefined> {
  if (typeof parentId !== "string" || parentId === "") return undefined;
  if (!(await deckExists(db, account, parentId))) return { "parent-id": "names a deck that does not exist" };
  if (id !== undefined && (await isAtOrBelow(db, account, parentId, id)))
    return { "parent-id": "would put the deck below itself" };
  return undefined;
}

const documentOf = (row: Pick<DeckRow, "document">) => JSON.parse(row.document) as DeckDocument;

/** The Deck of the API: its id, its place, and what was ever given. */
function deckOf(row: Omit<DeckRow, "live">): Deck {
  const { name, ...rest } = documentOf(row);
  return {
    id: row.id,
    name,
    ...(row.parent_id === null ? {} : { "parent-id": row.parent_id }),
    sort: row.sort,
    ...rest,
  };
}

const isReady = (document: Pick<DeckUpdate, "archived?" | "trashed?">) =>
  document["archived?"] === true || typeof document["trashed?"] === "string" ? 0 : 1;

/** null clears a value: it is then as if it had never been given. */
function withoutNull(document: object): object {
  return Object.fromEntries(Object.entries(document).filter(([, value]) => value !== null));
}

const after = (sort: number | undefined) =>
  sort === undefined ? 0 : Math.min(sort + 1, Number.MAX_SAFE_INTEGER);
