import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CompiledQuery, Kysely, type LogEvent } from "kysely";
import { expect, test } from "vitest";
import { attachmentsAfter, attachmentsOf, isNamed } from "../../src/service/store/attachments.ts";
import { cardsAfter, lastCardPosition } from "../../src/service/store/cards.ts";
import { cardCount, decksAfter, deleteDeck, highestSort } from "../../src/service/store/decks.ts";
import { openSqlite } from "../../src/service/store/dialects/sqlite.ts";
import { dueCards } from "../../src/service/store/due.ts";
import { newestVersion, openStore, storeProblem } from "../../src/service/store/index.ts";
import { migrations } from "../../src/service/store/migrations/index.ts";
import { reviewsOf } from "../../src/service/store/reviews.ts";
import type { Db, Tables } from "../../src/service/store/tables.ts";
import { lastTemplatePosition, templatesAfter } from "../../src/service/store/templates.ts";
import { openTestApplication, temporaryFolder } from "../support/service.ts";

async function emptyStore() {
  const folder = await temporaryFolder();
  await (await openStore(folder)).close();
  return { folder, file: join(folder, "store.sqlite") };
}

/** How SQLite would carry out every query that `ask` makes. */
async function plansOf(ask: (db: Db) => Promise<unknown>): Promise<string[]> {
  const { file } = await emptyStore();
  const queries: CompiledQuery[] = [];
  const log = ({ query }: LogEvent) => {
    queries.push(query);
  };
  const db = new Kysely<Tables>({ dialect: openSqlite(file).dialect, log });
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

const start = { deckId: undefined, after: undefined, limit: 10, before: "[", behind: "]" };
const place = { ...start, after: ["d", "p", "i"] };
const account = "default";

test.each<[string, (db: Db) => Promise<unknown>]>([
  ["all cards", (db) => cardsAfter(db, account, start)],
  ["all cards, further on", (db) => cardsAfter(db, account, place)],
  ["the cards of a deck", (db) => cardsAfter(db, account, { ...start, deckId: "d" })],
  ["the cards of a deck, further on", (db) => cardsAfter(db, account, { ...place, deckId: "d" })],
  ["the decks", (db) => decksAfter(db, account, { after: undefined, limit: 100 })],
  ["the decks, further on", (db) => decksAfter(db, account, { after: [1, "i"], limit: 100 })],
  ["the templates", (db) => templatesAfter(db, account, { after: undefined, limit: 100 })],
  ["the templates, further on", (db) => templatesAfter(db, account, { after: ["p", "i"], limit: 100 })],
  ["the last position of a deck", (db) => lastCardPosition(db, account, "d")],
  ["the last position of a template", (db) => lastTemplatePosition(db, account)],
  ["the highest sort", (db) => highestSort(db, account, null).then(() => highestSort(db, account, "d"))],
  ["the number of cards of a deck", (db) => cardCount(db, account, "d")],
  ["the reviews of cards", (db) => reviewsOf(db, account, ["a", "b", "c"])],
  ["the attachments of cards", (db) => attachmentsOf(db, account, ["a"])],
  ["the attachments of all cards", (db) => attachmentsAfter(db, account, { after: undefined, limit: 100 })],
  [
    "the attachments of all cards, further on",
    (db) => attachmentsAfter(db, account, { after: ["c", "f"], limit: 9 }),
  ],
  ["whether a content is named", (db) => isNamed(db, "hash")],
  ["what lies below a deck", (db) => deleteDeck(db, account, "d")],
])("walks an index for %s, and sorts nothing", async (_, ask) => {
  const plans = await plansOf(ask);
  // The rows of a page are put together as they come.
  const steps = plans.filter((plan) => !/^(?:CO-ROUTINE|SCAN) page$/.test(plan));
  for (const step of steps) expect(step).toMatch(/^SEARCH \w+ USING (COVERING )?INDEX /);
});

test("hides limits from SQLite, which compiles a statement anew for each that it sees", async () => {
  const { file } = await emptyStore();
  const db = new Kysely<Tables>({ dialect: openSqlite(file).dialect });
  const cards = db.selectFrom("card").select("id").where("account", "=", account).limit(3).compile();
  await db.destroy();
  expect(cards.sql).toMatch(/ limit cast\(\? as integer\)$/);
  expect(cards.parameters).toEqual([account, 3]);
});

test("walks the decks and then the index of due cards, and sorts only what is due", async () => {
  const plans = await plansOf((db) => dueCards(db, account, { deckId: undefined, before: 5 }));
  expect(plans).toEqual([
    "SEARCH deck USING COVERING INDEX deck_live (account=? AND live=?)",
    "SEARCH card USING INDEX card_due (account=? AND deck_id=? AND ready=? AND due_at<?)",
    "USE TEMP B-TREE FOR ORDER BY",
    "SEARCH deck USING COVERING INDEX deck_live (account=? AND live=?)",
    "SEARCH card USING INDEX card_due (account=? AND deck_id=? AND ready=? AND due_at=?)",
  ]);
  const ofOne = await plansOf((db) => dueCards(db, account, { deckId: "d", before: 5 }));
  expect(ofOne.filter((plan) => plan.includes("deck"))).not.toContainEqual(expect.stringContaining("SCAN"));
});

test("keeps what was acknowledged through a crash: WAL, synchronous FULL, foreign keys", async () => {
  const { file } = await emptyStore();
  const db = new Kysely<Tables>({ dialect: openSqlite(file).dialect });
  const pragma = async (name: string) =>
    Object.values((await db.executeQuery(CompiledQuery.raw(`pragma ${name}`))).rows[0] as object)[0];
  expect(await pragma("journal_mode")).toBe("wal");
  expect(await pragma("synchronous")).toBe(2);
  expect(await pragma("foreign_keys")).toBe(1);
  expect(await pragma("busy_timeout")).toBeGreaterThanOrEqual(5000);
  expect(await pragma("user_version")).toBe(newestVersion);
  await db.destroy();
});

test("numbers its migrations without a gap", () => {
  const numbers = Object.keys(migrations).map(Number);
  expect(numbers).toEqual(Array.from({ length: newestVersion }, (_, at) => at + 1));
});

test("makes the folder for its owner only", async () => {
  const folder = join(await temporaryFolder(), "data");
  await openTestApplication({ folder });
  expect((await stat(join(folder, "service"))).mode & 0o777).toBe(0o700);
});

test("makes the store for its owner only, whatever the mask", async () => {
  const { file } = await emptyStore();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test.each([
  [{ errcode: 13 }, 507],
  [{ code: "ENOSPC" }, 507],
  [{ code: "EDQUOT" }, 507],
  [{ errcode: 5 }, 503],
  [{ errcode: 261 }, 503],
  [{ errcode: 11 }, 500],
  [{ errcode: 8 }, 500],
  [{ errcode: 1 }, undefined],
  [{}, undefined],
])("answers the failure %j of the disk or the engine with %j", (details, status) => {
  expect(storeProblem(Object.assign(new Error("x"), details))?.status).toBe(status);
});

test("refuses the store of a newer program, and leaves it untouched", async () => {
  const { folder, file } = await emptyStore();
  const engine = openSqlite(file);
  engine.setVersion(newestVersion + 1);
  await new Kysely<Tables>({ dialect: engine.dialect }).destroy();
  const before = await readFile(file);
  await expect(openStore(folder)).rejects.toMatchObject({
    code: "refused",
    message: expect.stringContaining("newer deckhand"),
  });
  expect((await readFile(file)).equals(before)).toBe(true);
});

test("refuses a file that is no store, and leaves it untouched", async () => {
  const folder = await temporaryFolder();
  const text = "this is a shopping list, not a collection of cards\n".repeat(100);
  await writeFile(join(folder, "store.sqlite"), text);
  await expect(openStore(folder)).rejects.toMatchObject({ code: "refused" });
  expect(await readFile(join(folder, "store.sqlite"), "utf8")).toBe(text);
});

test("rolls a migration back whole when it fails", async () => {
  const { folder, file } = await emptyStore();
  const engine = openSqlite(file);
  // An older version that already has a table of the first migration: it cannot run again.
  engine.setVersion(0);
  await new Kysely<Tables>({ dialect: engine.dialect }).destroy();
  await expect(openStore(folder)).rejects.toThrow(/already exists/);
  const again = openSqlite(file);
  expect(again.version()).toBe(0);
  await new Kysely<Tables>({ dialect: again.dialect }).destroy();
});
