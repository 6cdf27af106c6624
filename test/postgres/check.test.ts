import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { openApplication } from "../../src/service/app.ts";
import { storeFindings } from "../../src/service/check/index.ts";
import { giveDatabase, takeDatabase } from "../support/postgres.ts";
import { idOf, rawClient } from "../support/requests.ts";
import { formOf, multipart } from "../support/uploads.ts";

test("a collection on PostgreSQL is checked: documents, columns, reviews and contents", async () => {
  const url = await takeDatabase();
  onTestFinished(() => giveDatabase(url));
  const application = await openApplication({ folder: "", database: { url }, now: Date.now, keyDelay: 0 });
  const key = await application.keys.add("anna");
  const ask = rawClient(application, key);
  const deck = idOf(await ask("POST", "/decks", { name: "Capitals" }));
  const card = idOf(await ask("POST", "/cards", { content: "Lisbon", "deck-id": deck }));
  await ask("POST", `/cards/${card}/reviews`, { date: "2026-01-02T03:04:05.678Z", "remembered?": true });
  await application.handle({
    method: "POST",
    path: `/cards/${card}/attachments/a.txt`,
    query: "",
    headers: { authorization: `Basic ${btoa(key)}`, ...multipart },
    body: formOf({ content: "content" }),
  });
  await application.close();
  const found = async () => {
    const lines: string[] = [];
    const quiet = { cards() {}, attachments() {} };
    for await (const { part, problem, cards } of storeFindings({ database: { url } }, quiet))
      lines.push(`${part}: ${problem}: ${cards.map(({ name }) => name).join()}`);
    return lines;
  };
  expect(await found()).toEqual([]);
  const client = new pg.Client(url);
  await client.connect();
  await client.query("update card set document = replace(document, 'Lisbon', 'Lisbom')");
  await client.query("update content_part set bytes = 'contenu'");
  await client.query("update deck set live = 0");
  await client.end();
  expect(await found()).toEqual([
    expect.stringMatching(/^decks: /),
    "cards: its document or a column has another checksum: Lisbom",
    expect.stringMatching(/^attachments: .+: Lisbom$/),
  ]);
});
