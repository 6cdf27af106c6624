import { expect, test } from "vitest";
import { docsOf, idOf, rawClient } from "../support/requests.ts";
import { openTestApplication } from "../support/service.ts";

async function client() {
  const application = await openTestApplication();
  const ask = rawClient(application);
  const deck = idOf(await ask("POST", "/decks", { name: "d" }));
  return { application, ask, deck };
}

test("creates a card, a deck and a template under the ids that they bring", async () => {
  const { ask, deck } = await client();
  const made = [
    await ask("POST", "/cards", { id: "card0001", content: "x", "deck-id": deck }),
    await ask("POST", "/decks", { id: "deck0001", name: "x" }),
    await ask("POST", "/templates", { id: "temp0001", name: "x", content: "y", fields: {} }),
  ];
  expect(made.map(({ status, body }) => [status, body["id"]])).toEqual([
    [200, "card0001"],
    [200, "deck0001"],
    [200, "temp0001"],
  ]);
  expect(await ask("GET", "/cards/card0001")).toMatchObject({ status: 200, body: { content: "x" } });
});

test("answers the same creation again with what is there now, and creates nothing", async () => {
  const { ask, deck } = await client();
  const body = { id: "card0001", content: "x", "deck-id": deck };
  await ask("POST", "/cards", body);
  await ask("POST", "/cards/card0001", { content: "changed" });
  expect(await ask("POST", "/cards", body)).toMatchObject({ status: 200, body: { content: "changed" } });
  expect(docsOf(await ask("GET", "/cards"))).toHaveLength(1);
  // Also where its deck is gone, and as often as it comes.
  await ask("DELETE", `/decks/${deck}`);
  expect(await ask("POST", "/cards", body)).toMatchObject({ status: 200, body: { content: "changed" } });
  await ask("DELETE", "/cards/card0001");
  expect(await ask("POST", "/cards", body)).toMatchObject({ status: 204, text: "" });
  expect(docsOf(await ask("GET", "/cards"))).toEqual([]);
});

test("answers the same deck and the same template again, too, and 204 for one that was deleted", async () => {
  const { ask } = await client();
  const [deck, template] = [
    { id: "deck0001", name: "x" },
    { id: "temp0001", name: "x", content: "y", fields: {} },
  ];
  for (let at = 0; at < 2; at++) {
    expect(await ask("POST", "/decks", deck)).toMatchObject({ status: 200, body: { id: "deck0001" } });
    expect(await ask("POST", "/templates", template)).toMatchObject({
      status: 200,
      body: { id: "temp0001" },
    });
  }
  await ask("DELETE", "/decks/deck0001");
  expect((await ask("POST", "/decks", deck)).status).toBe(204);
});

test("refuses an id that something else has, created with or without one", async () => {
  const { ask, deck } = await client();
  await ask("POST", "/cards", { id: "card0001", content: "x", "deck-id": deck });
  expect((await ask("POST", "/cards", { id: "card0001", content: "y", "deck-id": deck })).status).toBe(409);
  expect((await ask("POST", "/decks", { id: "card0001", name: "x" })).status).toBe(409);
  const other = idOf(await ask("POST", "/cards", { content: "z", "deck-id": deck }));
  expect((await ask("POST", "/cards", { id: other, content: "z", "deck-id": deck })).status).toBe(409);
  // A creation that was refused leaves its id free.
  expect((await ask("POST", "/cards", { id: "card0002", content: "x", "deck-id": "none" })).status).toBe(422);
  expect((await ask("POST", "/cards", { id: "card0002", content: "x", "deck-id": deck })).status).toBe(200);
});

test("keeps the ids of each account apart", async () => {
  const { application, ask, deck } = await client();
  await ask("POST", "/decks", { id: "deck0001", name: "x" });
  const other = rawClient(application, await application.keys.add("other"));
  expect(await other("POST", "/decks", { id: "deck0001", name: "y" })).toMatchObject({
    status: 200,
    body: { name: "y" },
  });
  expect((await ask("GET", "/decks/deck0001")).body["name"]).toBe("x");
  expect(deck).toHaveLength(8);
});

test("refuses an id of another form", async () => {
  const { ask } = await client();
  for (const id of ["short", "has-dash", "far too long", "ümläuts1"])
    expect(await ask("POST", "/decks", { id, name: "x" })).toMatchObject({
      status: 422,
      body: { errors: { id: expect.any(String) } },
    });
});

test("knows a creation in transit that came in JSON before", async () => {
  const { ask, deck } = await client();
  await ask("POST", "/cards", { id: "card0001", content: "x", "deck-id": deck, "manual-tags": ["a"] });
  const body = {
    "~:id": "~:card0001",
    "~:content": "x",
    "~:deck-id": `~:${deck}`,
    "~:tags": { "~#set": ["a"] },
  };
  const type = { "content-type": "application/transit+json" };
  expect((await ask("POST", "/cards", JSON.stringify(body), type)).status).toBe(200);
});
