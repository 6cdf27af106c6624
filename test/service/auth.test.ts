import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { handled } from "../support/handled.ts";
import { received } from "../support/requests.ts";
import { openTestApplication, type TestApplication } from "../support/service.ts";

const asked = async (application: TestApplication, authorization: string | undefined, path = "/decks") =>
  received(
    await handled(application, {
      method: "GET",
      path,
      query: "",
      headers: authorization === undefined ? {} : { authorization },
    }),
  );

test("accepts the key as the Basic user name, with an empty password or none", async () => {
  const application = await openTestApplication();
  const { key } = application;
  expect(key).toMatch(/^[0-9A-Za-z]{32}$/);
  for (const authorization of [
    `Basic ${btoa(`${key}:`)}`,
    `Basic ${btoa(key)}`,
    `basic ${btoa(`${key}:`)}`,
    `BASIC  ${btoa(`${key}:`)} `,
    `Basic ${btoa(`${key}:`).replace(/=+$/, "")}`,
  ])
    expect((await asked(application, authorization)).status).toBe(200);
});

test("answers 401 to anything else, with the challenge", async () => {
  const application = await openTestApplication();
  const { key } = application;
  for (const authorization of [
    undefined,
    "",
    "Basic",
    "Basic ",
    `Basic ${btoa(":")}`,
    `Basic ${btoa("")}`,
    `Basic ${btoa(`${key}:password`)}`,
    `Basic ${btoa(`:${key}`)}`,
    `Basic ${btoa(`${key}x:`)}`,
    `Basic ${btoa(`${key.slice(0, -1)}:`)}`,
    `Basic ${btoa(`${key.toLowerCase()}:`)}`,
    `Basic ${key}`,
    `Bearer ${key}`,
    key,
  ]) {
    const answer = await asked(application, authorization);
    expect(answer, String(authorization)).toMatchObject({
      status: 401,
      body: { errors: [expect.any(String)] },
    });
    expect(answer.headers["www-authenticate"]).toBe('Basic realm="flashcards"');
  }
});

test("checks the key before the path", async () => {
  const application = await openTestApplication();
  for (const path of ["/", "/nothing", "/cards/%zz"])
    expect((await asked(application, undefined, path)).status).toBe(401);
});

test("writes the refusal in the encoding that Accept names", async () => {
  const application = await openTestApplication();
  const headers = { accept: "application/transit+json" };
  const answer = await received(await handled(application, { method: "GET", path: "/", query: "", headers }));
  expect(answer).toMatchObject({ status: 401, body: { "~:errors": [expect.any(String)] } });
});

test("gives an account any number of keys, lists and removes them", async () => {
  const application = await openTestApplication({ now: () => 0 });
  const second = await application.keys.add("default");
  const other = await application.keys.add("other");
  expect(await application.keys.list()).toEqual(
    ["default", "default", "other"].map((account) => ({ account, created: "1970-01-01T00:00:00.000Z" })),
  );
  for (const key of [application.key, second, other])
    expect((await asked(application, `Basic ${btoa(key)}`)).status).toBe(200);
  expect(await application.keys.remove("default")).toBe(2);
  expect((await asked(application, `Basic ${btoa(second)}`)).status).toBe(401);
  expect((await asked(application, `Basic ${btoa(other)}`)).status).toBe(200);
  expect(await application.keys.remove("default")).toBe(0);
});

test("accepts a key as soon as another process has added it", async () => {
  const application = await openTestApplication();
  const elsewhere = await openTestApplication({ folder: application.folder });
  expect((await asked(application, `Basic ${btoa(elsewhere.key)}`)).status).toBe(200);
});

test("refuses a key within a second that another process removed", async () => {
  let now = 0;
  const application = await openTestApplication({ now: () => now });
  const elsewhere = await openTestApplication({ folder: application.folder });
  expect((await asked(application, `Basic ${btoa(application.key)}`)).status).toBe(200);
  await elsewhere.keys.remove("default");
  now = 1000;
  expect((await asked(application, `Basic ${btoa(application.key)}`)).status).toBe(401);
});

test("writes no key into any file", async () => {
  const application = await openTestApplication();
  await asked(application, `Basic ${btoa(application.key)}`);
  for (const name of await readdir(application.folder, { recursive: true, withFileTypes: true })) {
    if (!name.isFile()) continue;
    const bytes = await readFile(join(name.parentPath, name.name));
    expect(bytes.includes(application.key)).toBe(false);
  }
});

test("delays the answer to a wrong key, and only to a wrong key", async () => {
  const application = await openTestApplication({ keyDelay: 300 });
  const timed = async (authorization: string | undefined) => {
    const began = performance.now();
    await asked(application, authorization);
    return performance.now() - began;
  };
  const [right, missing, wrong] = [
    await timed(`Basic ${btoa(application.key)}`),
    await timed(undefined),
    await timed(`Basic ${btoa("guess")}`),
  ];
  expect(wrong).toBeGreaterThan(290);
  expect(right).toBeLessThan(wrong / 2);
  expect(missing).toBeLessThan(wrong / 2);
});

test("opens the in-process transport of an account without a key", async () => {
  const application = await openTestApplication();
  const transport = application.as("default");
  const answer = await transport.send({ method: "GET", path: "/decks", query: "", headers: {} });
  expect(answer.status).toBe(200);
});
