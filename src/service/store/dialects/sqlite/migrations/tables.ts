/** Every table and index of a new collection. Those that an earlier one has already are left as they are. */
export const tables: readonly string[] = [
  "create table if not exists setting (name text primary key, value text not null)",
  `create table if not exists key (
    id integer primary key autoincrement,
    account text not null,
    hash text not null unique,
    created_at integer not null
  )`,
  `create table if not exists account (
    account text primary key,
    time_zone text,
    day_starts_at integer,
    schedule text
  )`,
  `create table if not exists deck (
    account text not null,
    id text not null,
    parent_id text,
    sort integer not null,
    ready integer not null,
    live integer not null,
    document text not null,
    checksum integer,
    primary key (account, id)
  )`,
  `create table if not exists template (
    account text not null,
    id text not null,
    pos blob not null,
    document text not null,
    checksum integer,
    primary key (account, id)
  )`,
  `create table if not exists card (
    account text not null,
    id text not null,
    deck_id text not null,
    pos blob not null,
    ready integer not null,
    due_at integer,
    document text not null,
    facts text not null,
    checksum integer,
    primary key (account, id)
  )`,
  `create table if not exists review (
    account text not null,
    card_id text not null,
    date integer not null,
    due integer not null,
    due_given integer not null default 0,
    remembered integer not null,
    duration real,
    primary key (account, card_id, date),
    foreign key (account, card_id) references card (account, id) on delete cascade
  )`,
  `create table if not exists attachment (
    account text not null,
    card_id text not null,
    file_name text not null,
    size integer not null,
    type text not null,
    hash text not null,
    primary key (account, card_id, file_name),
    foreign key (account, card_id) references card (account, id) on delete cascade
  )`,
  "create table if not exists unsettled_blob (hash text primary key)",
  `create table if not exists creation (
    account text not null,
    id text not null,
    hash text not null,
    primary key (account, id)
  ) without rowid`,
  `create table if not exists today_mark (
    account text not null,
    day integer not null,
    card_id text not null,
    put_off integer not null,
    again integer not null,
    set_at integer not null,
    primary key (account, day, card_id),
    foreign key (account, card_id) references card (account, id) on delete cascade
  )`,
];

/** Every list and due query walks one of these. */
export const indexes: readonly string[] = [
  "create index if not exists deck_order on deck (account, sort, id)",
  // Unique, though `id` alone makes it so: SQLite then sees that cards found deck by deck are in order.
  "create unique index if not exists deck_live on deck (account, live, sort, id)",
  "create index if not exists deck_siblings on deck (account, parent_id, sort)",
  "create index if not exists template_order on template (account, pos, id)",
  "create index if not exists card_order on card (account, deck_id, pos, id)",
  "create index if not exists card_due on card (account, deck_id, ready, due_at, pos, id)",
  `create index if not exists card_due_order on card (account, due_at, id)
    where ready = 1 and due_at is not null`,
  "create index if not exists review_date on review (account, date)",
  "create index if not exists attachment_hash on attachment (hash)",
];
