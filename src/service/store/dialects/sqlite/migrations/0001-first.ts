import { type Kysely, sql } from "kysely";

/** The first tables: everything of the API document, reviews and attachments included. */
export async function up(db: Kysely<never>): Promise<void> {
  await ownTables(db);
  await cardTables(db);
  await indexes(db);
}

const blob = sql`blob`;

async function ownTables(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable("setting")
    .addColumn("name", "text", (c) => c.primaryKey())
    .addColumn("value", "text", (c) => c.notNull())
    .execute();
  await db.schema
    .createTable("key")
    .addColumn("id", "integer", (c) => c.primaryKey().autoIncrement())
    .addColumn("account", "text", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull().unique())
    .addColumn("created_at", "integer", (c) => c.notNull())
    .execute();
  await db.schema
    .createTable("deck")
    .addColumn("account", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("parent_id", "text")
    .addColumn("sort", "integer", (c) => c.notNull())
    .addColumn("ready", "integer", (c) => c.notNull())
    .addColumn("live", "integer", (c) => c.notNull())
    .addColumn("document", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("deck_id", ["account", "id"])
    .execute();
  await db.schema
    .createTable("template")
    .addColumn("account", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("pos", blob, (c) => c.notNull())
    .addColumn("document", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("template_id", ["account", "id"])
    .execute();
}

/** Cards, and what is deleted with them. */
async function cardTables(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable("card")
    .addColumn("account", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("deck_id", "text", (c) => c.notNull())
    .addColumn("pos", blob, (c) => c.notNull())
    .addColumn("ready", "integer", (c) => c.notNull())
    .addColumn("due_at", "integer")
    .addColumn("document", "text", (c) => c.notNull())
    .addColumn("facts", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("card_id", ["account", "id"])
    .execute();
  await db.schema
    .createTable("review")
    .addColumn("account", "text", (c) => c.notNull())
    .addColumn("card_id", "text", (c) => c.notNull())
    .addColumn("date", "integer", (c) => c.notNull())
    .addColumn("due", "integer", (c) => c.notNull())
    .addColumn("remembered", "integer", (c) => c.notNull())
    .addColumn("duration", "real")
    .addPrimaryKeyConstraint("review_id", ["account", "card_id", "date"])
    .addForeignKeyConstraint("review_card", ["account", "card_id"], "card", ["account", "id"], (c) =>
      c.onDelete("cascade"),
    )
    .execute();
  await db.schema
    .createTable("attachment")
    .addColumn("account", "text", (c) => c.notNull())
    .addColumn("card_id", "text", (c) => c.notNull())
    .addColumn("file_name", "text", (c) => c.notNull())
    .addColumn("size", "integer", (c) => c.notNull())
    .addColumn("type", "text", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull())
    .addPrimaryKeyConstraint("attachment_id", ["account", "card_id", "file_name"])
    .addForeignKeyConstraint("attachment_card", ["account", "card_id"], "card", ["account", "id"], (c) =>
      c.onDelete("cascade"),
    )
    .execute();
  await db.schema
    .createTable("unsettled_blob")
    .addColumn("hash", "text", (c) => c.primaryKey())
    .execute();
}

/** Every list and due query walks one of these. */
async function indexes(db: Kysely<never>): Promise<void> {
  const index = (name: string, table: string, columns: string[]) =>
    db.schema.createIndex(name).on(table).columns(columns).execute();
  const unique = (name: string, table: string, columns: string[]) =>
    db.schema.createIndex(name).on(table).columns(columns).unique().execute();
  await index("deck_order", "deck", ["account", "sort", "id"]);
  // Unique, though `id` alone makes it so: SQLite then sees that cards found deck by deck are in order.
  await unique("deck_live", "deck", ["account", "live", "sort", "id"]);
  await index("deck_siblings", "deck", ["account", "parent_id", "sort"]);
  await index("template_order", "template", ["account", "pos", "id"]);
  await index("card_order", "card", ["account", "deck_id", "pos", "id"]);
  await index("card_due", "card", ["account", "deck_id", "ready", "due_at", "pos", "id"]);
  await index("attachment_hash", "attachment", ["hash"]);
}
