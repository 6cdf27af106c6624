import { CompiledQuery, Kysely, type LogEvent } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as accounts from "../../src/service/store/accounts.ts";
import * as attachments from "../../src/service/store/attachments.ts";
import * as cards from "../../src/service/store/cards.ts";
import * as contents from "../../src/service/store/contents.ts";
import * as decks from "../../src/service/store/decks.ts";
import type { Engine } from "../../src/service/store/dialects/engine.ts";
import { openPostgres } from "../../src/service/store/dialects/postgres/index.ts";
import {
  deleteRow,
  documentOf,
  exists,
  lastPosition,
  listedAfter,
  rowById,
  updateRow,
} from "../../src/service/store/documents.ts";
import { dueCards } from "../../src/service/store/due.ts";
import * as keys from "../../src/service/store/keys.ts";
import * as reviews from "../../src/service/store/reviews.ts";
import type { Db, Tables } from "../../src/service/store/tables.ts";
import * as today from "../../src/service/store/today.ts";
import { runOn, takeDatabase } from "../support/postgres.ts";
import { count } from "../support/soak.ts";

const account = "account 7";
let url = "";
let engine: Engine;

/** So many accounts that reading the rows of all of them would not be the quickest way to those of one. */
const accountCount = count("plan_accounts", 100, 1_000);
const cardsEach = count("plan_cards", 300, 1_000);

beforeAll(async () => {
  url = await takeDatabase();
  engine = await openPostgres({ url });
  const all = `from generate_series(1, ${accountCount}) a`;
  const [name, rows] = ["'account ' || a", `${all}, generate_series(1, 100) n`];
  const pos = "decode(lpad(to_hex(n), 8, '0'), 'hex')";
  // Without checking foreign keys, which are right.
  for (const statement of [
    `insert into account select ${name} from generate_series(1, 5000) a`,
    `insert into key (account, hash, created_at) select ${name}, 'hash ' || a, 0 from generate_series(1, 5000) a`,
    `insert into deck select ${name}, 'd' || n, null, n, 1, 1, '{}', 0 ${all}, generate_series(1, 30) n`,
    `insert into template select ${name}, 't' || n, ${pos}, '{}', 0 ${all}, generate_series(1, 30) n`,
    `insert into card select ${name}, 'c' || n, 'd' || n % 30, ${pos}, 1, case when n % 2 = 0 then n end, '{}', '{}', 0 ${all}, generate_series(1, ${cardsEach}) n`,
    `insert into review select ${name}, 'c' || n, n, n, 0, 1 ${rows}`,
    `insert into attachment select ${name}, 'c' || n, 'f', 1, 'x/y', 'hash ' || n ${rows}`,
    `insert into content select ${name}, 'i' || n, 'hash ' || n, 0 ${rows}`,
    `insert into content_part select ${name}, 'i' || n, 0, '' ${rows}`,
    `insert into today_mark (account, card_id, day, put_off, again, set_at) select ${name}, 'c' || n, 1, 0, 1, n ${rows}`,
    "analyze",
  ])
    await runOn(url, `set session_replication_role = replica; ${statement}`);
}, 300_000);
// Deleting so many rows would take longer than another database.
afterAll(() => engine.close());

interface Plan {
  readonly "Node Type": string;
  readonly "Index Cond"?: string;
  readonly "Index Name"?: string;
  readonly Plans?: readonly Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** Runs queries in a transaction that is rolled back. @returns their SQL, and the steps of their plans */
async function planned(ask: (db: Db) => Promise<unknown>) {
  const queries: CompiledQuery[] = [];
  const log = ({ query }: LogEvent) => void queries.push(query);
  const db = new Kysely<Tables>({ dialect: engine.dialect, log });
  const found: { readonly sql: string; readonly nodes: Plan[] }[] = [];
  const undone = new Error("undone");
  const work = db.transaction().execute(async (transaction) => {
    await ask(transaction);
    for (const { sql, parameters } of queries.filter(({ sql }) =>
      /^\s*(with|select|insert|update|delete)/.test(sql),
    )) {
      const plan = CompiledQuery.raw(`explain (format json) ${sql}`, [...parameters]);
      const { rows } = await transaction.executeQuery<{ "QUERY PLAN": { Plan: Plan }[] }>(plan);
      found.push({
        sql,
        nodes: rows.flatMap((row) => row["QUERY PLAN"].flatMap(({ Plan }) => nodesOf(Plan))),
      });
    }
    throw undone;
  });
  await expect(work).rejects.toBe(undone);
  return found;
}

const start = { deckId: undefined, after: undefined, limit: 10 };
const place = { ...start, after: ["d3", "p", "i"] };
const due = { deckId: undefined, before: 50, after: undefined, limit: 100 };
const card = {
  account,
  id: "c9",
  deck_id: "d1",
  pos: new Uint8Array([1]),
  ready: 1,
  due_at: null,
  document: "{}",
  facts: "{}",
};
const deck = { account, id: "d9", parent_id: null, sort: 9, ready: 0, document: "{}" };
const review = { account, card_id: "c9", date: 1, due: 1, due_given: 0, remembered: 1, duration: null };
const file = { account, card_id: "c9", file_name: "g", size: 1, type: "x/y", hash: "hash 1" };

const lists: [string, (db: Db) => Promise<unknown>][] = [
  ["all cards", (db) => listedAfter(db, "card", account, start)],
  ["all cards, further on", (db) => listedAfter(db, "card", account, place)],
  ["the cards of a deck", (db) => listedAfter(db, "card", account, { ...start, deckId: "d3" })],
  [
    "the cards of a deck, further on",
    (db) => listedAfter(db, "card", account, { ...start, after: ["p", "i"], deckId: "d3" }),
  ],
  ["the decks", (db) => listedAfter(db, "deck", account, { after: [1, "i"], limit: 10 })],
  ["the templates", (db) => listedAfter(db, "template", account, { after: ["p", "i"], limit: 10 })],
  ["the attachments", (db) => attachments.attachmentsAfter(db, account, { after: ["c", "f"], limit: 9 })],
  ["the due cards", (db) => dueCards(db, account, { ...due, limit: 20 })],
  ["the new cards", (db) => dueCards(db, account, { ...due, before: 0 })],
  ["further due cards", (db) => dueCards(db, account, { ...due, after: [3, "c"] })],
  ["further new cards", (db) => dueCards(db, account, { ...due, after: [1, "d1", "p", "c"] })],
];

const others: [string, (db: Db) => Promise<unknown>][] = [
  ["the due cards of a deck", (db) => dueCards(db, account, { ...due, deckId: "d3", after: [3, "p", "c"] })],
  ["a card", (db) => rowById(db, "card", account, "c1")],
  ["whether a card exists", (db) => exists(db, "card", account, "c1")],
  ["a large document", (db) => documentOf(db, "card", account, "c1")],
  ["reviewed cards", (db) => cards.reviewedCardsAfter(db, account, "c", 10)],
  ["the reviews of a day", (db) => today.dueBefore(db, account, 50)],
  ["how many cards a day has", (db) => today.countDue(db, account, 10, 20)],
  ["the loads of days", (db) => today.loadsBetween(db, account, 10, 20)],
  ["the new cards of decks", (db) => today.newCardsOfDecks(db, account, 5, ["d1", "d2"])],
  ["the cards of each deck", (db) => today.countReady(db, account)],
  ["the decks of a day", (db) => today.decksOfDay(db, account)],
  ["what was reviewed on a day", (db) => today.reviewedSince(db, account, 50)],
  ["the days before", (db) => today.daysBefore(db, account, 86_400_000, 10)],
  ["the days in a row", (db) => today.reviewTimes(db, account, 50, 86_400_000)],
  ["what was said of cards for a day", (db) => today.marksOfDay(db, account, 1)],
  ["the last position", (db) => lastPosition(db, "card", account, "d1")],
  ["the last position of a template", (db) => lastPosition(db, "template", account)],
  ["the number of cards", (db) => cards.cardCount(db, account, "d1")],
  ["the highest sort", (db) => decks.highestSort(db, account, null)],
  ["a deck and those under it", (db) => decks.scopeOf(db, account, "d1")],
  ["the reviews of a card", (db) => reviews.reviewsOf(db, account, "c1")],
  ["the attachments of a card", (db) => attachments.attachmentsOf(db, account, "c1")],
  ["a content", (db) => contents.contentWithHash(db, account, "hash 1")],
  ["a part", (db) => contents.contentPart(db, account, "i1", 0)],
  ["the days of an account", (db) => accounts.accountDays(db, account)],
  ["an update of a card", (db) => updateRow(db, "card", card)],
  ["an update of a deck", (db) => decks.updateDeck(db, deck)],
  ["the end of a card", (db) => deleteRow(db, "card", account, "c1")],
  ["the end of a deck", (db) => decks.deleteDeck(db, account, "d1")],
  ["a new due", (db) => reviews.putReviews(db, [review])],
  ["the end of a review", (db) => reviews.deleteReview(db, account, "c1", 1)],
  ["an attachment", (db) => attachments.putAttachment(db, file)],
  ["the end of an attachment", (db) => attachments.deleteAttachment(db, file)],
  ["the name of a content", (db) => contents.nameContent(db, account, "i1", "hash 2")],
  ["contents that nothing names", (db) => contents.discardUnnamed(db, account, ["hash 1", "hash 2"])],
  ["a received part", (db) => contents.insertPart(db, account, "i1", 1, new Uint8Array(1))],
  ["the end of a content in a bucket", (db) => contents.discardNamed(db, account, "hash 1")],
  ["the end of an upload to a bucket", (db) => contents.discardUnfinished(db, account, "i1")],
  ["what is to be deleted from a bucket", (db) => contents.discardedContents(db, account)],
  ["the end of an upload", (db) => contents.deleteContent(db, account, "i1")],
  ["the keys of an account", (db) => keys.deleteKeys(db, account)],
  ["the lock of an account", (db) => engine.shared?.lockAccount(db, account) ?? Promise.reject()],
];

test.each([...lists, ...others])("reads by an index, with the account first: %s", async (_, ask) => {
  const plans = await planned(ask);
  expect(plans.length).toBeGreaterThan(0);
  for (const { sql, nodes } of plans) {
    expect(sql).toMatch(sql.startsWith("insert") ? /\("account",|\(account\)/ : /"?account"? = \$\d/);
    for (const node of nodes) {
      expect(node["Node Type"], sql).not.toBe("Seq Scan");
      if (node["Index Cond"] !== undefined) expect(node["Index Cond"]).toMatch(/^\(?\(?\(account = /);
    }
  }
});

test.each(lists)("sorts nothing: %s", async (_, ask) => {
  for (const { sql, nodes } of await planned(ask))
    expect(
      nodes.map((node) => node["Node Type"]),
      sql,
    ).not.toContain("Sort");
});

test("looks a key up by its hash", async () => {
  const [plan] = await planned((db) => keys.accountWithHash(db, "hash 7"));
  expect(plan?.nodes).toMatchObject([
    { "Node Type": "Index Scan", "Index Cond": expect.stringContaining("hash") },
  ]);
});
