import { expect, test } from "vitest";
import { docsOf, idOf, rawClient } from "../support/requests.ts";
import { openTestApplication } from "../support/service.ts";

async function client() {
  return rawClient(await openTestApplication());
}
type Ask = Awaited<ReturnType<typeof client>>;

const deckNamed = async (ask: Ask, name: string, rest: object = {}) =>
  idOf(await ask("POST", "/decks", { name, ...rest }));

test("answers a created deck with its id and what was given", async () => {
  const ask = await client();
  const answer = await ask("POST", "/decks", { name: "Spanish" });
  expect(answer).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
  expect(answer.body).toEqual({ id: expect.stringMatching(/^[0-9A-Za-z]{8}$/), name: "Spanish", sort: 0 });
});

test("accepts every parameter of a create", async () => {
  const ask = await client();
  const parent = await deckNamed(ask, "Languages");
  const sent = {
    name: "Spanish",
    "parent-id": parent,
    sort: -3,
    "trashed?": "2024-11-20T23:00:00.000Z",
    "archived?": false,
    "sort-by": "lexigraphically",
    "cards-view": "grid",
    "show-sides?": true,
    "sort-by-direction": false,
    "review-reverse?": true,
  };
  const created = await ask("POST", "/decks", sent);
  const trashed = { date: sent["trashed?"] };
  expect(created.body).toEqual({ id: expect.any(String), ...sent, "trashed?": trashed });
  const read = await ask("GET", `/decks/${idOf(created)}`);
  expect(read.body).toEqual({ ...created.body, "card-count": 0 });
});

test("counts a deck's own cards, archived and trashed ones included", async () => {
  const ask = await client();
  const deck = await deckNamed(ask, "A");
  const child = await deckNamed(ask, "B", { "parent-id": deck });
  for (const deckId of [deck, deck, deck, child])
    await ask("POST", "/cards", { content: "x", "deck-id": deckId });
  const [first, second] = docsOf(await ask("GET", `/cards?deck-id=${deck}`)).map((card) =>
    String(card["id"]),
  );
  await ask("POST", `/cards/${first}`, { "archived?": true });
  await ask("POST", `/cards/${second}`, { "trashed?": "2024-01-01T00:00:00.000Z" });
  expect((await ask("GET", `/decks/${deck}`)).body["card-count"]).toBe(3);
});

test("changes only the fields of an update; null clears the parent and the trash", async () => {
  const ask = await client();
  const parent = await deckNamed(ask, "Languages");
  const deck = await ask("POST", "/decks", { name: "Spanish", "parent-id": parent, "archived?": true });
  const path = `/decks/${idOf(deck)}`;
  expect((await ask("POST", path, {})).body).toEqual(deck.body);
  expect((await ask("POST", path, { unknown: 1 })).body).toEqual(deck.body);
  const renamed = await ask("POST", path, { name: "Español", "trashed?": "2024-11-20T23:00:00.000Z" });
  const trashed = { date: "2024-11-20T23:00:00.000Z" };
  expect(renamed.body).toEqual({ ...deck.body, name: "Español", "trashed?": trashed });
  const cleared = await ask("POST", path, { "parent-id": null, "trashed?": null, "archived?": false });
  expect(cleared.body).toEqual({ id: idOf(deck), name: "Español", sort: 0, "archived?": false });
});

test("sorts a deck without `sort` one above the highest of its siblings", async () => {
  const ask = await client();
  const sortOf = async (body: object) => (await ask("POST", "/decks", { name: "x", ...body })).body["sort"];
  expect(await sortOf({})).toBe(0);
  expect(await sortOf({ sort: 41 })).toBe(41);
  expect(await sortOf({})).toBe(42);
  const parent = await deckNamed(ask, "parent");
  expect(await sortOf({ "parent-id": parent })).toBe(0);
  expect(await sortOf({ "parent-id": parent, sort: -7 })).toBe(-7);
  expect(await sortOf({ "parent-id": parent })).toBe(1);
  expect(await sortOf({ sort: Number.MAX_SAFE_INTEGER })).toBe(Number.MAX_SAFE_INTEGER);
  expect(await sortOf({})).toBe(Number.MAX_SAFE_INTEGER);
});

test("lists decks by sort and then id, with the parent and the flags that are set", async () => {
  const ask = await client();
  for (const sort of [5, -1, 5, 3]) await deckNamed(ask, `deck ${sort}`, { sort, "archived?": true });
  await deckNamed(ask, "trashed", { sort: 9, "trashed?": "2024-11-20T23:00:00.000Z" });
  const page = await ask("GET", "/decks/");
  expect(docsOf(page).map((deck) => deck["sort"])).toEqual([-1, 3, 5, 5, 9]);
  const [fives] = [
    docsOf(page)
      .slice(2, 4)
      .map((deck) => String(deck["id"])),
  ];
  expect(fives).toEqual([...fives].sort());
  const plain = await deckNamed(ask, "plain", { sort: 10 });
  const below = await deckNamed(ask, "below", { sort: 11, "parent-id": plain });
  const [archived, , , , trashed, above, child] = docsOf(await ask("GET", "/decks"));
  expect(Object.keys(archived ?? {})).toEqual(["id", "sort", "name", "archived?"]);
  expect(trashed).toMatchObject({ "trashed?": { date: "2024-11-20T23:00:00.000Z" } });
  expect(above).toEqual({ id: plain, sort: 10, name: "plain" });
  expect(child).toEqual({ id: below, sort: 11, name: "below", "parent-id": plain });
});

test("leaves the cards and child decks of a deleted deck as they are", async () => {
  const ask = await client();
  const deck = await deckNamed(ask, "A");
  const child = await deckNamed(ask, "B", { "parent-id": deck });
  const card = await ask("POST", "/cards", { content: "x", "deck-id": deck });
  expect(await ask("DELETE", `/decks/${deck}`)).toMatchObject({ status: 204, text: "" });
  expect((await ask("GET", `/decks/${deck}`)).status).toBe(404);
  expect((await ask("DELETE", `/decks/${deck}`)).status).toBe(404);
  expect((await ask("GET", `/cards/${idOf(card)}`)).body).toEqual(card.body);
  expect((await ask("GET", `/decks/${child}`)).body["parent-id"]).toBe(deck);
  expect((await ask("POST", `/cards/${idOf(card)}`, { "deck-id": child })).body["deck-id"]).toBe(child);
  expect((await ask("POST", `/decks/${child}`, { name: "still here" })).status).toBe(200);
  expect((await ask("DELETE", `/cards/${idOf(card)}`)).status).toBe(204);
});

test("refuses a deck as its own ancestor at any depth", async () => {
  const ask = await client();
  const a = await deckNamed(ask, "a");
  const b = await deckNamed(ask, "b", { "parent-id": a });
  const c = await deckNamed(ask, "c", { "parent-id": b });
  for (const parent of [a, b, c]) {
    const answer = await ask("POST", `/decks/${a}`, { "parent-id": parent });
    expect(answer).toMatchObject({ status: 422, body: { errors: { "parent-id": expect.any(String) } } });
  }
  expect((await ask("POST", `/decks/${c}`, { "parent-id": a })).status).toBe(200);
});

test.each([
  [{}, ["name"]],
  [{ name: "" }, ["name"]],
  [{ name: "  " }, ["name"]],
  [{ name: 5, sort: 1.5, "parent-id": "nowhere1" }, ["name", "sort", "parent-id"]],
  [{ name: "x", "sort-by": "colour", "cards-view": "pile" }, ["sort-by", "cards-view"]],
  [{ name: "x", "show-sides?": null, "trashed?": true }, ["show-sides?", "trashed?"]],
  [{ name: "x", sort: "1", "review-reverse?": 0 }, ["sort", "review-reverse?"]],
])("refuses to create the deck %j", async (body, fields) => {
  const ask = await client();
  const answer = await ask("POST", "/decks", body);
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.body["errors"] ?? {}).sort()).toEqual([...fields].sort());
  expect(docsOf(await ask("GET", "/decks"))).toEqual([]);
});

test("keeps the name when an update would blank it", async () => {
  const ask = await client();
  const deck = await deckNamed(ask, "A");
  expect((await ask("POST", `/decks/${deck}`, { name: null })).status).toBe(422);
  expect((await ask("GET", `/decks/${deck}`)).body["name"]).toBe("A");
});

test("speaks transit both ways", async () => {
  const ask = await client();
  const transit = "application/transit+json";
  const parent = await deckNamed(ask, "P");
  const body = `{"~:name":"Spanish","~:parent-id":"~:${parent}","~:sort-by":"~:none"}`;
  const answer = await ask("POST", "/decks", body, { "content-type": transit, accept: transit });
  expect(answer.body).toEqual({
    "~:id": expect.stringMatching(/^~:[0-9A-Za-z]{8}$/),
    "~:name": "Spanish",
    "~:parent-id": `~:${parent}`,
    "~:sort": 0,
    "~:sort-by": "~:none",
  });
});
