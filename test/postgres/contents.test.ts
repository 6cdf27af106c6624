import { Readable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { openApplication } from "../../src/service/app.ts";
import { giveDatabase, runOn, takeDatabase } from "../support/postgres.ts";
import { docsOf, idOf, rawClient } from "../support/requests.ts";
import { formOf, multipart } from "../support/uploads.ts";

const hour = 3_600_000;
const mebibyte = 1024 * 1024;

test("a killed upload is seen by nobody, and removed when it has received nothing for an hour", async () => {
  const url = await takeDatabase();
  onTestFinished(() => giveDatabase(url));
  let now = Date.now();
  const open = () => openApplication({ folder: "", database: { url }, now: () => now });
  const application = await open();
  const key = await application.keys.add("anna");
  const ask = rawClient(application, key);
  const deck = idOf(await ask("POST", "/decks", { name: "d" }));
  const card = idOf(await ask("POST", "/cards", { content: "x", "deck-id": deck }));
  const body = new Readable({ read() {} });
  const path = `/cards/${card}/attachments/f`;
  const headers = { authorization: `Basic ${btoa(key)}`, ...multipart };
  void application.as("anna").send({ method: "POST", path, query: "", headers, body });
  body.push(formOf({ content: "x".repeat(5 * mebibyte) }).subarray(0, 3 * mebibyte));
  const parts = async () =>
    (await runOn(url, "select octet_length(bytes) as bytes from content_part")).length;
  await expect.poll(parts).toBeGreaterThanOrEqual(2);
  expect(docsOf(await ask("GET", "/attachments"))).toEqual([]);
  expect((await ask("GET", path)).status).toBe(404);
  // The process is gone, and the upload with it; another one starts.
  await application.close();
  for (const [later, left] of [
    [0.9 * hour, true],
    [0.2 * hour, false],
  ] as const) {
    now += later;
    const next = await open();
    await next.preload();
    expect((await parts()) > 0).toBe(left);
    await next.close();
  }
  expect(await runOn(url, "select id from content")).toEqual([]);
});

test("parts are stored as they are, not compressed and not in the row", async () => {
  const url = await takeDatabase();
  onTestFinished(() => giveDatabase(url));
  const application = await openApplication({ folder: "", database: { url }, now: Date.now });
  onTestFinished(() => application.close());
  const storage =
    "select attstorage from pg_attribute where attrelid = 'content_part'::regclass and attname = 'bytes'";
  expect(await runOn(url, storage)).toEqual([{ attstorage: "e" }]);
});
