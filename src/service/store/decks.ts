import { type RawBuilder, sql } from "kysely";
import { otherRequests } from "../pauses.ts";
import { deleteRow, insertRow, updateRow } from "./documents.ts";
import { type Db, type DeckRow, same } from "./tables.ts";

/** The highest `sort` below a parent (null: of the decks at the top); undefined if there are none. */
export async function highestSort(
  db: Db,
  account: string,
  parentId: string | null,
): Promise<number | undefined> {
  const { rows } = await sql<{ sort: number }>`
    select sort from deck where account = ${account} and ${childrenOf(parentId)}
    order by sort desc limit 1`.execute(db);
  return rows[0]?.sort;
}

const childrenOf = (id: string | null) => (id === null ? sql`parent_id is null` : sql`parent_id = ${id}`);

export async function insertDeck(db: Db, row: Omit<DeckRow, "live">): Promise<void> {
  const live = row.ready === 1 && (await aboveIsLive(db, row.account, row.parent_id)) ? 1 : 0;
  await insertRow(db, "deck", { ...row, live });
}

/** Updates a deck, and `live` of the decks under it. */
export async function updateDeck(db: Db, row: Omit<DeckRow, "live">): Promise<void> {
  const { account, id } = row;
  await updateRow(db, "deck", row);
  const live = row.ready === 1 && (await aboveIsLive(db, account, row.parent_id));
  await updateLive(db, account, sql`id = ${id}`, live);
}

/** Deletes a deck. Decks under it keep their `parent_id`, which then names no deck, and are not live. */
export async function deleteDeck(db: Db, account: string, id: string): Promise<void> {
  await deleteRow(db, "deck", account, id);
  await updateLive(db, account, childrenOf(id), false);
}

/** The deck and those under it; undefined for all. Ends for data with cycles, too. */
export async function scopeOf(
  db: Db,
  account: string,
  deckId: string | undefined,
): Promise<ReadonlySet<string> | undefined> {
  if (deckId === undefined) return undefined;
  const { rows } = await sql<{ id: string }>`
    with recursive scope(id) as (
      select id from deck where account = ${account} and id = ${deckId}
      union select deck.id from scope cross join deck
      where deck.account = ${account} and deck.parent_id = scope.id
    )
    select id from scope`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

async function aboveIsLive(db: Db, account: string, parentId: string | null): Promise<boolean> {
  if (parentId === null) return true;
  const query = db
    .selectFrom("deck")
    .select("live")
    .where(same({ account, id: parentId }));
  return (await query.executeTakeFirst())?.live === 1;
}

// Updating so many decks takes a few milliseconds.
const updatedTogether = 1_000;

/**
 * Updates `live` of decks and of those under them, going no deeper than it changes. Tens of thousands of decks may be
 * under one: others may read in between.
 *
 * @param roots decks whose parent is live or not, as `above` says
 */
async function updateLive(
  db: Db,
  account: string,
  roots: RawBuilder<unknown>,
  above: boolean,
): Promise<void> {
  // A deck that is not ready is not live whatever is above it, and neither is what is under it.
  // `<>` and `cross join` make SQLite look children up by their parent; it would read all live decks each time.
  const changes = above ? sql`ready = 1 and live <> 1` : sql`live <> 0`;
  const { rows } = await sql<{ id: string }>`
    with recursive changed(id) as (
      select id from deck where account = ${account} and ${roots} and ${changes}
      union select deck.id from changed cross join deck
      where deck.account = ${account} and deck.parent_id = changed.id and ${changes}
    )
    select id from changed`.execute(db);
  for (let at = 0; at < rows.length; at += updatedTogether) {
    if (at > 0) await otherRequests();
    const ids = rows.slice(at, at + updatedTogether).map(({ id }) => id);
    const some = db.updateTable("deck").where(same({ account })).where("id", "in", ids);
    await some.set({ live: above ? 1 : 0 }).execute();
  }
}
