import { type Deck, type DeckUpdate, deckItem } from "../../schema/index.ts";
import { listing, type Problems, reading, writing } from "../route.ts";
import { cardCount } from "../store/cards.ts";
import { deleteDeck, highestSort, insertDeck, scopeOf, updateDeck } from "../store/decks.ts";
import { exists } from "../store/documents.ts";
import type { Db, DeckDocument, DeckRow } from "../store/tables.ts";
import { deckTag, isWritten, refuseChanged } from "./conditions.ts";
import { creating } from "./creations.ts";
import { documentList, rowNamed } from "./slices.ts";

const list = listing<"decks.list">(
  () => "decks",
  ({ account }, page, service) =>
    documentList("deck", { account }, page, service, (row) => ({ document: itemOf(row) })),
);

const create = creating("decks.create", "deck", {
  problems: ({ account, body }, db) => parentProblem(db, account, undefined, body),
  async insert({ account, body }, db, id) {
    const { id: _, "parent-id": parentId = null, sort, ...document } = body;
    const row = {
      account,
      id,
      parent_id: parentId,
      sort: sort ?? after(await highestSort(db, account, parentId)),
      ready: isReady(document),
      document: JSON.stringify(withoutNull(document)),
    };
    await insertDeck(db, row);
    return answerOf(row);
  },
  answerOf,
});

const get = reading<"decks.get">(async ({ account, params }, db) => {
  const row = await rowNamed(db, "deck", account, params["deck-id"]);
  const { document, headers } = answerOf(row);
  return { document: { ...document, "card-count": await cardCount(db, account, row.id) }, headers };
});

const update = writing<"decks.update", DeckRow>({
  find: ({ account, params }, db) => rowNamed(db, "deck", account, params["deck-id"]),
  problems: ({ account, body }, db, row) => parentProblem(db, account, row.id, body),
  async handle(call, db, row) {
    const { body } = call;
    const { "parent-id": parentId = row.parent_id, sort = row.sort, ...changes } = body;
    const document = { ...settingsOf(row), ...changes };
    const { live: _, ...rest } = row;
    const changed = {
      ...rest,
      parent_id: parentId,
      sort,
      ready: isReady(document),
      document: JSON.stringify(withoutNull(document)),
    };
    const before = answerOf(row);
    if (isWritten(call, before.headers, answerOf(changed).headers)) return before;
    await updateDeck(db, changed);
    return answerOf(changed);
  },
});

const remove = writing<"decks.delete", DeckRow>({
  find: ({ account, params }, db) => rowNamed(db, "deck", account, params["deck-id"]),
  async handle({ account, request }, db, row) {
    refuseChanged(request, answerOf(row).headers);
    await deleteDeck(db, account, row.id);
    return undefined;
  },
});

export const decks = { list, create, get, update, delete: remove };

async function parentProblem(
  db: Db,
  account: string,
  id: string | undefined,
  { "parent-id": parentId }: DeckUpdate,
): Promise<Problems> {
  if (typeof parentId !== "string") return {};
  if (!(await exists(db, "deck", account, parentId)))
    return { "parent-id": "names a deck that does not exist" };
  if ((await scopeOf(db, account, id))?.has(parentId))
    return { "parent-id": "would put the deck under itself" };
  return {};
}

const settingsOf = (row: Pick<DeckRow, "document">) => JSON.parse(row.document) as DeckDocument;

type Stored = Pick<DeckRow, "id" | "parent_id" | "sort" | "document">;

function answerOf(row: Stored) {
  const document = deckOf(row);
  return { document, headers: () => deckTag(document) };
}

/** The Deck of the API: its id, its place in the tree and the list, and the fields that were given. */
function deckOf(row: Stored): Deck {
  const { name, ...rest } = settingsOf(row);
  return {
    id: row.id,
    name,
    ...(row.parent_id === null ? {} : { "parent-id": row.parent_id }),
    sort: row.sort,
    ...rest,
  };
}

/** A deck in a list: what the API document names, and the flags that are set, as the hosted service sends them. */
function itemOf(row: Stored) {
  const deck: Readonly<Record<string, unknown>> = { ...deckOf(row) };
  const names = Object.keys(deckItem.fields).filter((name) => name === "sort" || deck[name]);
  return Object.fromEntries(names.map((name) => [name, deck[name]]));
}

const isReady = (document: Pick<DeckUpdate, "archived?" | "trashed?">) =>
  document["archived?"] === true || typeof document["trashed?"] === "string" ? 0 : 1;

/** null clears a value, as if it had never been given. */
function withoutNull(document: object): object {
  return Object.fromEntries(Object.entries(document).filter(([, value]) => value !== null));
}

const after = (sort: number | undefined) =>
  sort === undefined ? 0 : Math.min(sort + 1, Number.MAX_SAFE_INTEGER);
