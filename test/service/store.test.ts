import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CompiledQuery, Kysely, type LogEvent } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { attachmentsAfter, attachmentsOf, isNamed } from "../../src/service/store/attachments.ts";
import { cardCount } from "../../src/service/store/cards.ts";
import { deleteDeck, highestSort } from "../../src/service/store/decks.ts";
import { SqliteFile } from "../../src/service/store/dialects/sqlite/file.ts";
import { newestVersion } from "../../src/service/store/dialects/sqlite/index.ts";
import { migrate } from "../../src/service/store/dialects/sqlite/migrate.ts";
import { lastPosition, listedAfter } from "../../src/service/store/documents.ts";
import { type DueQuestion, dueCards } from "../../src/service/store/due.ts";
import { openStore } from "../../src/service/store/index.ts";
import { reviewsOf } from "../../src/service/store/reviews.ts";
import type { Db, Tables } from "../../src/service/store/tables.ts";
import { dueBefore } from "../../src/service/store/today.ts";
import { loadSqlite } from "../../src/sqlite.ts";
import { openTestApplication, temporaryFolder } from "../support/service.ts";

async function emptyStore() {
  const folder = await temporaryFolder();
  await (await openStore({ folder })).close();
  return { folder, file: join(folder, "store.sqlite") };
}

async function setVersion(file: string, version: number): Promise<void> {
  const engine = new SqliteFile(file);
  const db = new Kysely<never>({ dialect: engine.dialect });
  await engine.setVersion(db, version);
  // All of it is in the file when this returns.
  await db.executeQuery(CompiledQuery.raw("pragma wal_checkpoint(truncate)"));
  engine.close();
}

/** A deck with a new card: queries about decks with new cards are followed by queries about their cards. */
async function addNewCard(db: Db): Promise<void> {
  const text = { account: "default", id: "d", document: "{}", checksum: 0 };
  await db
    .insertInto("deck")
    .values({ ...text, parent_id: null, sort: 1, ready: 1, live: 1 })
    .execute();
  const card = {
    ...text,
    id: "c",
    deck_id: "d",
    pos: new Uint8Array([0, 97]),
    ready: 1,
    due_at: null,
    facts: "{}",
  };
  await db.insertInto("card").values(card).execute();
}

/** How SQLite would carry out every query that `ask` makes. */
async function plansOf(ask: (db: Db) => Promise<unknown>): Promise<string[]> {
  const { file } = await emptyStore();
  const queries: CompiledQuery[] = [];
  const log = ({ query }: LogEvent) => {
    queries.push(query);
  };
  const { dialect } = new SqliteFile(file);
  await addNewCard(new Kysely<Tables>({ dialect }));
  const db = new Kysely<Tables>({ dialect, log });
  await ask(db);
  const plans: string[] = [];
  for (const { sql, parameters } of [...queries]) {
    const plan = await db.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
    );
    plans.push(...plan.rows.map((row) => row.detail));
  }
  await db.destroy();
  return plans;
}

const start = { deckId: undefined, after: undefined, limit: 10 };
const place = { ...start, after: ["d", "p", "i"] };
const account = "default";

test.each<[string, (db: Db) => Promise<unknown>]>([
  ["all cards", (db) => listedAfter(db, "card", account, start)],
  ["all cards, further on", (db) => listedAfter(db, "card", account, place)],
  ["the cards of a deck", (db) => listedAfter(db, "card", account, { ...start, deckId: "d" })],
  [
    "the cards of a deck, further on",
    (db) => listedAfter(db, "card", account, { ...start, after: ["p", "i"], deckId: "d" }),
  ],
  ["the decks", (db) => listedAfter(db, "deck", account, { after: undefined, limit: 100 })],
  ["the decks, further on", (db) => listedAfter(db, "deck", account, { after: [1, "i"], limit: 100 })],
  ["the templates", (db) => listedAfter(db, "template", account, { after: undefined, limit: 100 })],
  [
    "the templates, further on",
    (db) => listedAfter(db, "template", account, { after: ["p", "i"], limit: 100 }),
  ],
  ["the last position of a deck", (db) => lastPosition(db, "card", account, "d")],
  ["the last position of a template", (db) => lastPosition(db, "template", account)],
  ["the highest sort", (db) => highestSort(db, account, null).then(() => highestSort(db, account, "d"))],
  ["the number of cards of a deck", (db) => cardCount(db, account, "d")],
  ["the reviews of a card", (db) => reviewsOf(db, account, "a")],
  ["the attachments of a card", (db) => attachmentsOf(db, account, "a")],
  ["the attachments of all cards", (db) => attachmentsAfter(db, account, { after: undefined, limit: 100 })],
  [
    "the attachments of all cards, further on",
    (db) => attachmentsAfter(db, account, { after: ["c", "f"], limit: 9 }),
  ],
  ["whether a content is named", (db) => isNamed(db, "hash")],
  ["what lies below a deck", (db) => deleteDeck(db, account, "d")],
])("walks an index for %s, and sorts nothing", async (_, ask) => {
  const plans = await plansOf(ask);
  // The rows of a page are put together as they come; what is below a deck is found step by step.
  const steps = plans.filter(
    (plan) =>
      !/^(?:(?:CO-ROUTINE|MATERIALIZE|SCAN) (?:page|changed)|LIST SUBQUERY \d+|SETUP|RECURSIVE STEP)$/.test(
        plan,
      ),
  );
  for (const step of steps) expect(step).toMatch(/^SEARCH \w+ USING (COVERING )?INDEX /);
});

test("finds what is below a deck by the index of its children", async () => {
  const plans = await plansOf((db) => deleteDeck(db, account, "d"));
  const steps = plans.filter((plan) => plan.includes("parent_id=?"));
  expect(steps).toHaveLength(2);
  for (const step of steps) expect(step).toMatch(/^SEARCH deck USING INDEX deck_siblings \(/);
});

const due = { deckId: undefined, before: 5, after: undefined, limit: 100 };

test.each<[string, DueQuestion, readonly string[]]>([
  [
    "all cards",
    due,
    [
      "SEARCH card USING INDEX card_day (account=? AND due_at<?)",
      "SEARCH deck USING COVERING INDEX deck_live (account=? AND live=?)",
      "SEARCH card USING COVERING INDEX card_due (account=? AND deck_id=? AND ready=? AND due_at=?)",
      "SEARCH card USING INDEX card_due (account=? AND deck_id=? AND ready=? AND due_at=?)",
    ],
  ],
  [
    "further reviewed cards",
    { ...due, after: [3, "c"] },
    [
      "SEARCH card USING INDEX card_day (account=? AND (due_at,id)>(?,?) AND due_at<?)",
      "SEARCH deck USING COVERING INDEX deck_live (account=? AND live=?)",
      "SEARCH card USING COVERING INDEX card_due (account=? AND deck_id=? AND ready=? AND due_at=?)",
      "SEARCH card USING INDEX card_due (account=? AND deck_id=? AND ready=? AND due_at=?)",
    ],
  ],
  ["cards of a deck", { ...due, deckId: "d" }, []],
  ["further cards of a deck", { ...due, deckId: "d", after: [3, "p", "c"] }, []],
  ["further new cards", { ...due, after: [1, "d", "p", "c"] }, []],
])("walks indexes for the due cards and sorts nothing: %s", async (_, question, expected) => {
  const plans = await plansOf((db) => dueCards(db, account, question));
  const walks = plans.filter((plan) => !/SUBQUERY|sqlite_autoindex_deck_1/.test(plan));
  if (expected.length > 0) expect(walks).toEqual(expected);
  for (const plan of plans) expect(plan).not.toMatch(/SCAN|TEMP B-TREE/);
});

test("plans a day from one index: what the row of a card says of its memory is not read", async () => {
  const { file } = await emptyStore();
  const db = new Kysely<Tables>({ dialect: new SqliteFile(file).dialect });
  await addNewCard(db);
  const memory = { date: 1, stability: 2 };
  await db
    .updateTable("card")
    .set({ due_at: 1, facts: JSON.stringify({ memory }) })
    .execute();
  await db.executeQuery(CompiledQuery.raw("pragma wal_checkpoint(truncate)"));
  await db.destroy();
  const whole = await readFile(file, "latin1");
  await writeFile(file, whole.replaceAll('"memory"', '"xemory"'), "latin1");
  const damaged = new Kysely<Tables>({ dialect: new SqliteFile(file).dialect });
  onTestFinished(() => damaged.destroy());
  expect((await dueBefore(damaged, account, 5)).map((card) => card.memory)).toEqual([memory]);
});

test("keeps acknowledged writes through a crash: WAL, synchronous FULL, foreign keys", async () => {
  const { file } = await emptyStore();
  const db = new Kysely<Tables>({ dialect: new SqliteFile(file).dialect });
  const pragma = async (name: string) =>
    Object.values((await db.executeQuery(CompiledQuery.raw(`pragma ${name}`))).rows[0] as object)[0];
  expect(await pragma("journal_mode")).toBe("wal");
  expect(await pragma("synchronous")).toBe(2);
  expect(await pragma("foreign_keys")).toBe(1);
  expect(await pragma("busy_timeout")).toBeGreaterThanOrEqual(5000);
  expect(await pragma("user_version")).toBe(newestVersion);
  await db.destroy();
});

test("creates the folder for its owner only", async () => {
  const folder = join(await temporaryFolder(), "data");
  await openTestApplication({ folder });
  expect((await stat(join(folder, "service"))).mode & 0o777).toBe(0o700);
});

test("creates the store for its owner only, whatever the umask", async () => {
  const { file } = await emptyStore();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test.each<[object, number | undefined]>([
  [{ errcode: 13 }, 507],
  [{ code: "ENOSPC" }, 507],
  [{ code: "EDQUOT" }, 507],
  [{ errcode: 5 }, 503],
  [{ errcode: 261 }, 503],
  [{ errcode: 11 }, 500],
  [{ errcode: 8 }, 500],
  [{ errcode: 1 }, undefined],
  [{}, undefined],
])("answers the failure %j of the disk or the engine with %j", async (details, status) => {
  const store = await openStore({ folder: await temporaryFolder() });
  onTestFinished(() => store.close());
  expect(store.failureOf(Object.assign(new Error("x"), details))?.status).toBe(status);
});

test("waits to set a new store up while another process does the same", async () => {
  const file = join(await temporaryFolder(), "store.sqlite");
  const other = new (loadSqlite())(file);
  other.exec("begin immediate");
  const store = new SqliteFile(file);
  onTestFinished(() => store.close());
  const prepared = store.prepareNew();
  other.close();
  await prepared;
  await migrate(store, newestVersion, () => {});
  expect(store.version()).toBe(newestVersion);
});

test("refuses the store of a newer program and leaves it untouched", async () => {
  const { folder, file } = await emptyStore();
  await setVersion(file, newestVersion + 1);
  const before = await readFile(file);
  await expect(openStore({ folder })).rejects.toMatchObject({
    code: "refused",
    message: expect.stringContaining("newer deckhand"),
  });
  expect((await readFile(file)).equals(before)).toBe(true);
});

test("refuses a file that is not a store and leaves it untouched", async () => {
  const folder = await temporaryFolder();
  const text = "this is a shopping list, not a collection of cards\n".repeat(100);
  await writeFile(join(folder, "store.sqlite"), text);
  await expect(openStore({ folder })).rejects.toMatchObject({ code: "refused" });
  expect(await readFile(join(folder, "store.sqlite"), "utf8")).toBe(text);
});

test("rolls a migration back whole when it fails", async () => {
  const { folder, file } = await emptyStore();
  // A collection of an earlier version with a card whose document cannot be read.
  const database = new (loadSqlite())(file);
  database.exec(
    "drop table creation; insert into card values ('a', 'c', 'd', x'0061', 1, null, '{', '{}', 0)",
  );
  database.close();
  await setVersion(file, 4);
  await expect(openStore({ folder })).rejects.toThrow();
  const again = new SqliteFile(file);
  expect(again.version()).toBe(4);
  again.close();
  const after = new (loadSqlite())(file);
  expect(after.prepare("select name from sqlite_master where name = 'creation'").all()).toEqual([]);
  after.close();
});

test("reads what is committed while a long transaction of the same process is under way", async () => {
  const { folder } = await emptyStore();
  const store = await openStore({ folder });
  let go = () => {};
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  const names = () => store.read((db) => db.selectFrom("setting").select("name").execute());
  let begun = false;
  const writing = store.write(undefined, async (db) => {
    await db.insertInto("setting").values({ name: "x", value: "y" }).execute();
    begun = true;
    await held;
  });
  await expect.poll(() => begun).toBe(true);
  expect(await names()).toEqual([]);
  go();
  await writing;
  expect(await names()).toEqual([{ name: "x" }]);
  await store.close();
});
