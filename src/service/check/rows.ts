import { sql } from "kysely";
import type { Store } from "../store/index.ts";
import type { AttachmentRow, CardRow, Db, ReviewRow } from "../store/tables.ts";

export type StoredCard = CardRow & { readonly checksum: number | null };

/** A card with the rows that belong to it. */
export interface CardRows {
  readonly row: StoredCard;
  readonly reviews: readonly ReviewRow[];
  readonly attachments: readonly AttachmentRow[];
}

// So many of the largest cards fit into memory.
const pageLength = 25;

/** All accounts that have anything. */
export async function accountsOf(store: Store): Promise<string[]> {
  const { rows } = await store.read((db) =>
    sql<{ account: string }>`
      select account from card union select account from deck union select account from template
      union select account from attachment union select account from account order by account`.execute(db),
  );
  return rows.map(({ account }) => account);
}

/** The cards of an account by id, in constant memory; one that is deleted meanwhile is left out. */
export async function* cardRows(store: Store, account: string): AsyncGenerator<CardRows> {
  for (let after = ""; ; ) {
    const ids = await store.read((db) => idsAfter(db, account, after));
    if (ids.length === 0) return;
    after = ids.at(-1) ?? "";
    yield* (await store.read((db) => readPage(db, account, ids))).values();
  }
}

/** One card with its rows, as they are at one moment; undefined if there is none. */
export const readCard = (store: Store, account: string, id: string): Promise<CardRows | undefined> =>
  store.write(account, async (db) => (await readPage(db, account, [id])).get(id));

async function idsAfter(db: Db, account: string, after: string): Promise<string[]> {
  const rows = await db
    .selectFrom("card")
    .select("id")
    .where("account", "=", account)
    .where("id", ">", after)
    .orderBy("id")
    .limit(pageLength)
    .execute();
  return rows.map(({ id }) => id);
}

async function readPage(db: Db, account: string, ids: readonly string[]): Promise<Map<string, CardRows>> {
  const cards = await db
    .selectFrom("card")
    .selectAll()
    .where("account", "=", account)
    .where("id", "in", ids)
    .execute();
  const reviews = await db
    .selectFrom("review")
    .selectAll()
    .where("account", "=", account)
    .where("card_id", "in", ids)
    .orderBy("date")
    .execute();
  const attachments = await db
    .selectFrom("attachment")
    .selectAll()
    .where("account", "=", account)
    .where("card_id", "in", ids)
    .orderBy("file_name")
    .execute();
  const page = new Map<string, CardRows>();
  for (const row of cards)
    page.set(row.id, {
      row,
      reviews: reviews.filter(({ card_id }) => card_id === row.id),
      attachments: attachments.filter(({ card_id }) => card_id === row.id),
    });
  return page;
}
