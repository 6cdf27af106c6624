import { type Kysely, sql } from "kysely";

/**
 * Every table. The account comes first in each key and index that belongs to one, so that the tables can be spread over
 * machines by it. Texts that are compared or sorted have the collation "C": their order is that of SQLite.
 */
export async function up<T>(db: Kysely<T>): Promise<void> {
  for (const statement of [...ownTables, ...resources, ...contents, ...indexes])
    await sql.raw(statement).execute(db);
}

const ownTables = [
  `create table setting (name text collate "C" primary key, value text not null)`,
  `create table key (
    id bigint generated always as identity primary key,
    account text collate "C" not null,
    hash text collate "C" not null unique,
    created_at bigint not null
  )`,
  `create table account (
    account text collate "C" primary key,
    time_zone text,
    day_starts_at integer,
    schedule text
  )`,
  // Updated by each request: room on its page lets PostgreSQL do so without touching the index.
  `create unlogged table turn (
    account text collate "C" primary key,
    holder text collate "C" not null,
    until bigint not null,
    recent bigint[] not null
  ) with (fillfactor = 50)`,
];

const resources = [
  `create table deck (
    account text collate "C" not null,
    id text collate "C" not null,
    parent_id text collate "C",
    sort bigint not null,
    ready integer not null,
    live integer not null,
    document text not null,
    checksum integer not null,
    primary key (account, id)
  )`,
  `create table template (
    account text collate "C" not null,
    id text collate "C" not null,
    pos bytea not null,
    document text not null,
    checksum integer not null,
    primary key (account, id)
  )`,
  `create table card (
    account text collate "C" not null,
    id text collate "C" not null,
    deck_id text collate "C" not null,
    pos bytea not null,
    ready integer not null,
    due_at bigint,
    document text not null,
    facts text not null,
    checksum integer not null,
    primary key (account, id)
  )`,
  `create table review (
    account text collate "C" not null,
    card_id text collate "C" not null,
    date bigint not null,
    due bigint not null,
    due_given integer not null default 0,
    remembered integer not null,
    duration double precision,
    primary key (account, card_id, date),
    foreign key (account, card_id) references card (account, id) on delete cascade
  )`,
];

const contents = [
  `create table attachment (
    account text collate "C" not null,
    card_id text collate "C" not null,
    file_name text collate "C" not null,
    size bigint not null,
    type text not null,
    hash text collate "C" not null,
    primary key (account, card_id, file_name),
    foreign key (account, card_id) references card (account, id) on delete cascade
  )`,
  `create table content (
    account text collate "C" not null,
    id text collate "C" not null,
    hash text collate "C",
    touched_at bigint not null,
    primary key (account, id)
  )`,
  `create table content_part (
    account text collate "C" not null,
    content_id text collate "C" not null,
    part integer not null,
    bytes bytea not null,
    primary key (account, content_id, part),
    foreign key (account, content_id) references content (account, id) on delete cascade
  )`,
  // Files are compressed already, for the most part.
  "alter table content_part alter column bytes set storage external",
];

const indexes = [
  "create index key_account on key (account)",
  "create index deck_order on deck (account, sort, id)",
  "create index deck_live on deck (account, live, sort, id)",
  "create index deck_siblings on deck (account, parent_id, sort)",
  "create index template_order on template (account, pos, id)",
  "create index card_order on card (account, deck_id, pos, id)",
  "create index card_due_order on card (account, due_at, id) where ready = 1 and due_at is not null",
  "create index card_due on card (account, deck_id, due_at, pos, id) where ready = 1 and due_at is not null",
  "create index card_new on card (account, deck_id, pos, id) where ready = 1 and due_at is null",
  "create index attachment_hash on attachment (account, hash)",
  "create unique index content_hash on content (account, hash) where hash is not null",
  "create index content_unfinished on content (account, touched_at) where hash is null",
];
