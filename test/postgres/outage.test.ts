import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Application, openApplication } from "../../src/service/app.ts";
import { createPostgres, runOn, type TestPostgres } from "../support/postgres.ts";
import { docsOf, idOf, rawClient } from "../support/requests.ts";

// A server of its own: it is stopped and killed.
let server: TestPostgres;
beforeAll(async () => {
  server = await createPostgres();
});
afterAll(() => server.stop());

async function withDeck() {
  const url = server.urlOf("postgres");
  const application: Application = await openApplication({ folder: "", database: { url }, now: Date.now });
  onTestFinished(() => application.close());
  const ask = rawClient(application, await application.keys.add("anna"));
  const deck = idOf(await ask("POST", "/decks", { name: "d" }));
  const create = (content: string) => ask("POST", "/cards", { content, "deck-id": deck });
  return { url, ask, create, deck };
}

test("answers 503 while the database is away, and goes on by itself when it is back", async () => {
  const { ask, create, deck } = await withDeck();
  const before = idOf(await create("before"));
  await server.kill();
  for (const answer of [await ask("GET", "/decks"), await create("lost")])
    expect(answer).toMatchObject({
      status: 503,
      headers: { "retry-after": "1" },
      body: { errors: [expect.stringContaining("database")] },
    });
  expect([(await ask("GET", "/healthz")).status, (await ask("GET", "/readyz")).status]).toEqual([200, 503]);
  await server.start();
  await expect.poll(async () => (await ask("GET", "/decks")).status, { timeout: 20_000 }).toBe(200);
  expect((await ask("GET", "/readyz")).status).toBe(200);
  const cards = docsOf(await ask("GET", `/cards?deck-id=${deck}`));
  expect(cards.map((card) => card["id"])).toEqual([before]);
});

test("is not ready once another server has brought the tables further", async () => {
  const { url, ask } = await withDeck();
  await runOn(url, "update schema_version set version = version + 1");
  expect((await ask("GET", "/readyz")).status).toBe(503);
  await runOn(url, "update schema_version set version = version - 1");
  expect((await ask("GET", "/readyz")).status).toBe(200);
});

test("connections that were ended while idle are replaced, and no request fails", async () => {
  const { url, ask, create } = await withDeck();
  for (let round = 0; round < 3; round++) {
    await runOn(
      url,
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'deckhand'",
    );
    expect((await create(`card ${round}`)).status).toBe(200);
    expect((await ask("GET", "/decks")).status).toBe(200);
  }
});

test("a write whose transaction was ended by the server is done again, once", async () => {
  const { url, ask, create, deck } = await withDeck();
  // The first insert of the card waits for this lock; its connection is ended meanwhile.
  await runOn(
    url,
    "create table gate (); create function wait_once() returns trigger language plpgsql as 'begin lock table gate; return new; end'",
  );
  await runOn(
    url,
    "create trigger wait_once before insert on card for each row execute function wait_once()",
  );
  const { default: pg } = await import("pg");
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query("begin; lock table gate");
  const created = create("once");
  const waiting =
    "select pid from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'deckhand'";
  await expect.poll(async () => (await runOn(url, waiting)).length, { timeout: 20_000 }).toBe(1);
  await runOn(url, `select pg_terminate_backend(pid) from (${waiting}) as waiting`);
  await holder.query("rollback");
  await holder.end();
  expect((await created).status).toBe(200);
  await runOn(url, "drop trigger wait_once on card; drop function wait_once; drop table gate");
  expect(docsOf(await ask("GET", `/cards?deck-id=${deck}`))).toHaveLength(1);
});
