import type { QueryCreator } from "kysely";
import type { Place } from "../bookmarks.ts";
import { prepared } from "./prepared.ts";
import type { Db, DeckRow, Tables } from "./tables.ts";

interface Named {
  readonly account: string;
  readonly id: string;
}

const byId = prepared((db, { account, id }: Named) =>
  db.selectFrom("deck").selectAll().where("account", "=", account).where("id", "=", id),
);
const idById = prepared((db, { account, id }: Named) =>
  db.selectFrom("deck").select("id").where("account", "=", account).where("id", "=", id),
);

export async function deckById(db: Db, account: string, id: string): Promise<DeckRow | undefined> {
  return (await byId(db, { account, id }))[0];
}

export async function deckExists(db: Db, account: string, id: string): Promise<boolean> {
  return (await idById(db, { account, id })).length > 0;
}

/** Cards that lie in the deck itself, archived and trashed ones included. */
export async function cardCount(db: Db, account: string, deckId: string): Promise<number> {
  const row = await db
    .selectFrom("card")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("account", "=", account)
    .where("deck_id", "=", deckId)
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

/** The highest `sort` below a parent (null: of the decks at the top); undefined if there are none. */
export async function highestSort(
  db: Db,
  account: string,
  parentId: string | null,
): Promise<number | undefined> {
  const row = await db
    .selectFrom("deck")
    .select("sort")
    .where("account", "=", account)
    .where("parent_id", parentId === null ? "is" : "=", parentId)
    .orderBy("sort", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.sort;
}

/** What a list tells of a deck. */
export type ListedDeck = Pick<DeckRow, "id" | "sort" | "document">;

interface Page {
  readonly account: string;
  readonly limit: number;
}

const listed = (db: QueryCreator<Tables>, { account, limit }: Page) =>
  db
    .selectFrom("deck")
    .select(["id", "sort", "document"])
    .where("account", "=", account)
    .orderBy("sort")
    .orderBy("id")
    .limit(limit);
const first = prepared(listed);
const next = prepared((db, page: Page & { readonly afterSort: number; readonly afterId: string }) =>
  listed(db, page).where(({ eb, refTuple, tuple }) =>
    eb(refTuple("sort", "id"), ">", tuple(page.afterSort, page.afterId)),
  ),
);

/** Decks after a place, in the order of lists: by `sort`, then id. */
export function decksAfter(
  db: Db,
  account: string,
  { after, limit }: { after: Place | undefined; limit: number },
): Promise<ListedDeck[]> {
  if (after === undefined) return first(db, { account, limit });
  const [sort, id] = after;
  return next(db, { account, limit, afterSort: Number(sort), afterId: String(id) });
}

export const deckPlace = (row: Pick<DeckRow, "sort" | "id">): Place => [row.sort, row.id];

export async function insertDeck(db: Db, row: Omit<DeckRow, "live">): Promise<void> {
  const live = row.ready === 1 && (await aboveIsLive(db, row.account, row.parent_id)) ? 1 : 0;
  await db
    .insertInto("deck")
    .values({ ...row, live })
    .execute();
}

/** Changes a deck, and with it what is live below it. */
export async function updateDeck(db: Db, row: Omit<DeckRow, "live">): Promise<void> {
  await db.updateTable("deck").set(row).where("account", "=", row.account).where("id", "=", row.id).execute();
  await settleLive(db, row.account, row.id, await aboveIsLive(db, row.account, row.parent_id));
}

/** Removes a deck; what lies below it points at nothing from then on, and is not live. */
export async function deleteDeck(db: Db, account: string, id: string): Promise<void> {
  await db.deleteFrom("deck").where("account", "=", account).where("id", "=", id).execute();
  for (const child of await childrenOf(db, account, id)) await settleLive(db, account, child.id, false);
}

/** Whether `candidate` is the deck or lies below it. Ends for data with cycles, too. */
export async function isAtOrBelow(db: Db, account: string, candidate: string, id: string): Promise<boolean> {
  const seen = new Set<string>();
  let at: string | null | undefined = candidate;
  while (at != null && !seen.has(at)) {
    if (at === id) return true;
    seen.add(at);
    at = (await deckById(db, account, at))?.parent_id;
  }
  return false;
}

async function aboveIsLive(db: Db, account: string, parentId: string | null): Promise<boolean> {
  if (parentId === null) return true;
  return (await deckById(db, account, parentId))?.live === 1;
}

/** Sets `live` of a deck and of what is below it, going no further down than it changes. */
async function settleLive(db: Db, account: string, id: string, above: boolean): Promise<void> {
  const open = [{ id, above }];
  const seen = new Set<string>();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next.id)) continue;
    seen.add(next.id);
    const deck = await deckById(db, account, next.id);
    if (deck === undefined) continue;
    const live = next.above && deck.ready === 1;
    if (live === (deck.live === 1)) continue;
    await db
      .updateTable("deck")
      .set({ live: live ? 1 : 0 })
      .where("account", "=", account)
      .where("id", "=", next.id)
      .execute();
    for (const child of await childrenOf(db, account, next.id)) open.push({ id: child.id, above: live });
  }
}

function childrenOf(db: Db, account: string, id: string): Promise<{ id: string }[]> {
  return db
    .selectFrom("deck")
    .select("id")
    .where("account", "=", account)
    .where("parent_id", "=", id)
    .execute();
}
