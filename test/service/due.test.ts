import { expect, test } from "vitest";
import { docsOf, idOf, type Loose, type RawAnswer, rawClient } from "../support/requests.ts";
import { openTestApplication, openTestStore } from "../support/service.ts";

const day = 86_400_000;
const noon = Date.parse("2024-11-20T12:00:00.000Z");

async function client() {
  const clock = { now: noon };
  const application = await openTestApplication({ now: () => clock.now, days: { timeZone: "UTC" } });
  const ask = rawClient(application);
  const deck = async (body: object = {}) => idOf(await ask("POST", "/decks", { name: "d", ...body }));
  const card = async (deckId: string, body: object = {}) =>
    idOf(await ask("POST", "/cards", { content: "x", "deck-id": deckId, ...body }));
  const due = async (path = "/due") => cardsOf(await ask("GET", path)).map((found) => String(found["id"]));
  return { ask, deck, card, due, clock, application };
}

const cardsOf = ({ body }: RawAnswer) => body["cards"] as unknown as Loose[];

test("answers exactly the documented keys, and attachments as a map", async () => {
  const { ask, deck, card } = await client();
  const id = await card(await deck(), { content: "Paris #city", "manual-tags": ["x"] });
  const form =
    '--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\ncontent-type: image/png\r\n\r\nabc\r\n--b--';
  await ask("POST", `/cards/${id}/attachments/map.png`, form, {
    "content-type": "multipart/form-data; boundary=b",
  });
  const answer = await ask("GET", "/due");
  expect(answer.body).toEqual({
    cards: [
      {
        id,
        content: "Paris #city",
        name: "Paris #city",
        "deck-id": expect.any(String),
        attachments: { "map.png": { size: 3, type: "image/png" } },
        pos: "a1",
        reviews: [],
        "created-at": { date: "2024-11-20T12:00:00.000Z" },
        "new?": true,
      },
    ],
  });
  for (const whole of [docsOf(await ask("GET", "/cards"))[0], (await ask("GET", `/cards/${id}`)).body])
    expect(whole).toMatchObject({
      attachments: { "map.png": { size: 3, type: "image/png" } },
      "manual-tags": ["x"],
      tags: ["x", "city"],
    });
  await ask("DELETE", `/cards/${id}/attachments/map.png`);
  expect((await ask("GET", `/cards/${id}`)).body["attachments"]).toEqual({});
});

test("writes review instants in transit as the document has them, all others as dt", async () => {
  const { ask, deck, card } = await client();
  const id = await card(await deck());
  await ask("POST", `/cards/${id}/reviews`, { "remembered?": false, date: "2024-11-01T12:00:00.000Z" });
  const headers = { accept: "application/transit+json" };
  const first = (list: Loose | undefined) => (list as unknown as Loose[])[0] ?? {};
  const due = first((await ask("GET", "/due", undefined, headers)).body["~:cards"]);
  const review = first(due["~:reviews"]);
  expect(review["~:date"]).toBe(`~t${Date.parse("2024-11-01T12:00:00.000Z")}`);
  expect(review["~:due"]).toMatch(/^~t\d+$/);
  expect(due["~:created-at"]).toEqual({ "~#dt": noon });
  const whole = await ask("GET", `/cards/${id}`, undefined, headers);
  expect(first(whole.body["~:reviews"])["~:date"]).toEqual({
    "~#dt": expect.any(Number),
  });
});

test("orders reviewed cards by due instant, then new ones in deck order", async () => {
  const { ask, deck, card, due } = await client();
  const second = await deck({ sort: 2 });
  const first = await deck({ sort: 1 });
  const newSecond = await card(second);
  const newFirstB = await card(first, { pos: "b" });
  const newFirstA = await card(first, { pos: "a" });
  const reviewed: string[] = [];
  for (const date of ["2024-09-03", "2024-09-01", "2024-09-02"]) {
    const id = await card(second);
    await ask("POST", `/cards/${id}/reviews`, { "remembered?": false, date: `${date}T00:00:00.000Z` });
    reviewed.push(id);
  }
  expect(await due()).toEqual([reviewed[1], reviewed[2], reviewed[0], newFirstA, newFirstB, newSecond]);
});

test("reports a card as due on its day and later, not earlier", async () => {
  const { ask, deck, card, due } = await client();
  const id = await card(await deck());
  const answer = await ask("POST", `/cards/${id}/reviews`, { "remembered?": true });
  const [review] = answer.body["reviews"] as unknown as Loose[];
  const at = Date.parse(String(review?.["due"]?.["date"]));
  expect(at).toBeGreaterThanOrEqual(noon + day);
  const on = (instant: number) => due(`/due?date=${new Date(instant).toISOString()}`);
  const startOfDay = at - (at % day) + 4 * 3_600_000;
  expect(await on(startOfDay - 1)).toEqual([]);
  expect(await on(startOfDay)).toEqual([id]);
  expect(await on(startOfDay + day)).toEqual([id]);
});

test("has a card due from 04:00 of its date, also where it was reviewed after midnight", async () => {
  const { ask, deck, card, due, clock } = await client();
  const id = await card(await deck());
  const review = { "remembered?": true, date: "2024-11-18T03:59:00.000Z" };
  expect(await ask("POST", `/cards/${id}/reviews`, review)).toMatchObject({
    body: { reviews: [{ due: { date: "2024-11-19T12:00:00.000Z" } }] },
  });
  expect(await due("/due?date=2024-11-18")).toEqual([]);
  expect(await due("/due?date=2024-11-19")).toEqual([id]);
  clock.now = Date.parse("2024-11-19T03:59:59.999Z");
  expect(await due()).toEqual([]);
  clock.now += 1;
  expect(await due()).toEqual([id]);
});

test("keeps the days of each account: its time zone, and when its days begin", async () => {
  const { ask, deck, card, due, clock, application } = await client();
  const id = await card(await deck());
  await application.setDays("another", { timeZone: "Asia/Kathmandu", startsAt: 0 });
  expect(await application.setDays("default", { timeZone: "Pacific/Auckland" })).toEqual({
    timeZone: "Pacific/Auckland",
    startsAt: null,
  });
  // 08:00 and 14:00 of one day in Auckland are two dates in UTC.
  await ask("POST", `/cards/${id}/reviews`, { "remembered?": true, date: "2024-11-17T19:00:00.000Z" });
  const once = await ask("POST", `/cards/${id}/reviews`, {
    "remembered?": true,
    date: "2024-11-18T01:00:00.000Z",
  });
  expect(once.body["reviews"]).toMatchObject([
    { due: { date: "2024-11-19T23:00:00.000Z" } },
    { due: { date: "2024-11-19T23:00:00.000Z" } },
  ]);
  clock.now = Date.parse("2024-11-19T14:59:59.999Z");
  expect(await due()).toEqual([]);
  clock.now += 1;
  expect(await due()).toEqual([id]);
  expect(await application.setDays("default", { startsAt: 0 })).toMatchObject({
    timeZone: "Pacific/Auckland",
  });
  clock.now = Date.parse("2024-11-19T11:00:00.000Z");
  expect(await due()).toEqual([id]);
});

test("defaults to today, and accepts any form of a date", async () => {
  const { ask, deck, card, due, clock } = await client();
  const id = await card(await deck());
  await ask("POST", `/cards/${id}/reviews`, { "remembered?": false });
  expect(await due()).toEqual([]);
  clock.now += day;
  expect(await due()).toEqual([id]);
  expect(await due("/due?date=2024-11-20")).toEqual([]);
  expect(await due("/due?date=2024-11-21")).toEqual([id]);
  expect(await due("/due?date=2024-11-21T00:30:00%2B02:00")).toEqual([]);
  expect(await due("/due?date=2024-11-21T10:00Z")).toEqual([id]);
});

test.each(["tomorrow", "2024-13-01", "2024-02-30", "1732060800000", ""])(
  "refuses the date %j",
  async (date) => {
    const { ask, deck } = await client();
    const id = await deck();
    for (const path of ["/due", `/due/${id}`])
      expect(await ask("GET", `${path}?date=${date}`)).toMatchObject({
        status: 422,
        body: { errors: { date: expect.any(String) } },
      });
  },
);

test("answers one deck's own cards only, not those of decks under it", async () => {
  const { ask, deck, card, due } = await client();
  const parent = await deck();
  const child = await deck({ "parent-id": parent });
  const own = await card(parent);
  const below = await card(child);
  expect(await due(`/due/${parent}`)).toEqual([own]);
  expect(await due(`/due/${child}`)).toEqual([below]);
  expect((await ask("GET", "/due/nowhere1")).status).toBe(404);
});

test("leaves out cards that are archived or trashed, until they are restored", async () => {
  const { ask, deck, card, due } = await client();
  const id = await card(await deck());
  for (const [away, back] of [
    [{ "archived?": true }, { "archived?": false }],
    [{ "trashed?": "2024-11-20T23:00:00.000Z" }, { "trashed?": null }],
  ]) {
    await ask("POST", `/cards/${id}`, away);
    expect(await due()).toEqual([]);
    await ask("POST", `/cards/${id}`, back);
    expect(await due()).toEqual([id]);
  }
  expect(await card(await deck(), { "archived?": true }).then(() => due())).toEqual([id]);
});

test("leaves out cards under an archived or trashed deck at any depth", async () => {
  const { ask, deck, card, due } = await client();
  const top = await deck();
  const middle = await deck({ "parent-id": top });
  const bottom = await deck({ "parent-id": middle });
  const id = await card(bottom);
  for (const at of [top, middle, bottom]) {
    await ask("POST", `/decks/${at}`, { "archived?": true });
    expect(await due()).toEqual([]);
    await ask("POST", `/decks/${at}`, { "archived?": false, "trashed?": "2024-11-20T23:00:00.000Z" });
    expect(await due()).toEqual([]);
    expect(await due(`/due/${bottom}`)).toEqual([]);
    await ask("POST", `/decks/${at}`, { "trashed?": null });
    expect(await due()).toEqual([id]);
  }
  await ask("POST", `/decks/${top}`, { "archived?": true });
  await ask("POST", `/decks/${middle}`, { "archived?": true });
  await ask("POST", `/decks/${top}`, { "archived?": false });
  expect(await due()).toEqual([]);
  const late = await deck({ "parent-id": middle });
  await card(late);
  expect(await due()).toEqual([]);
});

test("follows decks and cards that are moved", async () => {
  const { ask, deck, card, due } = await client();
  const archived = await deck({ "archived?": true });
  const moving = await deck();
  const id = await card(moving);
  await ask("POST", `/decks/${moving}`, { "parent-id": archived });
  expect(await due()).toEqual([]);
  await ask("POST", `/decks/${moving}`, { "parent-id": null });
  expect(await due()).toEqual([id]);
  await ask("POST", `/cards/${id}`, { "deck-id": archived });
  expect(await due()).toEqual([]);
});

test("leaves out cards in or under a deleted deck until they are moved", async () => {
  const { ask, deck, card, due } = await client();
  const parent = await deck();
  const child = await deck({ "parent-id": parent });
  const orphan = await card(parent);
  const below = await card(child);
  await ask("DELETE", `/decks/${parent}`);
  expect(await due()).toEqual([]);
  expect(await due(`/due/${child}`)).toEqual([]);
  await ask("POST", `/decks/${child}`, { "parent-id": null });
  expect(await due()).toEqual([below]);
  await ask("POST", `/cards/${orphan}`, { "deck-id": child });
  expect((await due()).sort()).toEqual([orphan, below].sort());
});

test("answers no due cards for decks in a cycle, and terminates", async () => {
  const { ask, deck, card, due, application } = await client();
  const a = await deck();
  const b = await deck({ "parent-id": a });
  const id = await card(b);
  // The service lets no circle come about; a store may still hold one.
  const store = await openTestStore(application);
  await store.write("default", (db) =>
    db.updateTable("deck").set({ parent_id: b }).where("id", "=", a).execute(),
  );
  await store.close();
  await ask("POST", `/decks/${a}`, { "archived?": true });
  expect(await due()).toEqual([]);
  await ask("POST", `/decks/${a}`, { "archived?": false });
  expect(await due()).toEqual([]);
  await ask("POST", `/decks/${a}`, { "parent-id": null });
  expect(await due()).toEqual([id]);
});
