import { type Kysely, sql } from "kysely";
import { checksumOf } from "../../checksums.ts";
import type { AttachmentRow, CardRow, DeckRow, ReviewRow, TemplateRow } from "../../tables.ts";

/** Columns that commits before version 5 did not have yet. */
const added: readonly (readonly [table: string, column: string, type: string])[] = [
  ["account", "schedule", "text"],
  ["review", "due_given", "integer not null default 0"],
  ["card", "facts", "text not null default '{}'"],
  ["card", "checksum", "integer"],
  ["deck", "checksum", "integer"],
  ["template", "checksum", "integer"],
];
/** The first commits kept these beside the document. */
const removed = ["created_at", "updated_at", "name"];

type OldCard = CardRow & { readonly created_at?: number; readonly updated_at?: number };

/** Completes what commits before version 5 wrote, once. */
export async function completeEarlier(db: Kysely<never>, version: number): Promise<void> {
  if (version >= 5) return;
  for (const [table, column, type] of added)
    if (!(await columnsOf(db, table)).has(column))
      await sql`alter table ${sql.ref(table)} add column ${sql.ref(column)} ${sql.raw(type)}`.execute(db);
  await eachRow<OldCard>(db, "card", async (row) => {
    const card = await completeCard(db, row);
    await sql`update card set document = ${card.document}, facts = ${card.facts}, checksum = ${checksumOf("card", card)}
      where account = ${row.account} and id = ${row.id}`.execute(db);
  });
  for (const table of ["deck", "template"] as const)
    await eachRow<DeckRow | TemplateRow>(db, table, (row) =>
      sql`update ${sql.ref(table)} set checksum = ${checksumOf(table, row)}
        where account = ${row.account} and id = ${row.id}`.execute(db),
    );
  await sql`drop index if exists card_name`.execute(db);
  const found = await columnsOf(db, "card");
  for (const column of removed.filter((name) => found.has(name)))
    await sql`alter table card drop column ${sql.ref(column)}`.execute(db);
}

async function columnsOf(db: Kysely<never>, table: string): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

const together = 500;

async function eachRow<Row extends { readonly account: string; readonly id: string }>(
  db: Kysely<never>,
  table: string,
  change: (row: Row) => Promise<unknown>,
): Promise<void> {
  let [account, id] = ["", ""];
  for (;;) {
    const { rows } = await sql<Row>`
      select * from ${sql.ref(table)} where (account, id) > (${account}, ${id})
      order by account, id limit ${together}`.execute(db);
    for (const row of rows) await change(row);
    const last = rows.at(-1);
    if (last === undefined) return;
    [account, id] = [last.account, last.id];
  }
}

/** The document as it is answered, whatever of it columns, facts and reviews said in the row's version. */
async function completeCard(db: Kysely<never>, row: OldCard): Promise<CardRow> {
  const of = sql`where account = ${row.account} and card_id = ${row.id}`;
  const { rows: reviews } = await sql<ReviewRow>`select * from review ${of} order by date`.execute(db);
  const { rows: files } = await sql<AttachmentRow>`select * from attachment ${of} order by file_name`.execute(
    db,
  );
  const {
    "inline-tags": inline = [],
    "content-name": name = null,
    "manual-tags": manual = [],
    links: _,
    ...document
  } = { ...JSON.parse(row.facts), ...JSON.parse(row.document) };
  const whole = {
    id: row.id,
    references: [],
    "created-at": instant(row.created_at ?? 0),
    "updated-at": instant(row.updated_at ?? 0),
    ...document,
    "deck-id": row.deck_id,
    pos: Buffer.from(row.pos).swap16().toString("utf16le"),
    tags: [...new Set([...manual, ...inline])],
    "manual-tags": manual,
    reviews: reviews.map(({ date, due, remembered, duration }) => ({
      date: instant(date),
      due: instant(due),
      "remembered?": remembered === 1,
      ...(duration === null ? {} : { duration }),
    })),
    attachments: Object.fromEntries(files.map(({ file_name, size, type }) => [file_name, { size, type }])),
    "new?": row.due_at === null,
  };
  return {
    ...row,
    document: JSON.stringify(whole),
    facts: JSON.stringify({ "content-name": name, "inline-tags": inline }),
  };
}

/** As the wire has it, and documents with it. */
const instant = (ms: number) => ({ date: new Date(ms).toISOString() });
