import { deckChecksum } from "./checksums.ts";
import { smallDocument } from "./documents.ts";
import type { Db, DeckRow, Place } from "./tables.ts";

export function deckById(db: Db, account: string, id: string): Promise<DeckRow | undefined> {
  return db
    .selectFrom("deck")
    .selectAll()
    .where("account", "=", account)
    .where("id", "=", id)
    .executeTakeFirst();
}

export async function deckExists(db: Db, account: string, id: string): Promise<boolean> {
  const query = db.selectFrom("deck").select("id").where("account", "=", account).where("id", "=", id);
  return (await query.executeTakeFirst()) !== undefined;
}

/** The number of cards in the deck itself, archived and trashed ones included. */
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

/** A deck in a list. Its document is null if it is large. */
export type ListedDeck = Omit<DeckRow, "document"> & { readonly document: string | null };

/** Decks after a place in the order of lists: by `sort`, then id. */
export function decksAfter(
  db: Db,
  account: string,
  { after, limit }: { after: Place | undefined; limit: number },
): Promise<ListedDeck[]> {
  let query = db
    .selectFrom("deck")
    .select(["account", "id", "parent_id", "sort", "ready", "live"])
    .select(smallDocument("deck"))
    .where("account", "=", account);
  if (after !== undefined) {
    const [sort, id] = after;
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("sort", "id"), ">", tuple(Number(sort), String(id))),
    );
  }
  return query.orderBy("sort").orderBy("id").limit(limit).execute();
}

export const deckPlace = (row: Pick<DeckRow, "sort" | "id">): Place => [row.sort, row.id];

export async function insertDeck(db: Db, row: Omit<DeckRow, "live">): Promise<void> {
  const live = row.ready === 1 && (await aboveIsLive(db, row.account, row.parent_id)) ? 1 : 0;
  await db
    .insertInto("deck")
    .values({ ...row, live, checksum: deckChecksum(row) })
    .execute();
}

/** Updates a deck, and `live` of the decks under it. */
export async function updateDeck(db: Db, row: Omit<DeckRow, "live">): Promise<void> {
  const { account, id, ...values } = row;
  await db
    .updateTable("deck")
    .set({ ...values, checksum: deckChecksum(row) })
    .where("account", "=", account)
    .where("id", "=", id)
    .execute();
  await updateLive(db, account, id, await aboveIsLive(db, account, row.parent_id));
}

/** Deletes a deck. Decks under it keep their `parent_id`, which then names no deck, and are not live. */
export async function deleteDeck(db: Db, account: string, id: string): Promise<void> {
  await db.deleteFrom("deck").where("account", "=", account).where("id", "=", id).execute();
  for (const child of await childrenOf(db, account, id)) await updateLive(db, account, child.id, false);
}

/** Whether `candidate` is the deck or is under it. Ends for data with cycles, too. */
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

/** Updates `live` of a deck and of the decks under it, going no deeper than it changes. */
async function updateLive(db: Db, account: string, id: string, above: boolean): Promise<void> {
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
