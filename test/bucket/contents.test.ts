import { request } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { expect, onTestFinished, test } from "vitest";
import { systemRandom } from "../../src/schema/ids.ts";
import { type Application, type ApplicationOptions, openApplication } from "../../src/service/app.ts";
import { Bucket, type BucketOptions } from "../../src/service/blobs/bucket.ts";
import { PartedBlobs } from "../../src/service/blobs/parted.ts";
import { openStore } from "../../src/service/store/index.ts";
import { bucketKey, createBucket, createBucketServer, takePrefix, urlOf } from "../support/bucket.ts";
import { attachmentOn, cli, serve } from "../support/cli.ts";
import { freePort, giveDatabase, runOn, takeDatabase } from "../support/postgres.ts";
import { docsOf, idOf, rawClient, received } from "../support/requests.ts";
import { boundary, formOf, multipart } from "../support/uploads.ts";

const hour = 3_600_000;

async function database(): Promise<string> {
  const url = await takeDatabase();
  onTestFinished(() => giveDatabase(url));
  return url;
}

/** The keys of all objects but the one that names the database. */
async function objectsIn(bucket: BucketOptions): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of new Bucket(bucket).list("")) keys.push(...page);
  return keys.filter((key) => key.includes("/"));
}

type Given = Pick<ApplicationOptions, "bucket"> & Partial<ApplicationOptions>;

/** A server's application on a database, as `deckhand serve` opens it. */
async function started(url: string, options: Given): Promise<Application> {
  const application = await openApplication({
    folder: "",
    database: { url },
    now: Date.now,
    keyDelay: 0,
    ...options,
  });
  onTestFinished(() => application.close());
  await application.preload();
  return application;
}

/** A card of the account `anna`, and requests about it. */
async function withCard(application: Application) {
  const key = await application.keys.add("anna");
  const ask = rawClient(application, key);
  const deck = idOf(await ask("POST", "/decks", { name: "d" }));
  const card = `/cards/${idOf(await ask("POST", "/cards", { content: "x", "deck-id": deck }))}`;
  return { key, ask, card };
}

async function upload(application: Application, path: string, content: string) {
  const body = formOf({ content });
  return application.as("anna").send({ method: "POST", path, query: "", headers: multipart, body });
}

async function download(application: Application, path: string) {
  const { status, body } = await application.as("anna").send({ method: "GET", path, query: "", headers: {} });
  return { status, body: body as Readable };
}

/** The bytes of an upload that does not end. */
async function* endless() {
  yield formOf({ content: "" }).subarray(0, -`\r\n--${boundary}--\r\n`.length);
  for (;;) yield Buffer.alloc(64 * 1024, "x");
}

test.each(["the database", "a bucket"])(
  "an upload to %s that is killed is seen by nobody, and removed when it has received nothing for an hour",
  async (where) => {
    const [url, bucket] = [await database(), where === "a bucket" ? takePrefix() : undefined];
    const host = cli({ ...bucketKey, AWS_ENDPOINT_URL_S3: bucket?.endpoint });
    onTestFinished(() => host.remove());
    const served = await serve(host, ["--database", url, ...(bucket ? ["--blobs", urlOf(bucket)] : [])]);
    const { authorization, path } = await attachmentOn(served);
    const headers = { authorization, ...multipart };
    const sent = pipeline(
      Readable.from(endless()),
      request(served.url + path, { method: "POST", headers }),
    ).catch(() => {});
    const inDatabase = async () => (await runOn(url, "select part from content_part")).length;
    const parts = async () => (bucket ? (await objectsIn(bucket)).length : await inDatabase());
    await expect.poll(parts).toBeGreaterThanOrEqual(3);
    await served.stop("SIGKILL");
    await sent;
    // Another server starts, and later once more.
    let now = Date.now();
    const next = await started(url, { bucket, now: () => now });
    // In this process: the turn of the killed server ends later.
    const ask = async (path: string) =>
      received(await next.as("default").send({ method: "GET", path, query: "", headers: {} }));
    expect(docsOf(await ask("/attachments"))).toEqual([]);
    expect((await ask(path)).status).toBe(404);
    expect(await parts()).toBeGreaterThanOrEqual(3);
    now += 1.1 * hour;
    await started(url, { bucket, now: () => now });
    expect(await parts()).toBe(0);
    expect(await runOn(url, "select id from content")).toEqual([]);
  },
);

test("while the bucket is unavailable, uploads and downloads are answered with 503 and nothing is lost", async () => {
  const server = await createBucketServer();
  onTestFinished(() => server.stop());
  await createBucket(server.endpoint);
  const bucket = { ...takePrefix(server.endpoint), patience: 300 };
  const [url, failures] = [await database(), [] as string[]];
  let now = Date.now();
  const options = {
    bucket,
    now: () => now,
    onError: (error: unknown) => void failures.push(String(error)),
  };
  const application = await started(url, options);
  const { key, ask, card } = await withCard(application);
  const [kept, removed, cut] = ["kept", "removed", "cut"].map((name) => `${card}/attachments/${name}`);
  const large = "0123456789".repeat(500_000);
  expect((await upload(application, `${kept}`, large)).status).toBe(200);
  expect((await upload(application, `${removed}`, "x")).status).toBe(200);
  const reading = await download(application, `${kept}`);
  await server.kill();
  await expect(text(reading.body)).rejects.toThrow(/cannot be reached/);
  const answer = await upload(application, `${cut}`, large);
  expect(answer).toMatchObject({ status: 503, headers: { "retry-after": "1" } });
  expect(String(answer.body)).toContain("the store of attachments is unavailable; nothing was changed");
  expect((await download(application, `${kept}`)).status).toBe(503);
  expect((await ask("DELETE", `${removed}`)).status).toBe(204);
  expect((await ask("GET", card)).status).toBe(200);
  expect(failures.every((line) => line.includes(`${urlOf(bucket)} cannot be reached`))).toBe(true);
  // The download that was cut, the upload, the download, and what was removed.
  expect(failures).toHaveLength(4);
  // A server that starts meanwhile serves cards.
  const other = await started(url, options);
  expect((await rawClient(other, key)("GET", card)).status).toBe(200);
  await server.start();
  expect(await text((await download(other, `${kept}`)).body)).toBe(large);
  expect(docsOf(await ask("GET", "/attachments")).map((doc) => doc["file-name"])).toEqual(["kept"]);
  expect((await upload(application, `${cut}`, large.slice(1))).status).toBe(200);
  now += 1.1 * hour;
  await started(url, options);
  // Those of the two contents that a card names.
  expect(await objectsIn(bucket)).toHaveLength(6);
  expect(await runOn(url, "select id from content where hash is null")).toEqual([]);
});

test("a database and its bucket belong together", async () => {
  const [url, another, bucket] = [await database(), await database(), takePrefix()];
  // Servers that start at the same time.
  await Promise.all([started(url, { bucket }), started(url, { bucket })]);
  await expect(started(another, { bucket })).rejects.toMatchObject({
    message: `${urlOf(bucket)} holds the attachments of another database`,
    exitCode: 5,
  });
  const elsewhere = takePrefix();
  await expect(started(url, { bucket: elsewhere })).rejects.toMatchObject({
    message: `${urlOf(elsewhere)} does not hold the attachments of this database`,
    exitCode: 5,
  });
  await expect(started(url, { bucket: undefined })).rejects.toMatchObject({
    message: "the attachments of this database are in an S3-compatible store",
    exitCode: 3,
  });
  // Keys can be added without it, and the refused database has none.
  await (await openApplication({ folder: "", database: { url }, now: Date.now })).close();
  expect(await runOn(another, "select name from setting")).toEqual([]);
});

test("attachments that were stored before there was a bucket are read, replaced and removed", async () => {
  const [url, bucket] = [await database(), takePrefix()];
  const before = await started(url, { bucket: undefined });
  const { key, card } = await withCard(before);
  const [first, second] = [`${card}/attachments/first`, `${card}/attachments/second`];
  const content = "0123456789".repeat(300_000);
  await upload(before, first, content);
  await upload(before, second, "other");
  await before.close();
  const application = await started(url, { bucket });
  expect(await text((await download(application, first)).body)).toBe(content);
  await upload(application, first, content);
  expect(await objectsIn(bucket)).toHaveLength(2);
  expect(await text((await download(application, first)).body)).toBe(content);
  expect(await runOn(url, "select part from content_part")).toHaveLength(1);
  const ask = rawClient(application, key);
  for (const path of [first, second]) expect((await ask("DELETE", path)).status).toBe(204);
  expect([await objectsIn(bucket), await runOn(url, "select id from content")]).toEqual([[], []]);
});

test("a card that is deleted takes its objects with it", async () => {
  const [url, bucket] = [await database(), takePrefix()];
  const application = await started(url, { bucket });
  const { ask, card } = await withCard(application);
  await upload(application, `${card}/attachments/a`, "one");
  await upload(application, `${card}/attachments/b`, "two");
  expect(await objectsIn(bucket)).toHaveLength(2);
  expect((await ask("DELETE", card)).status).toBe(204);
  expect(await objectsIn(bucket)).toEqual([]);
});

test("an upload that is swept while it goes on fails, and leaves nothing", async () => {
  const [url, bucket] = [await database(), takePrefix()];
  const application = await started(url, { bucket });
  const { ask, card } = await withCard(application);
  const [body, path] = [new Readable({ read() {} }), `${card}/attachments/f`];
  const form = formOf({ content: "0123456789".repeat(500_000) });
  const sent = application.as("anna").send({ method: "POST", path, query: "", headers: multipart, body });
  body.push(form.subarray(0, 3_000_000));
  await expect.poll(async () => (await objectsIn(bucket)).length).toBe(1);
  // A server for which an hour has passed, and which cannot delete the objects yet.
  const store = await openStore({ database: { url } });
  onTestFinished(() => store.close());
  const away = new Bucket({ ...bucket, endpoint: `http://127.0.0.1:${await freePort()}`, patience: 0 });
  const other = new PartedBlobs({
    store,
    bucket: away,
    now: Date.now,
    random: systemRandom,
  });
  await expect(other.sweep(Date.now() + 1.1 * hour)).rejects.toThrow("cannot be reached");
  body.push(form.subarray(3_000_000));
  body.push(null);
  expect((await sent).status).toBe(500);
  expect(docsOf(await ask("GET", "/attachments"))).toEqual([]);
  expect([await objectsIn(bucket), await runOn(url, "select id from content")]).toEqual([[], []]);
});
