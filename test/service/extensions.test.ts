import { Readable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { docsOf, idOf, type Loose, type RawAnswer, rawClient } from "../support/requests.ts";
import { openTestApplication } from "../support/service.ts";

const noon = Date.parse("2024-11-20T12:00:00.000Z");

async function client() {
  const application = await openTestApplication({ now: () => noon, days: { timeZone: "UTC" } });
  const ask = rawClient(application);
  const deck = idOf(await ask("POST", "/decks", { name: "d" }));
  const card = async (body: object = {}) =>
    idOf(await ask("POST", "/cards", { content: "x", "deck-id": deck, ...body }));
  return { application, ask, deck, card };
}

const reviewsOf = ({ body }: RawAnswer) =>
  (body["reviews"] as unknown as { date: { date: string }; due: { date: string } }[]).map(({ date, due }) => [
    date.date,
    due.date,
  ]);

test("keeps the due instant of a review that brings one, until the next review", async () => {
  const { ask, card } = await client();
  const path = `/cards/${await card()}/reviews`;
  const due = "2025-01-02T13:04:05.678Z";
  const first = { date: "2024-11-01T12:00:00.000Z", "remembered?": true };
  const given = { date: "2024-11-05T12:00:00.000Z", "remembered?": true, due };
  await ask("POST", path, first);
  expect(reviewsOf(await ask("POST", path, given))).toEqual([
    [first.date, expect.any(String)],
    [given.date, due],
  ]);
  const dueOn = async (date: string) =>
    ((await ask("GET", `/due?date=${date}`)).body["cards"] as unknown as unknown[]).length;
  expect([await dueOn("2025-01-01"), await dueOn("2025-01-02")]).toEqual([0, 1]);
  // One that arrives late does not change it, one that follows replaces it.
  const late = await ask("POST", path, { date: "2024-11-03T12:00:00.000Z", "remembered?": false });
  expect(reviewsOf(late).at(-1)).toEqual([given.date, due]);
  const next = await ask("POST", path, { date: "2024-11-10T12:00:00.000Z", "remembered?": false });
  expect(reviewsOf(next).at(-1)?.[1]).toMatch(/^2024-11-1/);
  expect(reviewsOf(next).at(-2)).toEqual([given.date, due]);
  await ask("DELETE", `${path}/2024-11-10T12:00:00.000Z`);
  expect([await dueOn("2025-01-01"), await dueOn("2025-01-02")]).toEqual([0, 1]);
});

test("refuses a due instant that does not parse, is too far in the future, or is null", async () => {
  const { ask, card } = await client();
  const path = `/cards/${await card()}/reviews`;
  for (const due of ["soon", "+010000-01-01T00:00:00.000Z", null])
    expect(await ask("POST", path, { "remembered?": true, due })).toMatchObject({
      status: 422,
      body: { errors: { due: expect.any(String) } },
    });
});

test("refuses a review outside the years 0000 to 9999", async () => {
  const { ask, card } = await client();
  const path = `/cards/${await card()}/reviews`;
  for (const date of [
    "-000001-12-31T23:59:59.999Z",
    "-271821-04-20T00:00:00.000Z",
    "+010000-01-01T00:00:00.000Z",
  ])
    expect(await ask("POST", path, { "remembered?": true, date })).toMatchObject({
      status: 422,
      body: { errors: { date: expect.stringContaining("too far") } },
    });
  const first = { "remembered?": true, date: "0000-01-01T00:00:00.000Z" };
  expect((await ask("POST", path, first)).status).toBe(200);
});

test("does nothing for a review after which there is a newer one", async () => {
  const { ask, card } = await client();
  const id = await card();
  const path = `/cards/${id}/reviews`;
  const [one, two, three] = ["2024-11-01", "2024-11-02", "2024-11-03"].map((day) => `${day}T12:00:00.000Z`);
  const send = (date: string | undefined, after: string | null | undefined) =>
    ask("POST", path, { date, after, "remembered?": true });
  expect((await send(one, null)).status).toBe(200);
  expect(await send(two, null)).toMatchObject({ status: 412, body: { errors: [expect.any(String)] } });
  expect((await send(two, one)).status).toBe(200);
  expect((await send(three, one)).status).toBe(412);
  expect(reviewsOf(await ask("GET", `/cards/${id}`))).toHaveLength(2);
  // Sent again, as after a lost answer: the same review.
  expect((await send(two, one)).status).toBe(200);
  expect((await send(three, two)).status).toBe(200);
});

test("answers single documents with a tag that only writable fields change", async () => {
  const { ask, deck, card } = await client();
  const id = await card();
  const tagOf = async () => (await ask("GET", `/cards/${id}`)).headers["etag"];
  const before = await tagOf();
  expect(before).toMatch(/^"[\w-]{22}"$/);
  await ask("POST", `/cards/${id}/reviews`, { "remembered?": true });
  expect(await tagOf()).toBe(before);
  const changed = await ask("POST", `/cards/${id}`, { "manual-tags": ["x"] });
  expect(changed.headers["etag"]).not.toBe(before);
  expect(await tagOf()).toBe(changed.headers["etag"]);
  await ask("POST", `/cards/${id}`, { "manual-tags": [] });
  expect(await tagOf()).toBe(before);
  const transit = await ask("GET", `/cards/${id}`, undefined, { accept: "application/transit+json" });
  expect(transit.headers["etag"]).toBe(before);
  const template = await ask("POST", "/templates", { name: "T", content: "x", fields: {} });
  for (const path of [`/decks/${deck}`, `/templates/${idOf(template)}`])
    expect((await ask("GET", path)).headers["etag"]).toMatch(/^"[\w-]{22}"$/);
});

test("changes and deletes only the document that If-Match names", async () => {
  const { ask, deck, card } = await client();
  for (const [path, first, second] of [
    [`/cards/${await card()}`, { content: "first" }, { content: "second" }],
    [`/decks/${deck}`, { name: "first" }, { name: "second" }],
  ] as const) {
    const tagOf = async () => String((await ask("GET", path)).headers["etag"]);
    const seen = await tagOf();
    expect((await ask("POST", path, first, { "if-match": seen })).status).toBe(200);
    const refused = { status: 412, body: { errors: [expect.any(String)] } };
    expect(await ask("POST", path, second, { "if-match": seen })).toMatchObject(refused);
    expect(await ask("POST", path, second, { "if-match": `W/${await tagOf()}` })).toMatchObject(refused);
    expect(await ask("DELETE", path, undefined, { "if-match": seen })).toMatchObject(refused);
    expect((await ask("GET", path)).body).toMatchObject(first);
    expect((await ask("POST", path, second, { "if-match": `"x", ${await tagOf()}` })).status).toBe(200);
    expect((await ask("POST", path, first, { "if-match": "*" })).status).toBe(200);
    expect((await ask("DELETE", path, undefined, { "if-match": await tagOf() })).status).toBe(204);
  }
});

test("pages through due cards in the order of the whole answer, and answers without a bookmark otherwise", async () => {
  const { ask, deck, card } = await client();
  const other = idOf(await ask("POST", "/decks", { name: "other", sort: -1 }));
  const archived = idOf(await ask("POST", "/decks", { name: "archived", "archived?": true }));
  for (let at = 0; at < 30; at++) {
    const id = await card({ "deck-id": [deck, other, archived][at % 3] });
    const date = new Date(noon - (5 + (at % 7)) * 86_400_000).toISOString();
    if (at % 2 === 0) await ask("POST", `/cards/${id}/reviews`, { date, "remembered?": false });
  }
  const idsOf = ({ body }: RawAnswer) =>
    (body["cards"] as unknown as Loose[]).map((each) => String(each["id"]));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("/due", `/due/${deck}`, `/due/${other}`, `/due/${archived}`),
      fc.integer({ min: 1, max: 25 }),
      async (path, limit) => {
        const whole = await ask("GET", path);
        expect(Object.keys(whole.body)).toEqual(["cards"]);
        const found: string[] = [];
        for (let bookmark = "nil"; ; ) {
          const page = await ask("GET", `${path}?limit=${limit}&bookmark=${bookmark}`);
          found.push(...idsOf(page));
          if (idsOf(page).length < limit) break;
          bookmark = String(page.body["bookmark"]);
        }
        expect(found).toEqual(idsOf(whole));
      },
    ),
    { numRuns: 40, seed: 1 },
  );
  expect(idsOf(await ask("GET", "/due"))).toHaveLength(20);
  const ofDeck = String((await ask("GET", `/due/${deck}?limit=1`)).body["bookmark"]);
  expect((await ask("GET", `/due?bookmark=${ofDeck}`)).status).toBe(422);
  for (const limit of ["0", "101", "x"]) expect((await ask("GET", `/due?limit=${limit}`)).status).toBe(422);
});

test("lists the SHA-256 of attachments, and keeps them in the card", async () => {
  const { application, ask, card } = await client();
  const id = await card();
  const form = '--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\nabc\r\n--b--\r\n';
  const path = `/cards/${id}/attachments/a.txt`;
  await application.as("default").send({
    method: "POST",
    path,
    query: "",
    headers: { "content-type": "multipart/form-data; boundary=b" },
    body: Readable.from([Buffer.from(form)]),
  });
  const sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  for (const list of [`/cards/${id}/attachments`, "/attachments"])
    expect(docsOf(await ask("GET", list))[0]).toMatchObject({ "file-name": "a.txt", size: 3, sha256 });
  const attachments = { "a.txt": { size: 3, type: "text/plain" } };
  expect((await ask("POST", `/cards/${id}`, { content: "y" })).body).toMatchObject({ attachments });
  expect((await ask("POST", `/cards/${id}/reviews`, { "remembered?": true })).body).toMatchObject({
    attachments,
  });
});
