import { type Kysely, sql } from "kysely";

interface Old {
  card: { account: string; id: string; deck_id: string; pos: Uint8Array; document: string; facts: string } & {
    due_at: number | null;
    created_at: number;
    updated_at: number;
  };
  review: {
    account: string;
    card_id: string;
    date: number;
    due: number;
    remembered: number;
    duration: number | null;
  };
}

const batch = 500;
const columns = ["created_at", "updated_at", "name"];

/**
 * The first commits had another table of cards under version 1: instants in columns of their own, and a document without
 * what columns and reviews say. Brings such a store to the version 1 that followed; any other is left as it is.
 */
export async function completeFirstCards(db: Kysely<never>): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info('card')`.execute(db);
  const found = new Set(rows.map(({ name }) => name));
  await sql`create unique index if not exists deck_live on deck (account, live, sort, id)`.execute(db);
  if (found.has("facts")) return;
  await db.schema
    .alterTable("card")
    .addColumn("facts", "text", (c) => c.notNull().defaultTo(""))
    .execute();
  await completeDocuments(db as unknown as Kysely<Old>);
  await sql`drop index if exists card_name`.execute(db);
  for (const column of columns.filter((name) => found.has(name)))
    await db.schema.alterTable("card").dropColumn(column).execute();
}

async function completeDocuments(db: Kysely<Old>): Promise<void> {
  let [account, id] = ["", ""];
  for (;;) {
    const rows = await db
      .selectFrom("card")
      .selectAll()
      .where(({ eb, refTuple, tuple }) => eb(refTuple("account", "id"), ">", tuple(account, id)))
      .orderBy("account")
      .orderBy("id")
      .limit(batch)
      .execute();
    for (const row of rows) await completeCard(db, row);
    const last = rows.at(-1);
    if (last === undefined) return;
    [account, id] = [last.account, last.id];
  }
}

async function completeCard(db: Kysely<Old>, row: Old["card"]): Promise<void> {
  const reviews = await db
    .selectFrom("review")
    .selectAll()
    .where("account", "=", row.account)
    .where("card_id", "=", row.id)
    .orderBy("date")
    .execute();
  const {
    "manual-tags": manual = [],
    "inline-tags": inline = [],
    "content-name": contentName = null,
    links: _,
    ...document
  } = JSON.parse(row.document);
  const whole = {
    id: row.id,
    references: [],
    ...document,
    "deck-id": row.deck_id,
    pos: Buffer.from(row.pos).swap16().toString("utf16le"),
    tags: [...new Set([...manual, ...inline])],
    reviews: reviews.map(reviewOf),
    "created-at": instant(row.created_at),
    "updated-at": instant(row.updated_at),
    "new?": row.due_at === null,
  };
  const facts = { "manual-tags": manual, "content-name": contentName, "inline-tags": inline };
  await db
    .updateTable("card")
    .set({ document: JSON.stringify(whole), facts: JSON.stringify(facts) })
    .where("account", "=", row.account)
    .where("id", "=", row.id)
    .execute();
}

const reviewOf = ({ date, due, remembered, duration }: Old["review"]) => ({
  date: instant(date),
  due: instant(due),
  "remembered?": remembered === 1,
  ...(duration === null ? {} : { duration }),
});

/** As the wire has it, and documents with it. */
const instant = (ms: number) => ({ date: new Date(ms).toISOString() });
