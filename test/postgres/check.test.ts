import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openApplication } from "../../src/service/app.ts";
import { giveDatabase, runOn, takeDatabase } from "../support/postgres.ts";
import { idOf, rawClient } from "../support/requests.ts";
import { formOf, multipart } from "../support/uploads.ts";
import { deckhand } from "../support/world.ts";

/** A collection on PostgreSQL with a deck, a card with a review, and an attachment. */
async function collection() {
  const url = await takeDatabase();
  onTestFinished(() => giveDatabase(url));
  const open = () => openApplication({ folder: "", database: { url }, now: Date.now, keyDelay: 0 });
  const application = await open();
  const key = await application.keys.add("anna");
  const ask = rawClient(application, key);
  const deck = idOf(await ask("POST", "/decks", { name: "Capitals" }));
  const card = idOf(await ask("POST", "/cards", { content: "Lisbon", "deck-id": deck }));
  await ask("POST", `/cards/${card}/reviews`, { date: "2026-01-02T03:04:05.678Z", "remembered?": true });
  const path = `/cards/${card}/attachments/a.txt`;
  await application.handle({
    method: "POST",
    path,
    query: "",
    headers: { authorization: `Basic ${btoa(key)}`, ...multipart },
    body: formOf({ content: "content" }),
  });
  await application.close();
  const home = await deckhand();
  const check = async (...args: string[]) => {
    const { code, stdout, stderr } = await home.run(["check", "--database", url, ...args]);
    return { code, lines: stdout === "" ? [] : stdout.trim().split("\n"), stderr };
  };
  return { url, deck, card, home, check };
}

test("a collection on PostgreSQL is checked: documents, columns, reviews and contents", async () => {
  const { url, card, check } = await collection();
  expect(await check()).toEqual({ code: 0, lines: [], stderr: "" });
  await runOn(url, "update card set document = replace(document, 'Lisbon', 'Lisbom')");
  await runOn(url, "update content_part set bytes = 'contenu'");
  await runOn(url, "update deck set live = 0");
  const { code, lines } = await check();
  expect(code).toBe(9);
  expect(lines).toEqual([
    expect.stringMatching(/^decks\t/),
    `cards\tcard ${card}\tits document or a column has another checksum\t${card} Lisbom`,
    expect.stringMatching(new RegExp(`^attachments\ta\\.txt .+\t${card} Lisbom$`)),
  ]);
});

test.each([
  ["a wrong letter in a document", "update card set document = replace(document, 'Lisbon', 'Lisbom')"],
  ["a document that cannot be parsed", "update card set document = substr(document, 2)"],
  ["another position", String.raw`update card set pos = '\x00620031'`],
  ["another due date", "update card set due_at = 1"],
  ["another type of a file", "update attachment set type = 'text/html'"],
  [
    "a review that the document lacks",
    "insert into review (account, card_id, date, due, remembered) select account, id, 1, 2, 1 from card",
  ],
  ["a wrong letter in a deck", "update deck set document = replace(document, 'Capitals', 'Capitols')"],
  ["a deck that is not live", "update deck set live = 0"],
  ["a deck under itself", "update deck set parent_id = id"],
  ["a damaged template", String.raw`insert into template values ('anna', 't', '\x61', '{}', 7)`],
])("check --repair on PostgreSQL mends %s, and keeps what was there", async (_, statement) => {
  const { url, home, check } = await collection();
  await runOn(url, statement);
  expect((await check()).code).toBe(9);
  const asked = await check("--repair");
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("nothing was changed")]);
  const { code, stderr } = await check("--repair", "--yes");
  expect(code, stderr).toBe(0);
  const aside = /What was damaged is in (.*)/.exec(stderr)?.[1] ?? "";
  expect(aside).toContain(home.home);
  expect(readFileSync(join(aside, "damaged.ndjson"), "utf8")).toContain('"account":"anna"');
  expect(await check()).toEqual({ code: 0, lines: [], stderr: "" });
});

test("check --repair on PostgreSQL takes a damaged content out of the database, into a file", async () => {
  const { url, card, check } = await collection();
  await runOn(url, "update content_part set bytes = 'contenu'");
  const { code, stderr } = await check("--repair", "--yes");
  expect(code, stderr).toBe(0);
  const aside = /What was damaged is in (.*)/.exec(stderr)?.[1] ?? "";
  const [file = ""] = readdirSync(aside).filter((name) => name !== "damaged.ndjson");
  expect(readFileSync(join(aside, file), "utf8")).toBe("contenu");
  expect(await runOn(url, "select * from content")).toEqual([]);
  expect(await runOn(url, `select document from card where id = '${card}'`)).toEqual([
    { document: expect.not.stringContaining("a.txt") },
  ]);
  expect(await check()).toEqual({ code: 0, lines: [], stderr: "" });
});

test("check does not set up a database without a collection", async () => {
  const other = await takeDatabase();
  await runOn(other, "create database never_set_up");
  onTestFinished(async () => {
    await runOn(other, "drop database never_set_up");
    await giveDatabase(other);
  });
  const url = Object.assign(new URL(other), { pathname: "/never_set_up" }).href;
  const home = await deckhand();
  const { code, stderr } = await home.run(["check", "--database", url]);
  expect([code, stderr]).toEqual([4, expect.stringContaining("there is no collection in the database")]);
  const tables = "select tablename from pg_tables where schemaname = 'public'";
  expect(await runOn(url, tables)).toEqual([]);
});
