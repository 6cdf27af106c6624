import { readdirSync } from "node:fs";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type Cli, cli, type Served, serve } from "../support/cli.ts";
import { waitFor } from "../support/wait-for.ts";

interface Told {
  readonly status: number;
  readonly ms: number;
}

async function served(): Promise<{ readonly home: Cli; readonly service: Served; readonly port: number }> {
  const home = cli({ DECKHAND_PROFILE: "local" });
  const service = await serve(home);
  onTestFinished(async () => {
    await service.stop("SIGKILL");
    home.remove();
  });
  return { home, service, port: Number(new URL(service.url).port) };
}

function ask(service: Served, method: string, path: string, headers: Record<string, string> = {}, body = "") {
  const began = performance.now();
  return new Promise<Told>((resolve, reject) => {
    const authorization = `Basic ${btoa(`${service.key}:`)}`;
    const outgoing = request(`${service.url}/`, {
      method,
      path,
      headers: { authorization, ...headers },
      agent: false,
    });
    outgoing.on("response", (answer) => {
      answer.resume();
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, ms: performance.now() - began }));
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function dial(port: number, text: string): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.resume();
  socket.write(text);
  onTestFinished(() => void socket.destroy());
  return socket;
}

it("holds the answer to a wrong key back, and the one to a true key not", async () => {
  const { service } = await served();
  const authorization = `Basic ${btoa("wrong:")}`;
  const guesses = Array.from({ length: 20 }, () => ask(service, "GET", "/decks", { authorization }));
  expect(await ask(service, "GET", "/decks")).toMatchObject({ status: 200 });
  for (const { status, ms } of await Promise.all(guesses)) {
    expect(status).toBe(401);
    // Each by itself: 20 that are held back together tell no more in that time than one.
    expect(ms).toBeGreaterThan(200);
  }
});

it("refuses oversized and malformed requests, path tricks and other hosts, and keeps to its folder", async () => {
  const { home, service, port } = await served();
  const json = { "content-type": "application/json" };
  const deck = "/cards/x/attachments";
  const cases: [string, string, Record<string, string>, string][] = [
    ["GET", `/${"a".repeat(12_000)}`, {}, ""],
    ["GET", `/cards?${"a=b&".repeat(5_000)}`, {}, ""],
    ["GET", `/cards/${"%2e%2e%2f".repeat(20)}etc%2fpasswd`, {}, ""],
    ["GET", `${deck}/..%2f..%2f..%2fservice%2fstore.sqlite`, {}, ""],
    ["GET", `${deck}/../../../../etc/passwd`, {}, ""],
    ["GET", `${deck}/%00`, {}, ""],
    ["GET", "/cards/%ff%fe", {}, ""],
    ["GET", "/cards/%", {}, ""],
    ["POST", `${deck}/a%0d%0aset-cookie:x`, { "content-type": "multipart/form-data; boundary=b" }, "--b\r\n"],
    ["POST", "/decks", json, "[".repeat(100_000)],
    ["POST", "/decks", json, `{"name":"${"x".repeat(11 * 1024 * 1024)}"}`],
    ["POST", "/decks", json, '{"__proto__":{"name":"x"},"constructor":1}'],
    ["POST", "/decks", { ...json, "content-encoding": "gzip" }, "x"],
    ["POST", "/decks", { "content-type": "text/plain" }, "{}"],
    ["TRACE", "/decks", {}, ""],
    ["GET", "/decks", { host: "evil.example" }, ""],
    ["POST", "/decks", { ...json, origin: "http://evil.example" }, '{"name":"x"}'],
    ["GET", "/decks", { authorization: `Basic ${"A".repeat(9_000)}` }, ""],
  ];
  for (const [method, path, headers, body] of cases) {
    const { status } = await ask(service, method, path, headers, body).catch((error) => ({
      status: String(error.code),
    }));
    const what = `${method} ${path.slice(0, 60)} ${JSON.stringify(headers).slice(0, 60)}`;
    // A connection that is cut while the body still comes is a refusal, too.
    if (typeof status === "string") expect(["ECONNRESET", "EPIPE"], what).toContain(status);
    else expect(status >= 400 && status < 500, `${what}: ${status}`).toBe(true);
  }
  for (const text of [
    "GET /decks HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    "GET /decks HTTP/1.1\r\nhost: localhost\r\nx: a\nb\r\n\r\n",
    "\u0016\u0003\u0001\u0002\u0000",
    "GET / HTTP/9.9\r\n\r\n",
  ]) {
    const socket = dial(port, text);
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk;
    });
    await waitFor(() => socket.closed || answer !== "", "an answer or an end");
    expect(answer).not.toContain(" 200 ");
  }
  expect(await ask(service, "GET", "/decks")).toMatchObject({ status: 200 });
  expect(service.process.exitCode).toBeNull();
  const names = readdirSync(home.home, { recursive: true }).map(String);
  expect(names.filter((name) => /passwd|cookie/.test(name))).toEqual([]);
  expect(
    readdirSync(join(home.home, "data", "service")).filter((name) => !/^(store\.|attachments$)/.test(name)),
  ).toEqual([]);
}, 60_000);
