import { expect, onTestFinished, test } from "vitest";
import { fakeService, sendJson } from "../../support/fake-service.ts";
import { onPostgres, startTestServer } from "../../support/service.ts";
import { deckhand } from "../../support/world.ts";

const lines = (text: string) => text.split("\n").filter((line) => line !== "");

async function collection() {
  const clock = { now: new Date(2031, 4, 10, 12).getTime() };
  const d = await deckhand();
  const options = (input?: string) => ({ now: () => clock.now, ...(input === undefined ? {} : { input }) });
  const ok = (...args: string[]) => d.ok(args, options());
  const run = (args: readonly string[], input?: string, more = {}) =>
    d.run(args, { ...options(input), ...more });
  await ok("decks", "create", "Words");
  const ids: string[] = [];
  for (const front of ["one", "two", "three"])
    ids.push((await ok("add", front, "x", "--deck", "Words")).trim());
  const reviews = async (id: string) =>
    JSON.parse(await ok("cards", "get", id, "-o", "json")).reviews as { date: string; due: string }[];
  return { ok, run, ids, reviews, clock };
}

// Elsewhere the service has a clock of its own.
test.skipIf(onPostgres)(
  "due answer records what a review would, a forgotten card comes back today, and due undo takes it back",
  async () => {
    const { ok, ids, reviews, run } = await collection();
    const [one = "", two = ""] = ids;
    expect(await ok("due", "answer", one, "remembered")).toBe(`${one}\n`);
    expect(await ok("due", "answer", two, "forgotten")).toBe(`${two}\n`);
    expect(JSON.parse(await ok("due", "-o", "json"))).toMatchObject({
      today: { new: 1, forgotten: 1 },
      done: { new: 2 },
    });
    // The second answer of the day makes no second review.
    await ok("due", "answer", two, "remembered");
    expect(await reviews(two)).toMatchObject([{ "remembered?": false }]);
    expect(await ok("due", "--count")).toBe("1\n");
    for (const [left, count] of [
      [two, 2],
      [two, 2],
      [one, 3],
    ] as const) {
      expect(await ok("due", "undo")).toBe(`${left}\n`);
      expect(await ok("due", "--count")).toBe(`${count}\n`);
    }
    expect(await reviews(one)).toEqual([]);
    expect(await run(["due", "undo"])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("nothing to take back"),
    });
  },
);

test("due answer makes one review of a card that is named twice as forgotten", async () => {
  const { ok, ids, reviews } = await collection();
  const [one = "", two = ""] = ids;
  await ok("due", "answer", one, two, one, "forgotten");
  expect(await reviews(one)).toMatchObject([{ "remembered?": false }]);
  expect(await reviews(two)).toMatchObject([{ "remembered?": false }]);
});

test("due answer makes no second review of a card that was forgotten on another machine", async () => {
  const { url, key } = await startTestServer();
  const env = { DECKHAND_PROFILE: "", DECKHAND_BASE_URL: url, DECKHAND_API_KEY: key };
  const [one, two] = [await deckhand(env), await deckhand(env)];
  await one.ok(["decks", "create", "Words"]);
  const [forgotten = "", remembered = ""] = [
    (await one.ok(["add", "one", "x", "--deck", "Words"])).trim(),
    (await one.ok(["add", "two", "x", "--deck", "Words"])).trim(),
  ];
  await one.ok(["due", "answer", forgotten, "forgotten"]);
  await two.ok(["due", "answer", forgotten, remembered, "remembered"]);
  for (const [id, outcome] of [
    [forgotten, false],
    [remembered, true],
  ] as const) {
    const { reviews } = JSON.parse(await two.ok(["cards", "get", id, "-o", "json"]));
    expect(reviews).toMatchObject([{ "remembered?": outcome }]);
  }
  expect(await one.ok(["due", "--count"])).toBe("0\n");
});

test("due answer takes the instant of an answer, ids on standard input, and goes on after one that fails", async () => {
  const { run, ids, reviews, ok } = await collection();
  const [one = "", two = ""] = ids;
  const answered = await run(
    ["due", "answer", "-", "remembered", "--at", "2031-05-01T08:00:00Z"],
    `${one}\nnope\n${two}\n`,
  );
  expect(answered).toMatchObject({
    code: 9,
    stdout: `${one}\n${two}\n`,
    stderr: expect.stringContaining("nope"),
  });
  expect((await reviews(one))[0]?.date).toBe("2031-05-01T08:00:00.000Z");
  const document = JSON.parse(await ok("due", "answer", one, "remembered", "-o", "json"));
  expect(document).toMatchObject({ id: one, reviews: [{}, {}] });
  expect(await run(["due", "answer", one, "perhaps"])).toMatchObject({ code: 2 });
  expect(await run(["due", "answer", one, "remembered", "--at", "2031-06-01T08:00:00Z"])).toMatchObject({
    code: 2,
  });
});

test("due set moves the due date and keeps the history, refuses a new card by its name, and is undone", async () => {
  const { ok, run, ids, reviews } = await collection();
  const [one = "", two = ""] = ids;
  await ok("due", "answer", one, two, "remembered");
  const [before] = await reviews(one);
  const listed = await ok("due", "list", "-o", "id", "--date", "+30d");
  const set = await run(["due", "set", "-", "+7d"], listed);
  expect(set).toMatchObject({ code: 9, stderr: expect.stringContaining('"three" was never reviewed') });
  expect(lines(set.stdout).toSorted()).toEqual([one, two].toSorted());
  const noon = new Date(2031, 4, 17, 12).toISOString();
  expect(await reviews(one)).toMatchObject([{ date: before?.date, due: noon }]);
  expect(await ok("due", "undo", one, two)).toBe(`${one}\n${two}\n`);
  expect(await reviews(one)).toEqual([before]);
});

test("due undo takes back the answer before a due date that the service refused", async () => {
  const { ok, run, ids, reviews } = await collection();
  const [one = "", two = ""] = ids;
  await ok("due", "answer", one, "remembered");
  await ok("due", "answer", two, "remembered");
  expect(await run(["due", "set", one, "0000-01-01T00:00:00+12:00"])).toMatchObject({ code: 5 });
  expect(await ok("due", "undo")).toBe(`${two}\n`);
  expect(await reviews(two)).toEqual([]);
});

test("due forget makes a card new, its answers no longer count, and due undo brings its reviews back", async () => {
  const { ok, ids, reviews, clock } = await collection();
  const [one = ""] = ids;
  await ok("due", "answer", one, "remembered");
  clock.now += 86_400_000 * 20;
  await ok("due", "answer", one, "forgotten");
  const before = await reviews(one);
  expect(before).toHaveLength(2);
  expect(await ok("due", "forget", one)).toBe(`${one}\n`);
  expect(await reviews(one)).toEqual([]);
  expect(JSON.parse(await ok("due", "-o", "json"))).toMatchObject({
    today: { reviews: 0, new: 3, forgotten: 0 },
  });
  expect(lines(await ok("due", "log"))).toHaveLength(2);
  await ok("due", "undo", one);
  expect(await reviews(one)).toEqual(before);
});

test("with --dry-run the verbs print what they would send and change nothing", async () => {
  const { ok, ids, reviews } = await collection();
  const [one = ""] = ids;
  await ok("due", "answer", one, "remembered");
  const before = await reviews(one);
  expect(await ok("due", "answer", one, "forgotten", "-n")).toContain(`POST /cards/${one}/reviews`);
  expect(await ok("due", "set", one, "tomorrow", "-n")).toContain(`PUT /cards/${one}/due`);
  expect(await ok("due", "forget", one, "-n")).toContain('"due": null');
  expect(await ok("due", "undo", "-n")).toContain(`DELETE /cards/${one}/reviews/`);
  expect(await reviews(one)).toEqual(before);
  expect(lines(await ok("due", "log"))).toHaveLength(1);
});

test("where the service records no reviews, answers go into the log and due set and forget say why not", async () => {
  const card = { id: "aaaaaaaa", content: "x", "deck-id": "dddddddd", reviews: [], "new?": true };
  const service = await fakeService((request, response) =>
    sendJson(response, 200, request.url === "/cards/aaaaaaaa" ? card : {}),
  );
  onTestFinished(() => service.close());
  const d = await deckhand({
    DECKHAND_BASE_URL: service.url,
    DECKHAND_API_KEY: "a-key-for-this-test",
    DECKHAND_PROFILE: "",
  });
  expect(await d.run(["due", "answer", "aaaaaaaa", "remembered"])).toMatchObject({
    code: 0,
    stdout: "aaaaaaaa\n",
  });
  expect(lines(await d.ok(["due", "log"]))).toHaveLength(1);
  expect(await d.ok(["due", "undo"])).toBe("aaaaaaaa\n");
  for (const args of [
    ["set", "aaaaaaaa", "+1d"],
    ["forget", "aaaaaaaa"],
  ])
    expect(await d.run(["due", ...args])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("has no way to set due dates"),
    });
});

test.skipIf(onPostgres)("due set, forget and undo name the card and the day on a terminal", async () => {
  const { ok, run, ids } = await collection();
  const d = { terminal: true };
  const [one = ""] = ids;
  await ok("due", "answer", one, "remembered");
  const said = async (...args: string[]) => (await run(["due", ...args], undefined, d)).stderr;
  expect(await said("set", one, "+7d")).toContain(`"one" (${one}) is due in 7 days`);
  expect(await said("forget", one)).toContain(`"one" (${one}) is new again`);
  expect(await said("undo")).toContain(`Brought back the reviews of ${one}`);
  expect(await said("undo")).toMatch(/"one" \(\w+\) is due in \d days again/);
});
