import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { ServerOptions } from "../../src/service/server.ts";
import { startTestServer, type TestServer } from "../support/service.ts";
import { formOf, multipart } from "../support/uploads.ts";

const basic = (key: string) => ({ authorization: `Basic ${btoa(`${key}:`)}` });

interface Asked {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

interface AskOptions {
  readonly body?: string | Buffer;
  readonly headers?: Record<string, string>;
  readonly agent?: Agent;
}

/** One request by node:http, nothing of ours in between. */
function ask(server: TestServer, method: string, path: string, options: AskOptions = {}): Promise<Asked> {
  const { body, agent } = options;
  return new Promise((resolve, reject) => {
    const headers = { ...basic(server.key), ...(body === undefined ? {} : json), ...options.headers };
    const outgoing = request(
      `${server.url}${path}`,
      { method, headers, agent: agent ?? false },
      (incoming) => {
        let text = "";
        incoming.setEncoding("utf8").on("data", (chunk) => {
          text += chunk;
        });
        incoming.on("end", () =>
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }),
        );
        incoming.on("error", reject);
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

const json = { "content-type": "application/json" };

/** A connection to which the test writes as it likes. */
function dial(server: TestServer) {
  const socket: Socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  const state = { text: "", closed: false };
  socket.setEncoding("latin1").on("data", (chunk) => {
    state.text += chunk;
  });
  socket.on("close", () => {
    state.closed = true;
  });
  return { socket, state };
}

const head = (server: TestServer, line: string, ...lines: string[]) =>
  [
    `${line} HTTP/1.1`,
    "host: localhost",
    `authorization: ${basic(server.key).authorization}`,
    ...lines,
    "",
    "",
  ].join("\r\n");

/** The path of an attachment of 20 MB. */
async function bigFile(server: TestServer): Promise<string> {
  const made = async (path: string, body: object) =>
    JSON.parse((await ask(server, "POST", path, { body: JSON.stringify(body) })).text).id;
  const card = await made("/cards", { content: "x", "deck-id": await made("/decks", { name: "d" }) });
  const path = `/cards/${card}/attachments/big`;
  const body = formOf({ content: Buffer.alloc(20_000_000, "x") });
  expect((await ask(server, "POST", path, { body, headers: multipart })).status).toBe(200);
  return path;
}

/** A server with these limits, and the path of an attachment of 20 MB that another one has taken without them. */
async function withBigFile(limits: Partial<ServerOptions>) {
  const first = await startTestServer();
  const path = await bigFile(first);
  return { path, server: await startTestServer({ folder: first.application.folder }, limits) };
}

test("answers with a length, and an empty answer with neither length nor body", async () => {
  const server = await startTestServer();
  const created = await ask(server, "POST", "/decks", { body: '{"name":"Épée"}' });
  expect(created).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
  expect(created.headers["content-length"]).toBe(String(Buffer.byteLength(created.text)));
  const deleted = await ask(server, "DELETE", `/decks/${JSON.parse(created.text).id}`);
  expect(deleted).toMatchObject({ status: 204, text: "" });
  expect(deleted.headers).not.toHaveProperty("content-type");
  const headed = await ask(server, "HEAD", "/decks");
  expect(headed).toMatchObject({ status: 200, text: "" });
  expect(Number(headed.headers["content-length"])).toBeGreaterThan(0);
});

test("gives the slot to one client after the other, on one connection and on several", async () => {
  const server = await startTestServer();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const body = JSON.stringify({ name: "x".repeat(300_000) });
  for (let at = 0; at < 60; at++) {
    const one = await ask(server, "POST", "/decks", { agent, body });
    const other = await ask(server, "GET", "/cards");
    expect([one.status, other.status]).toEqual([200, 200]);
  }
});

test("answers 429 while another request of the account is active, and 200 afterwards", async () => {
  const server = await startTestServer();
  const { socket, state } = dial(server);
  socket.write(head(server, "POST /decks", "content-type: application/json", "content-length: 12"));
  await expect.poll(async () => (await ask(server, "GET", "/decks")).status).toBe(429);
  socket.write('{"name":"x"}');
  await expect.poll(() => state.text).toContain("200 OK");
  expect((await ask(server, "GET", "/decks")).status).toBe(200);
});

test("frees the slot when a client disconnects in the middle of a body", async () => {
  const server = await startTestServer();
  const { socket } = dial(server);
  socket.write(head(server, "POST /decks", "content-type: application/json", "content-length: 12"));
  await expect.poll(async () => (await ask(server, "GET", "/decks")).status).toBe(429);
  socket.destroy();
  await expect.poll(async () => (await ask(server, "GET", "/decks")).status).toBe(200);
});

test("starts a pipelined request when the one before is answered, and never if the client has disconnected", async () => {
  const server = await startTestServer({ keyDelay: 300 });
  const requests = `${head(server, "GET /decks").replace(/(?<=Basic ).*/, btoa("wrong:"))}${head(server, "GET /decks")}`;
  const waiting = dial(server);
  waiting.socket.write(requests);
  await expect.poll(() => waiting.state.text).toMatch(/401 [\s\S]*200 OK/);
  const gone = dial(server);
  gone.socket.write(requests);
  await ask(server, "GET", "/decks");
  gone.socket.destroy();
  await expect.poll(() => gone.state.closed).toBe(true);
  await expect.poll(async () => (await ask(server, "GET", "/decks")).status).toBe(200);
});

test("answers a client that has ended its side, pipelined requests included", async () => {
  const server = await startTestServer({ keyDelay: 300 });
  const slow = dial(server);
  slow.socket.end(
    `${head(server, "GET /decks").replace(/(?<=Basic ).*/, btoa("wrong:"))}${head(server, "GET /decks")}`,
  );
  await expect.poll(() => slow.state.closed).toBe(true);
  expect(slow.state.text).toMatch(/401 [\s\S]*200 OK/);
  const { socket, state } = dial(server);
  socket.write(head(server, `GET ${await bigFile(server)}`));
  socket.pause();
  await expect.poll(async () => (await ask(server, "GET", "/decks")).status).toBe(429);
  socket.end();
  socket.resume();
  await expect.poll(() => state.closed, { timeout: 10_000 }).toBe(true);
  expect(state.text.length - state.text.indexOf("\r\n\r\n") - 4).toBe(20_000_000);
  await expect.poll(async () => (await ask(server, "GET", "/decks")).status).toBe(200);
});

test("holds the slot until a download has been read", async () => {
  const server = await startTestServer();
  const { socket, state } = dial(server);
  socket.write(head(server, `GET ${await bigFile(server)}`));
  // Too much for the buffers in between: the service cannot get rid of it before it is read.
  socket.pause();
  await expect.poll(async () => (await ask(server, "GET", "/decks")).status).toBe(429);
  expect(state.text).toBe("");
  socket.resume();
  await expect.poll(() => state.text.length).toBeGreaterThan(20_000_000);
  await expect.poll(async () => (await ask(server, "GET", "/decks")).status).toBe(200);
});

test("answers a body that is too large while it is still being sent", async () => {
  const server = await startTestServer({ limits: { body: 1000 } });
  const large = "x".repeat(3_000_000);
  expect((await ask(server, "POST", "/decks", { body: large })).status).toBe(413);
  const chunked = { "transfer-encoding": "chunked" };
  expect((await ask(server, "POST", "/decks", { body: large, headers: chunked })).status).toBe(413);
  expect((await ask(server, "POST", "/decks", { body: large, headers: { authorization: "" } })).status).toBe(
    401,
  );
  expect((await ask(server, "GET", "/decks")).status).toBe(200);
});

test("drops the rest of a refused body, so that the connection serves the next request", async () => {
  const server = await startTestServer({ limits: { body: 1000 } });
  const { socket, state } = dial(server);
  const body = "x".repeat(5_000_000);
  const lines = ["content-type: application/json", "transfer-encoding: chunked"];
  socket.write(`${head(server, "POST /decks", ...lines)}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  await expect.poll(() => state.text).toContain("413 Payload Too Large");
  socket.write(head(server, "GET /decks"));
  await expect.poll(() => state.text).toContain("200 OK");
});

test("answers Expect: 100-continue", async () => {
  const server = await startTestServer();
  const answer = await ask(server, "POST", "/decks", {
    body: '{"name":"x"}',
    headers: { expect: "100-continue" },
  });
  expect(answer.status).toBe(200);
});

test.each([
  ["localhost", 200],
  ["LOCALHOST:8787", 200],
  ["127.0.0.1:1", 200],
  ["[::1]:80", 200],
  ["192.168.1.5", 200],
  ["cards.localhost", 200],
  ["cards.example", 200],
  ["evil.example", 403],
  ["evil.example:8787", 403],
  ["localhost.evil.example", 403],
  ["127.0.0.1.evil.example", 403],
])("answers the Host %j with %i, whichever came before", async (host, status) => {
  const server = await startTestServer({}, { allowedHosts: ["Cards.Example"] });
  const statuses: number[] = [];
  for (const each of [host, host, "localhost", host])
    statuses.push((await ask(server, "GET", "/decks", { headers: { host: each } })).status);
  expect(statuses).toEqual([status, status, 200, status]);
});

test("refuses writes from pages of another origin, and never allows one", async () => {
  const server = await startTestServer();
  const write = (origin: string) =>
    ask(server, "POST", "/decks", { body: '{"name":"x"}', headers: { origin } });
  for (const origin of ["http://evil.example", "null", "http://localhost:1", "https://evil.example:8787", ""])
    expect(await write(origin)).toMatchObject({ status: 403, text: expect.stringContaining("errors") });
  expect(
    (await ask(server, "DELETE", "/decks/x", { headers: { origin: "http://evil.example" } })).status,
  ).toBe(403);
  expect((await write(server.url)).status).toBe(200);
  const read = await ask(server, "GET", "/decks", { headers: { origin: "http://evil.example" } });
  expect(read.status).toBe(200);
  const preflight = await ask(server, "OPTIONS", "/decks", { headers: { origin: "http://evil.example" } });
  for (const { headers } of [read, preflight])
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
});

test("accepts a whole URL as the target, as a proxy sends it", async () => {
  const server = await startTestServer();
  const { socket, state } = dial(server);
  socket.write(head(server, `GET ${server.url}/decks?bookmark=nil`, "connection: close"));
  await expect.poll(() => state.closed).toBe(true);
  expect(state.text).toMatch(/^HTTP\/1\.1 200 OK/);
});

test("answers data that is not HTTP with 400, and a head that is too large with 431", async () => {
  const server = await startTestServer();
  for (const [sent, status] of [
    ["nonsense\r\n\r\n", "400 Bad Request"],
    [head(server, "GET /decks", `x: ${"y".repeat(20_000)}`), "431 Request Header Fields Too Large"],
  ] as const) {
    const { socket, state } = dial(server);
    socket.write(sent);
    await expect.poll(() => state.closed).toBe(true);
    expect(state.text).toContain(`HTTP/1.1 ${status}`);
    expect(state.text).toContain('{"errors":[');
  }
});

/** The answer to a POST with these lines for a head, on a connection of its own that ends with it. */
async function answerTo(server: TestServer, version: string, lines: readonly string[], body: string) {
  const { socket, state } = dial(server);
  socket.write(
    `${[`POST /decks HTTP/${version}`, "content-type: application/json", ...lines].join("\r\n")}\r\n\r\n`,
  );
  socket.write(body);
  await expect.poll(() => state.closed).toBe(true);
  return { status: Number(state.text.slice(9, 12)), text: state.text };
}

const [length, chunked] = ["content-length: 12", "transfer-encoding: chunked"];

test.each<[string, number, string, readonly string[]]>([
  ["two Host headers", 400, "1.1", ["host: localhost", "host: localhost", length]],
  ["a Host header after all others", 400, "1.1", ["host: localhost", length, "host: evil.example"]],
  ["no Host header", 400, "1.1", [length]],
  ["two Authorization headers", 400, "1.1", ["host: localhost", length, "authorization: Basic eDo="]],
  ["two lengths", 400, "1.1", ["host: localhost", length, "content-length: 13"]],
  ["a list of lengths", 400, "1.1", ["host: localhost", "content-length: 12, 12"]],
  ["a length and chunks", 400, "1.1", ["host: localhost", length, chunked]],
  ["chunks and a length", 400, "1.1", ["host: localhost", chunked, length]],
  ["chunks that are not last", 400, "1.1", ["host: localhost", "transfer-encoding: chunked, gzip"]],
  ["chunks twice", 400, "1.1", ["host: localhost", chunked, chunked]],
  ["compressed chunks", 501, "1.1", ["host: localhost", "transfer-encoding: gzip, chunked"]],
  ["chunks in HTTP/1.0", 400, "1.0", ["host: localhost", chunked]],
])(
  "refuses %s with %i on a connection that then ends, and creates nothing",
  async (_, status, version, lines) => {
    const server = await startTestServer();
    const key = `authorization: ${basic(server.key).authorization}`;
    const body = lines.some((line) => /chunked/.test(line))
      ? 'c\r\n{"name":"x"}\r\n0\r\n\r\n'
      : '{"name":"x"}';
    // Without a valid key as well: the key is looked up later.
    for (const sent of [
      [...lines, key],
      [...lines, "authorization: Basic wrong"],
    ]) {
      const answer = await answerTo(server, version, sent, body);
      expect(answer).toMatchObject({ status, text: expect.stringMatching(/\{"errors":\["[^"]+"\]\}$/) });
      expect(answer.text).toMatch(/^connection: close\r$/im);
    }
    expect(JSON.parse((await ask(server, "GET", "/decks")).text).docs).toEqual([]);
  },
);

test("ends a connection on which data that is not HTTP follows a request, without a second answer", async () => {
  const server = await startTestServer();
  const fields = ["content-type: application/json", "content-length: 12"];
  const download = head(server, `GET ${await bigFile(server)}`);
  for (const request of [`${head(server, "POST /decks", ...fields)}{"name":"x"}`, download]) {
    const { socket, state } = dial(server);
    socket.write(`${request}no HTTP\r\n\r\n`);
    await expect.poll(() => state.closed).toBe(true);
    expect(state.text.match(/HTTP\/1.1/g)?.length ?? 0).toBeLessThanOrEqual(1);
    await expect.poll(async () => (await ask(server, "GET", "/decks")).status).toBe(200);
  }
});

test("closes connections that send nothing, or a head that does not end, while it serves others", async () => {
  const server = await startTestServer({}, { headTimeout: 300 });
  const idle = Array.from({ length: 200 }, () => dial(server));
  const slow = dial(server);
  slow.socket.write("GET /decks HTTP/1.1\r\nhost: localhost\r\nx: ");
  expect((await ask(server, "GET", "/decks")).status).toBe(200);
  await expect.poll(() => [...idle, slow].every(({ state }) => state.closed), { timeout: 5_000 }).toBe(true);
});

test("closes a connection that makes no progress", async () => {
  const server = await startTestServer({}, { idleTimeout: 200 });
  const { socket, state } = dial(server);
  socket.write(head(server, "POST /decks", "content-type: application/json", "content-length: 12"));
  await expect.poll(() => state.closed, { timeout: 5_000 }).toBe(true);
  expect((await ask(server, "GET", "/decks")).status).toBe(200);
});

test("closes a connection that sends far more requests than it reads answers of", async () => {
  const server = await startTestServer({ keyDelay: 300 }, { stallTimeout: 2_000 });
  const one = head(server, "GET /decks").replace(/(?<=Basic ).*/, btoa("wrong:"));
  const before = process.memoryUsage().rss;
  const { socket, state } = dial(server);
  socket.write(one.repeat(100_000));
  for (let at = 0; at < 20; at++) expect((await ask(server, "GET", "/decks")).status).toBe(200);
  await expect.poll(() => state.closed, { timeout: 10_000 }).toBe(true);
  // At most the one that was in progress.
  expect(state.text.split("HTTP/1.1").length).toBeLessThanOrEqual(2);
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
});

test("answers all of many requests that are sent ahead, in their order", async () => {
  const server = await startTestServer();
  const { socket, state } = dial(server);
  const requests = Array.from({ length: 100 }, (_, at) => head(server, `GET /cards/none${at}/attachments`));
  socket.write(requests.join(""));
  socket.write(head(server, "GET /decks", "connection: close"));
  await expect.poll(() => state.closed).toBe(true);
  expect(state.text.match(/HTTP\/1.1 404/g)).toHaveLength(100);
  expect(state.text).toMatch(/HTTP\/1.1 200[\s\S]*$/);
});

test("frees the turn of an account whose client is lost in the middle of a body", async () => {
  const server = await startTestServer({}, { stallTimeout: 300 });
  const up = dial(server);
  up.socket.write(head(server, "POST /decks", "content-type: application/json", "content-length: 12"));
  await expect.poll(async () => (await ask(server, "GET", "/decks")).status).toBe(429);
  await expect.poll(async () => (await ask(server, "GET", "/decks")).status, { timeout: 3_000 }).toBe(200);
  expect(up.state.closed).toBe(true);
});

test("keeps the turn of an account while bytes move, however long that takes", async () => {
  const { server, path } = await withBigFile({ stallTimeout: 400 });
  const up = dial(server);
  up.socket.write(head(server, "POST /decks", "content-type: application/json", "content-length: 12"));
  for (const byte of '{"name":"x"}') {
    await new Promise((resolve) => setTimeout(resolve, 100));
    up.socket.write(byte);
  }
  await expect.poll(() => up.state.text).toContain("200 OK");
  const down = dial(server);
  down.socket.write(head(server, `GET ${path}`));
  for (let at = 0; at < 6; at++) {
    down.socket.pause();
    await new Promise((resolve) => setTimeout(resolve, 200));
    down.socket.resume();
    await once(down.socket, "data");
  }
  await expect.poll(() => down.state.text.length).toBeGreaterThan(20_000_000);
});

test("closes a connection whose download is no longer read", async () => {
  const { server, path } = await withBigFile({ stallTimeout: 500, idleTimeout: 1_500 });
  const { socket, state } = dial(server);
  socket.write(head(server, `GET ${path}`));
  await once(socket, "data");
  socket.pause();
  await expect.poll(async () => (await ask(server, "GET", "/decks")).status, { timeout: 10_000 }).toBe(200);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  socket.resume();
  await expect.poll(() => state.closed).toBe(true);
  expect(state.text.length).toBeLessThan(20_000_000);
});

test("finishes the requests in flight when it closes, then ends every connection", async () => {
  const server = await startTestServer({}, { grace: 60_000 });
  const [idle, kept, busy] = [dial(server), dial(server), dial(server)];
  kept.socket.write(head(server, "GET /decks"));
  await expect.poll(() => kept.state.text).toContain("200 OK");
  busy.socket.write(head(server, "POST /decks", "content-type: application/json", "content-length: 12"));
  await expect.poll(async () => (await ask(server, "GET", "/decks")).status).toBe(429);
  const closed = server.close();
  await expect.poll(() => idle.state.closed && kept.state.closed).toBe(true);
  expect(busy.state.closed).toBe(false);
  await expect(ask(server, "GET", "/decks")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  busy.socket.write('{"name":"x"}');
  await closed;
  await expect.poll(() => busy.state.closed).toBe(true);
  expect(busy.state.text).toContain("200 OK");
});

test("carries out pipelined requests before it closes", async () => {
  const server = await startTestServer({ keyDelay: 1500 }, { grace: 60_000 });
  const { socket, state } = dial(server);
  const fields = ["content-type: application/json", "content-length: 12"];
  const wrong = head(server, "GET /decks").replace(/(?<=Basic ).*/, btoa("wrong:"));
  socket.write(`${wrong}${head(server, "POST /decks", ...fields)}{"name":"x"}`);
  await ask(server, "GET", "/decks");
  await server.close();
  await expect.poll(() => state.closed).toBe(true);
  expect(state.text.match(/HTTP\/1.1 \d+|connection: \S+/gi)).toEqual([
    "HTTP/1.1 401",
    "Connection: keep-alive",
    "HTTP/1.1 200",
    "Connection: close",
  ]);
});

test("closes despite requests in flight that do not end", async () => {
  const server = await startTestServer({}, { grace: 100 });
  const { socket, state } = dial(server);
  socket.write(head(server, "POST /decks", "content-type: application/json", "content-length: 12"));
  await expect.poll(async () => (await ask(server, "GET", "/decks")).status).toBe(429);
  await server.close();
  await expect.poll(() => state.closed).toBe(true);
});

test("reports where it listens, and why it cannot", async () => {
  const server = await startTestServer();
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const port = Number(new URL(server.url).port);
  await expect(startTestServer({}, { port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("answers only under a base path", async () => {
  const { url, key } = await startTestServer({}, { basePath: "/api", allowedHosts: ["cards.example.org"] });
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api$/);
  const headers = { authorization: `Basic ${btoa(`${key}:`)}` };
  const statusOf = async (path: string) => (await fetch(new URL(path, url), { headers })).status;
  for (const path of [
    "/api/decks",
    "/api/decks/",
    "/api/cards?limit=1",
    "/api",
    "/api/",
    "/api/openapi.json",
  ])
    expect(await statusOf(path), path).toBe(200);
  for (const path of ["/decks", "/", "/apis/decks", "/api/api/decks", "/API/decks"])
    expect(await statusOf(path), path).toBe(404);
});

test("accepts requests as HTTP libraries send them: a content type without a body, chunks, forms, dates of any precision", async () => {
  const { url, key } = await startTestServer();
  const call = (path: string, init: RequestInit & { duplex?: "half" } = {}) =>
    fetch(`${url}${path}`, {
      ...init,
      headers: { authorization: `Basic ${btoa(`${key}:`)}`, accept: "*/*", ...init.headers },
    });
  const json = { "Content-Type": "application/json; charset=UTF-8" };
  const idOf = async (answer: Promise<Response>) => ((await (await answer).json()) as { id: string }).id;
  const chunked = (text: string) => ({ body: new Blob([text]).stream(), duplex: "half" as const });
  const deck = await idOf(call("/decks/", { method: "POST", headers: json, ...chunked('{"name":"D"}') }));
  const body = JSON.stringify({ content: "x", "deck-id": deck, name: "mine", reviews: null });
  const card = await idOf(call("/cards", { method: "POST", headers: json, body }));
  const now = new Date().toISOString();
  for (const path of [
    "/decks?limit=100",
    `/cards/?deck-id=${deck}&limit=100&bookmark=nil`,
    `/due?date=${now.replace("Z", "123")}`,
    `/due/${deck}?date=${encodeURIComponent(now.replace("Z", "+00:00"))}`,
  ])
    expect((await call(path, { headers: json })).status, path).toBe(200);
  const form = new FormData();
  form.append("file", new Blob(["png"], { type: "image/png" }), "ein Bild ü.png");
  const file = `/cards/${card}/attachments/${encodeURIComponent("ein Bild ü.png")}`;
  expect(await (await call(file, { method: "POST", body: form })).json()).toEqual({
    "file-name": "ein Bild ü.png",
    size: 3,
    type: "image/png",
  });
  for (const path of [file, `/cards/${card}`, `/decks/${deck}`])
    expect((await call(path, { method: "DELETE", headers: json })).status, path).toBe(204);
});
