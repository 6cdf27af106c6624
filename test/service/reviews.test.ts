import fc from "fast-check";
import { expect, test } from "vitest";
import { Days } from "../../src/schedule/days.ts";
import { Scheduler } from "../../src/schedule/index.ts";
import { docsOf, idOf, type Loose, type RawAnswer, rawClient } from "../support/requests.ts";
import { openTestApplication, openTestStore } from "../support/service.ts";

const day = 86_400_000;
const start = Date.parse("2024-11-20T12:00:00.000Z");
const iso = (ms: number) => new Date(ms).toISOString();

async function withCard(options: Parameters<typeof openTestApplication>[0] = {}) {
  const clock = { now: start };
  const application = await openTestApplication({
    now: () => clock.now,
    days: { timeZone: "UTC" },
    learning: { balance: false },
    ...options,
  });
  const ask = rawClient(application);
  const deck = idOf(await ask("POST", "/decks", { name: "d" }));
  const newCard = async () =>
    `/cards/${idOf(await ask("POST", "/cards", { content: "x", "deck-id": deck }))}`;
  return { ask, clock, path: await newCard(), newCard, application };
}

const scheduler = new Scheduler({ days: new Days({ timeZone: "UTC" }) });
const reviewsOf = ({ body }: RawAnswer) => body["reviews"] as unknown as Loose[];
const intervals = (answer: RawAnswer) =>
  reviewsOf(answer).map((review) => {
    const instant = (name: string) => Date.parse(String(review[name]?.["date"]));
    return (instant("due") - instant("date")) / day;
  });

test("records a review with its due instant, and answers the card", async () => {
  const { ask, path } = await withCard();
  const before = (await ask("GET", path)).body;
  const answer = await ask("POST", `${path}/reviews`, {
    date: "2024-11-20T13:00:00+01:00",
    "remembered?": true,
    duration: 3.25,
  });
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({
    ...before,
    "new?": false,
    reviews: [
      {
        date: { date: "2024-11-20T12:00:00.000Z" },
        due: { date: expect.any(String) },
        "remembered?": true,
        duration: 3.25,
      },
    ],
  });
  expect((await ask("GET", path)).body).toEqual(answer.body);
  expect(docsOf(await ask("GET", "/cards"))).toEqual([answer.body]);
});

test("uses the current time as the date, and leaves out a duration that was not given", async () => {
  const { ask, path, clock } = await withCard();
  clock.now += 5_000;
  const [review] = reviewsOf(await ask("POST", `${path}/reviews`, { "remembered?": false }));
  expect(review?.["date"]).toEqual({ date: iso(start + 5_000) });
  expect(review).not.toHaveProperty("duration");
});

test("schedules in whole days: a remembered card with growing intervals, a forgotten one from the start", async () => {
  const { ask, path } = await withCard();
  let at = start;
  let answer: RawAnswer | undefined;
  for (const remembered of [true, true, true, false, true]) {
    answer = await ask("POST", `${path}/reviews`, { date: iso(at), "remembered?": remembered });
    at += (intervals(answer).at(-1) as number) * day;
  }
  const found = intervals(answer as RawAnswer);
  // FSRS with its default parameters: a change of the library that moves them is to be noticed.
  expect(found).toEqual([2, 11, 46, 3, 8]);
});

test("changes nothing when the same date is sent again, whatever the outcome", async () => {
  const { ask, path } = await withCard();
  const review = { date: iso(start), "remembered?": true, duration: 2 };
  const first = await ask("POST", `${path}/reviews`, review);
  for (const again of [review, { ...review, "remembered?": false, duration: 9 }])
    expect(await ask("POST", `${path}/reviews`, again)).toMatchObject({ status: 200, body: first.body });
});

test("undoes a review", async () => {
  const { ask, path } = await withCard();
  const before = (await ask("GET", path)).body;
  const one = await ask("POST", `${path}/reviews`, { date: iso(start), "remembered?": true });
  await ask("POST", `${path}/reviews`, { date: iso(start + day), "remembered?": false });
  const last = encodeURIComponent(iso(start + day));
  expect(await ask("DELETE", `${path}/reviews/${last}`)).toMatchObject({ status: 204, text: "" });
  expect((await ask("GET", path)).body).toEqual(one.body);
  expect((await ask("DELETE", `${path}/reviews/${last}`)).status).toBe(404);
  expect((await ask("DELETE", `${path}/reviews/2024-11-20T12:00:00Z`)).status).toBe(204);
  expect((await ask("GET", path)).body).toEqual(before);
  expect((await ask("DELETE", `${path}/reviews/yesterday`)).status).toBe(404);
  expect((await ask("DELETE", `/cards/nothere1/reviews/${last}`)).status).toBe(404);
});

test.each([
  [{}, ["remembered?"]],
  [{ "remembered?": null }, ["remembered?"]],
  [{ "remembered?": "yes", date: "soon", duration: -1 }, ["remembered?", "date", "duration"]],
  [{ "remembered?": true, duration: "3" }, ["duration"]],
  [{ "remembered?": true, date: "+012024-11-20T12:00:00.000Z" }, ["date"]],
])("refuses the review %j", async (body, fields) => {
  const { ask, path } = await withCard();
  const answer = await ask("POST", `${path}/reviews`, body);
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.body["errors"] ?? {}).sort()).toEqual([...fields].sort());
  expect((await ask("GET", path)).body["reviews"]).toEqual([]);
});

test("accepts reviews of all years to 9999, in any order", async () => {
  const { ask, path } = await withCard();
  const years = ["1900", "0001", "0050", "0100", "0099", "9999", "1901"];
  for (const year of years) {
    const date = `${year}-01-01T00:00:00.000Z`;
    expect((await ask("POST", `${path}/reviews`, { date, "remembered?": true })).status).toBe(200);
  }
  expect(reviewsOf(await ask("GET", path))).toHaveLength(years.length);
});

test("answers 404 for a review of a card that does not exist", async () => {
  const { ask } = await withCard();
  expect((await ask("POST", "/cards/nothere1/reviews", { "remembered?": true })).status).toBe(404);
});

test("counts an imported history: each due follows from the reviews up to it, in whatever order they came", async () => {
  const { ask, newCard } = await withCard();
  const history = fc.uniqueArray(
    fc.record({ at: fc.integer({ min: start - 900 * day, max: start }), remembered: fc.boolean() }),
    { selector: ({ at }) => at, minLength: 1, maxLength: 8 },
  );
  await fc.assert(
    fc.asyncProperty(history, fc.infiniteStream(fc.nat()), async (reviews, order) => {
      const path = await newCard();
      const left = [...reviews];
      let answer: RawAnswer | undefined;
      while (left.length > 0) {
        const [{ at, remembered } = { at: 0, remembered: false }] = left.splice(
          (order.next().value as number) % left.length,
          1,
        );
        answer = await ask("POST", `${path}/reviews`, { date: iso(at), "remembered?": remembered });
      }
      const sorted = [...reviews].sort((a, b) => a.at - b.at);
      const dues = reviewsOf(answer as RawAnswer).map((review) => review["due"]?.["date"]);
      const expected = sorted.map((_, index) =>
        scheduler.due(
          sorted
            .slice(0, index + 1)
            .map(({ at, remembered }) => ({ date: iso(at), "remembered?": remembered })),
        ),
      );
      expect(dues).toEqual(expected);
      const other = await newCard();
      const history = reviews.map(({ at, remembered }) => ({ date: iso(at), "remembered?": remembered }));
      const half = Math.floor(history.length / 2);
      await ask("POST", `${other}/history`, { reviews: history.slice(half) });
      const atOnce = await ask("POST", `${other}/history`, { reviews: [...history, ...history] });
      expect(reviewsOf(atOnce)).toEqual(reviewsOf(answer as RawAnswer));
    }),
    { numRuns: 30 },
  );
});

test("asks for a card sooner where more is to be remembered", async () => {
  const days = async (retention: number) => {
    const { ask, path } = await withCard({ learning: { retention, balance: false } });
    await ask("POST", `${path}/reviews`, { date: iso(start), "remembered?": true });
    const answer = await ask("POST", `${path}/reviews`, { date: iso(start + 3 * day), "remembered?": true });
    return intervals(answer).at(-1) as number;
  };
  expect(await days(0.97)).toBeLessThan(await days(0.8));
});

test("does not count a review as a change of the card", async () => {
  const { ask, path, clock } = await withCard();
  clock.now += day;
  const answer = await ask("POST", `${path}/reviews`, { "remembered?": true });
  expect(answer.body["updated-at"]).toEqual({ date: iso(start) });
});

test("deletes the reviews with their card", async () => {
  const { ask, path } = await withCard();
  await ask("POST", `${path}/reviews`, { date: iso(start), "remembered?": true });
  await ask("DELETE", path);
  expect((await ask("DELETE", `${path}/reviews/${encodeURIComponent(iso(start))}`)).status).toBe(404);
});

test("refuses more reviews than a card may have, and keeps those that it has", async () => {
  const { ask, path, application } = await withCard();
  const card = path.slice("/cards/".length);
  const store = await openTestStore(application);
  const row = { account: "default", card_id: card, due: 1e12, due_given: 0, remembered: 1, duration: null };
  const reviews = Array.from({ length: 4_999 }, (_, at) => ({ ...row, date: 1e12 + at * 3_600_000 }));
  await store.write("default", async (db) => {
    for (let at = 0; at < reviews.length; at += 1000)
      await db
        .insertInto("review")
        .values(reviews.slice(at, at + 1000))
        .execute();
  });
  await store.close();
  const review = (date: string) => ask("POST", `${path}/reviews`, { "remembered?": true, date });
  // Before all others, so that each of them is due at another time.
  expect((await review("2000-01-01T00:00:00.000Z")).body["reviews"]).toHaveLength(5_000);
  expect(await review("2000-01-02T00:00:00.000Z")).toMatchObject({
    status: 403,
    body: { errors: ["a card may have at most 5000 reviews"] },
  });
  expect((await review("2000-01-01T00:00:00.000Z")).status).toBe(200);
  const add = (...dates: string[]) =>
    ask("POST", `${path}/history`, { reviews: dates.map((date) => ({ "remembered?": true, date })) });
  expect((await add("2000-01-01T00:00:00.000Z", "2000-01-02T00:00:00.000Z")).status).toBe(403);
  expect((await add("2000-01-01T00:00:00.000Z")).body["reviews"]).toHaveLength(5_000);
});

test("adds a history with the due instants that came with it, and computes the others", async () => {
  const { ask, path } = await withCard();
  const due = iso(start + 40 * day);
  const reviews = [
    { date: iso(start + day), "remembered?": true, due },
    { date: iso(start), "remembered?": false, duration: 2.5 },
  ];
  const answer = await ask("POST", `${path}/history`, { reviews });
  expect(reviewsOf(answer)).toEqual([
    { date: { date: iso(start) }, due: { date: expect.any(String) }, "remembered?": false, duration: 2.5 },
    { date: { date: iso(start + day) }, due: { date: due }, "remembered?": true },
  ]);
  expect(intervals(answer)[0]).toBe(1);
  expect((await ask("GET", path)).body).toEqual(answer.body);
  expect((await ask("POST", `${path}/history`, { reviews: [] })).body).toEqual(answer.body);
});

test("adds nothing of a history of which one review is refused", async () => {
  const { ask, path } = await withCard();
  const good = { date: iso(start), "remembered?": true };
  const refused = [
    [{ ...good, date: "+010000-01-01T00:00:00Z" }, "has an item that date is too far in the future"],
    [{ ...good, due: "-000001-01-01T00:00:00Z" }, "has an item that due is too far in the past"],
    [{ "remembered?": true }, "has an item that date is required and cannot be nil"],
  ] as const;
  for (const [review, problem] of refused)
    expect(await ask("POST", `${path}/history`, { reviews: [good, review] })).toMatchObject({
      status: 422,
      body: { errors: { reviews: problem } },
    });
  expect((await ask("POST", `${path}/history`, {})).status).toBe(422);
  expect((await ask("POST", "/cards/nothere1/history", { reviews: [good] })).status).toBe(404);
  expect(reviewsOf(await ask("GET", path))).toEqual([]);
});
