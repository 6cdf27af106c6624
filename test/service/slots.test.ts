import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { docsOf, rawClient, received } from "../support/requests.ts";
import { openTestApplication, type TestApplication } from "../support/service.ts";

/** A create whose body comes when the test says so. */
function slowCreate(application: TestApplication) {
  const body = new Readable({ read() {} });
  const answer = application.answer({
    method: "POST",
    path: "/decks",
    query: "",
    headers: { authorization: `Basic ${btoa(application.key)}`, "content-type": "application/json" },
    body,
  });
  const finish = () => {
    body.push('{"name":"slow"}');
    body.push(null);
    return answer;
  };
  return { finish };
}

test("answers 429 to a second request while one is active, and does nothing for it", async () => {
  const application = await openTestApplication();
  const ask = rawClient(application);
  const slow = slowCreate(application);
  await new Promise(setImmediate);
  const second = await ask("POST", "/decks", { name: "second" });
  expect(second).toMatchObject({ status: 429, body: { errors: [expect.any(String)] } });
  expect(second.headers).not.toHaveProperty("retry-after");
  const { release } = await slow.finish();
  expect((await ask("GET", "/decks")).status).toBe(429);
  release();
  expect(docsOf(await ask("GET", "/decks")).map((deck) => deck["name"])).toEqual(["slow"]);
});

test("blocks no account by another, and not the in-process transport", async () => {
  const application = await openTestApplication();
  const other = rawClient(application, await application.keys.add("other"));
  const slow = slowCreate(application);
  await new Promise(setImmediate);
  expect((await other("GET", "/decks")).status).toBe(200);
  const inProcess = await application
    .as("default")
    .send({ method: "GET", path: "/decks", query: "", headers: {} });
  expect(inProcess.status).toBe(200);
  (await slow.finish()).release();
});

test("frees the slot whatever the outcome of the request", async () => {
  const ask = rawClient(await openTestApplication());
  for (const [method, path, body] of [
    ["GET", "/nothing", undefined],
    ["PUT", "/cards", undefined],
    ["POST", "/decks", "{"],
    ["POST", "/decks", "{}"],
    ["GET", "/cards?limit=0", undefined],
    ["GET", "/cards/%zz", undefined],
  ] as const) {
    await ask(method, path, body);
    expect((await ask("GET", "/decks")).status).toBe(200);
  }
});

test("with burst protection answers 429 beyond the limit, with the time to wait", async () => {
  const clock = { now: 1_000_000 };
  const application = await openTestApplication({
    now: () => clock.now,
    burst: { requests: 3, seconds: 10 },
  });
  const ask = rawClient(application);
  const statuses = async (count: number) => {
    const found: number[] = [];
    for (let at = 0; at < count; at++) found.push((await ask("GET", "/decks")).status);
    return found;
  };
  expect(await statuses(3)).toEqual([200, 200, 200]);
  clock.now += 3_500;
  const refused = await ask("POST", "/decks", { name: "x" });
  expect(refused).toMatchObject({ status: 429, headers: { "retry-after": "7" } });
  clock.now += 7_000;
  expect(await statuses(4)).toEqual([200, 200, 200, 429]);
  expect(
    docsOf(
      await received(
        await application.as("default").send({ method: "GET", path: "/decks", query: "", headers: {} }),
      ),
    ),
  ).toEqual([]);
});

test("with burst protection blocks no account when the clock is set back", async () => {
  const clock = { now: 10_000_000 };
  const ask = rawClient(
    await openTestApplication({ now: () => clock.now, burst: { requests: 2, seconds: 10 } }),
  );
  for (const status of [200, 200, 429]) expect((await ask("GET", "/decks")).status).toBe(status);
  clock.now -= 3_600_000;
  for (const status of [200, 200, 429]) expect((await ask("GET", "/decks")).status).toBe(status);
  clock.now += 10_001;
  expect((await ask("GET", "/decks")).status).toBe(200);
});
