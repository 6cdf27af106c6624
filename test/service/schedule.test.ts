import { default_w } from "ts-fsrs";
import { expect, test } from "vitest";
import { Days } from "../../src/schedule/days.ts";
import { Scheduler } from "../../src/schedule/index.ts";
import { idOf, type RawAnswer, rawClient } from "../support/requests.ts";
import { openTestApplication } from "../support/service.ts";

const noon = Date.parse("2026-11-20T12:00:00.000Z");
const reviews = ["2026-11-01", "2026-11-05"].map((day) => ({
  date: `${day}T12:00:00.000Z`,
  "remembered?": true,
}));
const slower = default_w.map((w, index) => (index === 2 ? w * 3 : w));

async function client() {
  const application = await openTestApplication({
    now: () => noon,
    days: { timeZone: "UTC" },
    learning: { balance: false },
  });
  const ask = rawClient(application);
  const deck = idOf(await ask("POST", "/decks", { name: "d" }));
  const card = async () => {
    const id = idOf(await ask("POST", "/cards", { content: "x", "deck-id": deck }));
    for (const review of reviews) await ask("POST", `/cards/${id}/reviews`, review);
    return id;
  };
  const dueOf = async (id: string) =>
    (
      ((await ask("GET", `/cards/${id}`)).body as RawAnswer["body"])["reviews"] as unknown as {
        due: { date: string };
      }[]
    ).at(-1)?.due.date;
  return { ask, card, dueOf };
}

const dueBy = (parameters: readonly number[]) =>
  new Scheduler({ days: new Days({ timeZone: "UTC" }), parameters }).due(reviews);

test("answers the defaults until parameters are set, and again after they are deleted", async () => {
  const { ask } = await client();
  const defaults = { retention: 0.9, w: [...default_w], "trained-at": null, version: 6 };
  expect(await ask("GET", "/schedule")).toMatchObject({ status: 200, body: defaults });
  const set = { w: slower, "trained-at": "2026-11-20T12:00:00.000Z", reviews: 500, "log-loss": 0.3 };
  expect(await ask("PUT", "/schedule", set)).toMatchObject({ status: 200, body: set });
  expect(await ask("GET", "/schedule")).toMatchObject({ body: { ...set, retention: 0.9 } });
  expect((await ask("DELETE", "/schedule")).status).toBe(204);
  expect(await ask("GET", "/schedule")).toMatchObject({ body: defaults });
});

test("moves due dates only where that is asked for, and says how many", async () => {
  const { ask, card, dueOf } = await client();
  const id = await card();
  expect(await dueOf(id)).toBe(dueBy(default_w));
  await ask("PUT", "/schedule", { w: slower });
  expect(await dueOf(id)).toBe(dueBy(default_w));
  expect(await ask("PUT", "/schedule", { w: slower, reschedule: true })).toMatchObject({
    body: { moved: 1 },
  });
  expect(await dueOf(id)).toBe(dueBy(slower));
  expect(await ask("PUT", "/schedule", { reschedule: true })).toMatchObject({ body: { moved: 0 } });
});

test("computes the next review with the parameters of the account", async () => {
  const { ask, card, dueOf } = await client();
  await ask("PUT", "/schedule", { w: slower });
  expect(await dueOf(await card())).toBe(dueBy(slower));
});

test("refuses parameters that are not 21 numbers, and a retention out of bounds", async () => {
  const { ask } = await client();
  expect(await ask("PUT", "/schedule", { w: [1, 2] })).toMatchObject({
    status: 422,
    body: { errors: { w: "must be 21 numbers" } },
  });
  expect(await ask("PUT", "/schedule", { retention: 2 })).toMatchObject({ status: 422 });
});

test("moves the due dates of one deck to its own retention, after counting them, and keeps the others", async () => {
  const { ask, card, dueOf } = await client();
  const id = await card();
  const other = idOf(await ask("POST", "/decks", { name: "other", retention: 0.7 }));
  const elsewhere = idOf(await ask("POST", "/cards", { content: "y", "deck-id": other }));
  for (const review of reviews) await ask("POST", `/cards/${elsewhere}/reviews`, review);
  await ask("POST", `/decks/${other}`, { retention: 0.95 });
  const before = [await dueOf(id), await dueOf(elsewhere)];
  const put = { reschedule: true, "deck-id": other };
  const counted = await ask("PUT", "/schedule", { ...put, preview: true });
  expect(counted).toMatchObject({ body: { moved: 1, later: 0 } });
  expect([await dueOf(id), await dueOf(elsewhere)]).toEqual(before);
  expect(await ask("PUT", "/schedule", put)).toMatchObject({
    body: { moved: 1, days: counted.body["days"] },
  });
  expect(await dueOf(id)).toBe(before[0]);
  expect(Date.parse((await dueOf(elsewhere)) ?? "")).toBeLessThan(Date.parse(before[1] ?? ""));
  // What applies to the account takes each deck's own.
  expect(await ask("PUT", "/schedule", { reschedule: true })).toMatchObject({ body: { moved: 0 } });
});

test("counts with other parameters without keeping them, and a reset keeps how days are shared", async () => {
  const { ask, card } = await client();
  await card();
  const counted = await ask("PUT", "/schedule", { w: slower, reschedule: true, preview: true });
  expect(counted).toMatchObject({ body: { moved: 1, later: 1 } });
  expect((await ask("GET", "/schedule")).body["w"]).toEqual([...default_w]);
  await ask("PUT", "/schedule", { "easy-days": "sun 0", w: slower });
  await ask("DELETE", "/schedule");
  expect((await ask("GET", "/schedule")).body).toMatchObject({ "easy-days": "sun 0", w: [...default_w] });
});
