import { type Kysely, sql } from "kysely";

interface Old {
  card: { account: string; id: string; document: string; facts: string };
  attachment: { account: string; card_id: string; file_name: string; size: number; type: string };
}

const batch = 500;

/**
 * Cards are answered with their manual tags and their attachments, so both move into the document. A review may keep a
 * `due` that it was given. Due cards are walked in the order of the instant.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable("review")
    .addColumn("due_given", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex("card_due_order")
    .on("card")
    .columns(["account", "due_at", "id"])
    .where(sql.ref("ready"), "=", sql.lit(1))
    .where(sql.ref("due_at"), "is not", null)
    .execute();
  await completeDocuments(db as unknown as Kysely<Old>);
}

async function completeDocuments(db: Kysely<Old>): Promise<void> {
  let [account, id] = ["", ""];
  for (;;) {
    const rows = await db
      .selectFrom("card")
      .select(["account", "id", "document", "facts"])
      .where(({ eb, refTuple, tuple }) => eb(refTuple("account", "id"), ">", tuple(account, id)))
      .orderBy("account")
      .orderBy("id")
      .limit(batch)
      .execute();
    for (const row of rows) await completeDocument(db, row);
    const last = rows.at(-1);
    if (last === undefined) return;
    [account, id] = [last.account, last.id];
  }
}

async function completeDocument(db: Kysely<Old>, { account, id, document, facts }: Old["card"]) {
  const files = await db
    .selectFrom("attachment")
    .select(["file_name", "size", "type"])
    .where("account", "=", account)
    .where("card_id", "=", id)
    .orderBy("file_name")
    .execute();
  const attachments = Object.create(null);
  for (const { file_name, size, type } of files) attachments[file_name] = { size, type };
  const { "manual-tags": tags, ...rest } = JSON.parse(facts) as { "manual-tags": string[] };
  const whole = { ...JSON.parse(document), "manual-tags": tags, attachments };
  await db
    .updateTable("card")
    .set({ document: JSON.stringify(whole), facts: JSON.stringify(rest) })
    .where("account", "=", account)
    .where("id", "=", id)
    .execute();
}
