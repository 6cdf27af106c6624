import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { openApplication } from "../../src/service/app.ts";
import { Bucket, type BucketOptions } from "../../src/service/blobs/bucket.ts";
import { bucketKey, takePrefix, urlOf } from "../support/bucket.ts";
import { cli } from "../support/cli.ts";
import { freePort, giveDatabase, runOn, takeDatabase } from "../support/postgres.ts";
import { docsOf, idOf, rawClient } from "../support/requests.ts";
import { formOf, multipart } from "../support/uploads.ts";

/** An answer of the proxy in the place of the store's. */
interface Refusal {
  readonly status: number;
  readonly code: string;
}

const denied = { status: 403, code: "AccessDenied" };
const busy = { status: 503, code: "SlowDown" };

type Rule = (method: string, path: string) => Refusal | undefined;

/** A proxy in front of the store that answers some requests itself. Signatures fit, since it keeps the Host header. */
async function refusingProxy() {
  const state: { rule: Rule; asked: number } = { rule: () => undefined, asked: 0 };
  const target = new URL(takePrefix().endpoint ?? "");
  const server = createServer((incoming, outgoing) => {
    const { method = "", url = "", headers } = incoming;
    state.asked++;
    const refusal = state.rule(method, url);
    if (refusal !== undefined) {
      incoming.resume();
      const body = `<?xml version="1.0"?><Error><Code>${refusal.code}</Code><Message>no</Message></Error>`;
      outgoing.writeHead(refusal.status, { "content-type": "application/xml" }).end(body);
      return;
    }
    const { hostname: host, port } = target;
    const forwarded = request({ host, port, method, path: url, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { state, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function database(): Promise<string> {
  const url = await takeDatabase();
  onTestFinished(() => giveDatabase(url));
  return url;
}

/** The service with attachments behind a proxy, and a card. */
async function behindProxy() {
  const { state, endpoint } = await refusingProxy();
  const [url, bucket] = [await database(), { ...takePrefix(endpoint), patience: 300 }];
  const failures: string[] = [];
  const onError = (error: unknown) => void failures.push(String(error));
  const options = { folder: "", database: { url }, bucket, keyDelay: 0, onError };
  const application = await openApplication({ ...options, now: Date.now });
  onTestFinished(() => application.close());
  await application.preload();
  const ask = rawClient(application, await application.keys.add("anna"));
  const deck = idOf(await ask("POST", "/decks", { name: "d" }));
  const card = `/cards/${idOf(await ask("POST", "/cards", { content: "x", "deck-id": deck }))}`;
  const send = (method: string, name: string, body?: Buffer) =>
    application.as("anna").send({
      method,
      path: `${card}/attachments/${name}`,
      query: "",
      headers: body === undefined ? {} : multipart,
      body,
    });
  return {
    state,
    failures,
    bucket,
    url,
    ask,
    open: (now: () => number) => openApplication({ ...options, now }),
    upload: (name: string, content: string) => send("POST", name, formOf({ content })),
    remove: (name: string) => send("DELETE", name),
    async download(name: string) {
      const { status, body } = await send("GET", name);
      return status === 200 ? text(body as Readable) : status;
    },
    names: async () => docsOf(await ask("GET", "/attachments")).map((doc) => doc["file-name"]),
  };
}

async function objectsIn(bucket: BucketOptions): Promise<number> {
  let count = 0;
  for await (const page of new Bucket(bucket).list(""))
    count += page.filter((key) => key.includes("/")).length;
  return count;
}

const large = "0123456789".repeat(300_000);
const small = "an earlier content";

test.each<[string, Refusal, number, string]>([
  ["403 AccessDenied", denied, 500, "the store of attachments refuses the service: its log says why"],
  ["404 NoSuchBucket", { status: 404, code: "NoSuchBucket" }, 500, "refuses the service"],
  ["503 SlowDown", busy, 503, "unavailable; nothing was changed, try again"],
  ["507", { status: 507, code: "" }, 507, "no space left for attachments; nothing was changed"],
])(
  "a store that answers writes with %s: uploads fail clearly, what was acknowledged stays",
  async (_, refusal, status, said) => {
    const service = await behindProxy();
    expect((await service.upload("kept", small)).status).toBe(200);
    // The first part is stored, the second one is not.
    service.state.rule = (method, path) => (method === "PUT" && path.endsWith("/1") ? refusal : undefined);
    for (const name of ["kept", "new"]) {
      const answer = await service.upload(name, large);
      expect(answer.status).toBe(status);
      expect(String(answer.body)).toContain(said);
      expect(String(answer.body)).not.toContain(service.bucket.prefix);
    }
    expect(service.failures.join("\n")).toContain(
      `${urlOf(service.bucket)}: ${refusal.status} ${refusal.code}`.trim(),
    );
    expect(await service.names()).toEqual(["kept"]);
    expect(await service.download("kept")).toBe(small);
    expect((await service.ask("GET", "/readyz")).status).toBe(200);
    service.state.rule = () => undefined;
    expect((await service.upload("kept", large)).status).toBe(200);
    expect(await service.download("kept")).toBe(large);
  },
);

test("a store that forbids deletes: what is deleted is gone for clients, and its objects are deleted once that is allowed", async () => {
  const service = await behindProxy();
  for (const name of ["first", "second"]) expect((await service.upload(name, large + name)).status).toBe(200);
  service.state.rule = (method) => (method === "DELETE" ? denied : undefined);
  expect((await service.remove("first")).status).toBe(204);
  expect((await service.upload("second", small)).status).toBe(200);
  expect(await service.names()).toEqual(["second"]);
  expect(await service.download("first")).toBe(404);
  expect(await service.download("second")).toBe(small);
  expect(service.failures).not.toEqual([]);
  expect(service.failures.every((line) => line.includes("403 AccessDenied"))).toBe(true);
  expect(await objectsIn(service.bucket)).toBe(5);
  service.state.rule = () => undefined;
  const next = await service.open(Date.now);
  await next.preload();
  await next.close();
  expect(await objectsIn(service.bucket)).toBe(1);
  expect(await runOn(service.url, "select id from content")).toHaveLength(1);
  expect(await service.download("second")).toBe(small);
});

test.each([
  [denied, 500],
  [busy, 503],
])(
  "a store that answers reads with $status: downloads fail, none looks whole or lost",
  async (refusal, status) => {
    const service = await behindProxy();
    expect((await service.upload("kept", large)).status).toBe(200);
    service.state.rule = (method) => (method === "GET" ? refusal : undefined);
    expect(await service.download("kept")).toBe(status);
    // Writes need no reads: the upload is acknowledged, and is there afterwards.
    expect((await service.upload("new", small)).status).toBe(200);
    service.state.rule = (method, path) => (method === "GET" && path.endsWith("/1") ? refusal : undefined);
    // The first part is given out when the second one was read.
    await expect(service.download("kept")).resolves.toBe(status);
    service.state.rule = () => undefined;
    expect(await service.names()).toEqual(["kept", "new"]);
    expect([await service.download("kept"), await service.download("new")]).toEqual([large, small]);
  },
);

test("requests are repeated for a store that asks to slow down", async () => {
  const service = await behindProxy();
  let refusals = 0;
  service.state.rule = (method) => (method === "PUT" && refusals++ < 2 ? busy : undefined);
  expect((await service.upload("kept", small)).status).toBe(200);
  expect(refusals).toBe(3);
  expect(await service.download("kept")).toBe(small);
  expect(service.failures).toEqual([]);
});

test("a server does not start where its key may not write, and starts where the store is unavailable", async () => {
  const { state, endpoint } = await refusingProxy();
  const [url, blobs] = [await database(), takePrefix()];
  const host = cli({ ...bucketKey, AWS_ENDPOINT_URL_S3: endpoint });
  onTestFinished(() => host.remove());
  const args = ["serve", "--port", "0", "--database", url, "--blobs", urlOf(blobs)];
  for (const [method, refusal] of [
    ["PUT", denied],
    ["GET", denied],
    ["GET", { status: 404, code: "NoSuchBucket" }],
  ] as const) {
    state.rule = (asked) => (asked === method ? refusal : undefined);
    const { code, stdout, stderr } = await host.run(args);
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toMatch(new RegExp(`^deckhand: ${urlOf(blobs)}: ${refusal.status} ${refusal.code}$`, "m"));
    expect(stderr).not.toMatch(/^\s+at /m);
  }
  const unavailable = { ...takePrefix(`http://127.0.0.1:${await freePort()}`), patience: 0 };
  const failures: unknown[] = [];
  const onError = (error: unknown) => void failures.push(error);
  const options = { folder: "", database: { url }, now: Date.now, keyDelay: 0, onError };
  const application = await openApplication({ ...options, bucket: unavailable });
  onTestFinished(() => application.close());
  await application.preload();
  expect(failures.map(String)).toEqual([expect.stringContaining("cannot be reached")]);
  expect((await rawClient(application)("GET", "/readyz")).status).toBe(200);
});
