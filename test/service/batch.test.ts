import { expect, test } from "vitest";
import { docsOf, idOf, type Loose, type RawAnswer, rawClient } from "../support/requests.ts";
import { openTestApplication } from "../support/service.ts";

async function client() {
  const application = await openTestApplication({ now: () => Date.parse("2026-11-20T12:00:00Z") });
  const ask = rawClient(application);
  const deck = idOf(await ask("POST", "/decks", { name: "d" }));
  const batch = (...operations: object[]) => ask("POST", "/batch", { operations });
  return { ask, deck, batch };
}

const resultsOf = ({ body }: RawAnswer) => body["results"] as unknown as readonly Loose[];
const statusesOf = (answer: RawAnswer) => resultsOf(answer).map(({ status }) => status as unknown as number);

const reviews = {
  reviews: [
    { date: "2026-11-01T12:00:00.000Z", "remembered?": true, due: "2026-12-24T10:00:00.000Z" },
    { date: "2026-10-01T12:00:00.000Z", "remembered?": false },
  ],
};
const everything = [
  { "decks.create": { id: "deck0001", name: "Europe" } },
  { "templates.create": { id: "temp0001", name: "t", content: "<< A >>", fields: {} } },
  { "cards.create": { id: "card0001", content: "x", "deck-id": "deck0001", "template-id": "temp0001" } },
  { id: "card0001", "reviews.add": reviews },
  { id: "card0001", "cards.update": { "trashed?": "2026-11-19T10:00:00.000Z" } },
  { id: "deck0001", "decks.update": { "archived?": true } },
];

test("carries out operations in order, and later ones name what earlier ones made", async () => {
  const { ask, batch } = await client();
  const answer = await batch(...everything);
  expect(statusesOf(answer)).toEqual([200, 200, 200, 200, 200, 200]);
  expect(resultsOf(answer)[0]).toMatchObject({ deck: { id: "deck0001", name: "Europe" } });
  expect(resultsOf(answer)[1]).toMatchObject({ template: { id: "temp0001" } });
  expect(resultsOf(answer)[2]).toMatchObject({ card: { id: "card0001", "deck-id": "deck0001" } });
  const { body } = await ask("GET", "/cards/card0001");
  expect(body).toMatchObject({
    "trashed?": expect.anything(),
    reviews: [{}, { due: { date: "2026-12-24T10:00:00.000Z" } }],
  });
  expect((await ask("GET", "/decks/deck0001")).body).toMatchObject({ "archived?": true });
});

test("changes nothing where the same batch comes again, and answers what is there then", async () => {
  const { ask, batch } = await client();
  await batch(...everything);
  const before = await ask("GET", "/cards/card0001");
  const again = await batch(...everything);
  expect(statusesOf(again)).toEqual([200, 200, 200, 200, 200, 200]);
  expect(resultsOf(again).map((result) => result["before?"])).toEqual([
    ...[true, true, true],
    ...[undefined, undefined, undefined],
  ]);
  const after = await ask("GET", "/cards/card0001");
  expect(after.body["reviews"]).toEqual(before.body["reviews"]);
  await ask("DELETE", "/cards/card0001");
  expect(statusesOf(await batch(...everything))).toEqual([200, 200, 204, 404, 404, 200]);
  expect(docsOf(await ask("GET", "/cards"))).toEqual([]);
});

test("skips what is refused, and reports it in its place as it would be refused alone", async () => {
  const { ask, deck, batch } = await client();
  const alone = await ask("POST", "/cards", { content: 7, "deck-id": "none" });
  const answer = await batch(
    { "cards.create": { id: "card0001", content: "a", "deck-id": deck } },
    { "cards.create": { id: "card0002", content: 7, "deck-id": "none" } },
    { "cards.create": { id: "card0001", content: "other", "deck-id": deck } },
    { "cards.create": { content: "no id", "deck-id": deck } },
    { id: "nowhere0", "cards.update": { content: "x" } },
    { id: "card0001", "reviews.add": { reviews: [{ date: "soon", "remembered?": true }] } },
    { nothing: {} },
    { id: "card0001", "cards.update": { content: "b" }, "decks.update": {} },
    { "cards.create": { id: "card0003", content: "c", "deck-id": deck } },
  );
  expect(statusesOf(answer)).toEqual([200, 422, 409, 422, 404, 422, 422, 422, 200]);
  expect(resultsOf(answer)[1]?.["errors"]).toEqual(alone.body["errors"]);
  expect(docsOf(await ask("GET", "/cards")).map(({ content }) => content)).toEqual(["a", "c"]);
});

test("updates what still has the entity tag, or is already what the update makes of it", async () => {
  const { ask, deck, batch } = await client();
  await ask("POST", "/cards", { id: "card0001", content: "a", "deck-id": deck });
  const tagOf = async (path: string) => (await ask("GET", path)).headers["etag"] ?? "";
  const tag = await tagOf("/cards/card0001");
  const update = { id: "card0001", "if-match": tag, "cards.update": { content: "b" } };
  expect(statusesOf(await batch(update))).toEqual([200]);
  expect(statusesOf(await batch(update))).toEqual([200]);
  await ask("POST", "/cards/card0001", { content: "c" });
  expect(statusesOf(await batch(update))).toEqual([412]);
  const rename = { id: deck, "if-match": await tagOf(`/decks/${deck}`), "decks.update": { name: "e" } };
  expect(statusesOf(await batch(rename))).toEqual([200]);
  expect(statusesOf(await batch(rename))).toEqual([200]);
  // Alone an update with an old tag is refused, whatever it makes of the document.
  const alone = await ask("POST", "/cards/card0001", { content: "c" }, { "if-match": tag });
  expect(alone.status).toBe(412);
});

test("answers in transit where a batch comes in transit", async () => {
  const { ask, deck } = await client();
  const type = "application/transit+json";
  const body = {
    "~:operations": [
      {
        "~:cards.create": {
          "~:id": "~:card0001",
          "~:content": "x",
          "~:deck-id": `~:${deck}`,
          "~:tags": { "~#set": ["a", "b"] },
        },
      },
      { "~:id": "~:card0001", "~:cards.update": { "~:trashed?": "2026-11-19T10:00:00.000Z" } },
    ],
  };
  const answer = await ask("POST", "/batch", JSON.stringify(body), { "content-type": type, accept: type });
  expect(answer.body).toMatchObject({
    "~:results": [
      { "~:status": 200, "~:card": { "~:id": "~:card0001", "~:tags": { "~#set": ["a", "b"] } } },
      { "~:status": 200, "~:card": { "~:trashed?": expect.anything() } },
    ],
  });
});

test("takes 500 operations or 4 MB, and no more", async () => {
  const { ask, deck, batch } = await client();
  const cards = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      "cards.create": { id: `card${String(at).padStart(4, "0")}`, content: `${at}`, "deck-id": deck },
    }));
  expect(await batch(...cards(501))).toMatchObject({
    status: 422,
    body: { errors: { operations: expect.any(String) } },
  });
  const answer = await batch(...cards(500));
  expect(new Set(statusesOf(answer))).toEqual(new Set([200]));
  expect((await ask("GET", `/decks/${deck}`)).body["card-count"]).toBe(500);
  const large = { "cards.create": { id: "large001", content: "x".repeat(4_300_000), "deck-id": deck } };
  expect((await batch(large)).status).toBe(413);
  expect((await ask("POST", "/batch", {})).body).toMatchObject({
    errors: { operations: expect.any(String) },
  });
});

test("undoes all where one of the operations fails by a fault of the service", async () => {
  let [calls, failing] = [0, false];
  const application = await openTestApplication({
    now() {
      calls++;
      if (failing && calls === 3) throw new Error("no clock");
      return 0;
    },
  });
  const ask = rawClient(application);
  const deck = idOf(await ask("POST", "/decks", { name: "d" }));
  const operations = [1, 2, 3, 4].map((at) => ({
    "cards.create": { id: `card000${at}`, content: `${at}`, "deck-id": deck },
  }));
  [failing, calls] = [true, 0];
  expect((await ask("POST", "/batch", { operations })).status).toBe(500);
  failing = false;
  expect(docsOf(await ask("GET", "/cards"))).toEqual([]);
  expect(statusesOf(await ask("POST", "/batch", { operations }))).toEqual([200, 200, 200, 200]);
});
