import { type Kysely, sql } from "kysely";
import { cardChecksum, deckChecksum, templateChecksum } from "../../../checksums.ts";
import type { CardRow, DeckRow, TemplateRow } from "../../../tables.ts";

interface Rows {
  card: CardRow & { checksum: number };
  deck: DeckRow & { checksum: number };
  template: TemplateRow & { checksum: number };
}
type Row = Rows[keyof Rows];

const batch = 500;

/** Checksums of cards, decks and templates, for `deckhand check`. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const table of ["card", "deck", "template"])
    await db.schema.alterTable(table).addColumn("checksum", "integer").execute();
  const rows = db as unknown as Kysely<Rows>;
  await fill(rows, "card", (row) => cardChecksum(row as Rows["card"]));
  await fill(rows, "deck", (row) => deckChecksum(row as Rows["deck"]));
  await fill(rows, "template", (row) => templateChecksum(row as Rows["template"]));
}

async function fill(db: Kysely<Rows>, table: keyof Rows, checksumOf: (row: Row) => number): Promise<void> {
  let [account, id] = ["", ""];
  for (;;) {
    const { rows } = await sql<Row>`
      select * from ${sql.table(table)} where (account, id) > (${account}, ${id})
      order by account, id limit ${batch}`.execute(db);
    for (const row of rows)
      await sql`
        update ${sql.table(table)} set checksum = ${checksumOf(row)}
        where account = ${row.account} and id = ${row.id}`.execute(db);
    const last = rows.at(-1);
    if (last === undefined) return;
    [account, id] = [last.account, last.id];
  }
}
