/** What the state of a sync is kept in. */
export const tables = `
  create table if not exists card (id text primary key, path text not null, hash text not null, mtime real not null,
    ctime real not null, size integer not null, deck text, docHash text not null, doc text not null,
    created integer not null) without rowid;
  create table if not exists deck (id text primary key, path text not null, name text not null, parent text);
  create table if not exists deck_settings (id text primary key, text text not null);
  create table if not exists attachment (card text not null, name text not null, path text not null,
    hash text not null, mtime real not null, ctime real not null, size integer not null, primary key (card, name));
  create table if not exists open (number integer primary key, intent text not null);
  create table if not exists head (name text not null); create table if not exists seen (id text primary key);`;
/** Of a card, but for its document. */
export const columns = "id, path, hash, mtime, ctime, size, deck, docHash, created";
