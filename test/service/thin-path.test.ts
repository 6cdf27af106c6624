import { expect, test } from "vitest";
import { rawClient } from "../support/requests.ts";
import { openTestApplication, startTestServer } from "../support/service.ts";

test("creates a deck and a card, and lists both", async () => {
  const ask = rawClient(await openTestApplication());
  const deck = (await ask("POST", "/decks", { name: "Geography" })).body;
  expect(deck).toEqual({ id: expect.stringMatching(/^[0-9A-Za-z]{8}$/), name: "Geography", sort: 0 });
  const created = await ask("POST", "/cards", { content: "Paris #city", "deck-id": deck["id"] });
  expect(created.body).toMatchObject({
    content: "Paris #city",
    name: "Paris #city",
    tags: ["city"],
    pos: "a1",
  });
  const cards = await ask("GET", "/cards/");
  expect(cards.body["docs"]).toEqual([created.body]);
  const decks = await ask("GET", "/decks");
  expect(decks.body["docs"]).toEqual([deck]);
  expect(decks.body["bookmark"]).toMatch(/^[\w-]+\.[\w-]+$/);
});

test("answers over a socket", async () => {
  const { url, key } = await startTestServer();
  const headers = { authorization: `Basic ${btoa(`${key}:`)}`, "content-type": "application/json" };
  const answer = await fetch(`${url}/decks`, { method: "POST", headers, body: '{"name":"Languages"}' });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ name: "Languages" });
  expect((await fetch(`${url}/decks`)).status).toBe(401);
});
