import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { makeCards } from "../support/collection.ts";
import { httpOver } from "../support/http.ts";
import { type StudyServer, startStudy } from "../support/study.ts";

interface Told {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

/** A request as a browser makes it from the page. */
async function ask(
  { url }: Pick<StudyServer, "url">,
  method: string,
  path: string,
  { cookie, body, headers = {} }: { cookie?: string; body?: string; headers?: Record<string, string> } = {},
): Promise<Told> {
  const answer = await fetch(url + path, {
    method,
    redirect: "manual",
    headers: {
      ...(method === "GET" ? {} : { origin: new URL(url).origin }),
      ...(cookie === undefined ? {} : { cookie }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  return { status: answer.status, text: await answer.text(), headers: answer.headers };
}

const form = { "content-type": "application/x-www-form-urlencoded" };
const json = { "content-type": "application/json" };

async function signedIn(server: StudyServer, key = server.key, name = ""): Promise<string> {
  const body = new URLSearchParams({ key, name }).toString();
  const { headers } = await ask(server, "POST", "login", { body, headers: form });
  return (headers.get("set-cookie") ?? "").split(";")[0] ?? "";
}

const minute = 60_000;

describe("signing in to the study page", () => {
  test("sets a cookie for thirty days that no script reads and no other page sends, over TLS only where it came by TLS", async () => {
    const server = await startStudy();
    const body = new URLSearchParams({ key: server.key, name: "default" }).toString();
    const plain = await ask(server, "POST", "login", { body, headers: form });
    expect(plain.status).toBe(303);
    expect(plain.headers.get("set-cookie")).toMatch(
      /^deckhand-study=[\w.-]+; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    expect(plain.headers.get("set-cookie")).not.toContain(server.key);
    const origin = new URL(server.url).origin.replace("http:", "https:");
    const secure = await ask(server, "POST", "login", { body, headers: { ...form, origin } });
    expect(secure.headers.get("set-cookie")).toMatch(/; Secure$/);
  });

  test("is refused for a wrong key and for the key of another account, as slowly as in the API", async () => {
    const server = await startStudy({ keyDelay: 200 });
    for (const [key, name] of [
      ["wrong", ""],
      [server.key, "anna"],
    ] as const) {
      const began = performance.now();
      const body = new URLSearchParams({ key, name }).toString();
      const told = await ask(server, "POST", "login", { body, headers: form });
      expect(told.status).toBe(403);
      expect(told.headers.get("set-cookie")).toBeNull();
      expect(performance.now() - began).toBeGreaterThan(190);
    }
  });

  test("is needed for every page and every document", async () => {
    const server = await startStudy();
    for (const path of ["", "review", "stats"]) {
      const { status, headers } = await ask(server, "GET", path);
      expect([status, headers.get("location")]).toEqual([303, "login"]);
    }
    for (const path of ["card/abcdefgh", "files/abcdefgh/a.png", "start?x"])
      expect((await ask(server, "GET", path)).status).toBe(401);
    const forged = `deckhand-study=${"x".repeat(32)}`;
    expect((await ask(server, "GET", "review", { cookie: forged })).status).toBe(303);
  });

  test("ends with `serve key revoke`, with its key, and after thirty days", async () => {
    let now = Date.now();
    const server = await startStudy({ now: () => now });
    const { keys } = server.application;
    const first = await signedIn(server);
    expect((await ask(server, "GET", "review", { cookie: first })).status).toBe(200);
    now += minute;
    await keys.revokeSessions("default");
    expect((await ask(server, "GET", "review", { cookie: first })).status).toBe(303);
    now += minute;
    const second = await signedIn(server);
    expect((await ask(server, "GET", "review", { cookie: second })).status).toBe(200);
    now += 30 * 24 * 60 * minute + 1;
    expect((await ask(server, "GET", "review", { cookie: second })).status).toBe(303);
    const left = await signedIn(server);
    await ask(server, "POST", "logout", { cookie: left });
    expect((await ask(server, "GET", "review", { cookie: left })).status).toBe(303);
    const third = await signedIn(server);
    await keys.remove("default");
    expect((await ask(server, "GET", "review", { cookie: third })).status).toBe(303);
  });
});

describe("requests of the study page", () => {
  test("that write are refused without the origin of the page itself", async () => {
    const server = await startStudy();
    const [id = ""] = await makeCards(server.client, ["a\n---\nb"]);
    const cookie = await signedIn(server);
    const body = JSON.stringify({ "remembered?": true });
    const send = (headers: Record<string, string>) =>
      fetch(`${server.url}reviews/${id}`, { method: "POST", body, headers: { ...json, cookie, ...headers } });
    expect((await send({})).status).toBe(403);
    expect((await send({ origin: "https://evil.example" })).status).toBe(403);
    expect((await send({ origin: "null" })).status).toBe(403);
    expect((await send({ origin: new URL(server.url).origin })).status).toBe(200);
  });

  test("reach the account of the session only, and of the API only what the page uses", async () => {
    const server = await startStudy();
    const [mine = ""] = await makeCards(server.client, ["mine\n---\nb"]);
    const anna = await server.application.keys.add("anna");
    const other = createClient(httpOver(server.application.as("anna")));
    const [hers = ""] = await makeCards(other, ["hers\n---\nb"]);
    const cookie = await signedIn(server, anna, "anna");
    expect((await ask(server, "GET", `card/${mine}`, { cookie })).status).toBe(404);
    expect((await ask(server, "GET", `card/${hers}`, { cookie })).text).toContain("hers");
    expect((await ask(server, "GET", "review", { cookie })).text).not.toContain("mine");
    const body = JSON.stringify({ "remembered?": true });
    const review = await ask(server, "POST", `reviews/${mine}`, { cookie, body, headers: json });
    expect(review.status).toBe(404);
    for (const [method, path] of [
      ["DELETE", `reviews/${hers}`],
      ["POST", `cards/${hers}`],
      ["GET", "decks"],
      ["PUT", `today/${hers}/x`],
      ["POST", `reviews/${hers}%2F..%2F..%2Fcards`],
      ["GET", "files/..%2f..%2fdecks/x"],
    ] as const)
      expect((await ask(server, method, path, { cookie, headers: json })).status).toBeGreaterThanOrEqual(400);
  });

  test("leave the one request of a client alone, also many at once", async () => {
    const server = await startStudy();
    const ids = await makeCards(
      server.client,
      Array.from({ length: 20 }, (_, n) => `${n}\n---\nb`),
    );
    const cookie = await signedIn(server);
    const body = JSON.stringify({ "remembered?": true });
    const api = server.url.replace(/study\/$/, "decks");
    const authorization = `Basic ${Buffer.from(`${server.key}:`).toString("base64")}`;
    const statuses = await Promise.all([
      ...ids.map((id) => ask(server, "POST", `reviews/${id}`, { cookie, body, headers: json })),
      ...ids.map((id) => ask(server, "GET", `card/${id}`, { cookie })),
      fetch(api, { headers: { authorization } }),
    ]);
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test("get pages under a policy without inline scripts, in no frame, and kept by no cache", async () => {
    const server = await startStudy();
    const cookie = await signedIn(server);
    for (const path of ["", "review", "login", "stats"]) {
      const { headers, text } = await ask(server, "GET", path, { cookie });
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(text).not.toMatch(
        /<script(?! src="page\.js\?[\w-]+" defer><\/script>| type="application\/json" id="session">\{[^<]+<\/script>)|\son\w+=/,
      );
    }
  });

  test("keep its script until another one takes its place", async () => {
    const server = await startStudy();
    const { text } = await ask(server, "GET", "login");
    const [script = ""] = /page\.js\?[^"]+/.exec(text) ?? [];
    const lasts = async (path: string) => (await ask(server, "GET", path)).headers.get("cache-control");
    expect(await lasts(script)).toContain("immutable");
    expect(await lasts(`${script}1`)).toBe("no-cache");
    expect(await lasts("page.js")).toBe("no-cache");
  });

  test("get a file of a card, also a part of it, and never as a page", async () => {
    const server = await startStudy();
    const [id = ""] = await makeCards(server.client, ["a ![x](@media/a.mp3)\n---\nb"]);
    const bytes = Buffer.from(Array.from({ length: 5000 }, (_, at) => at % 251));
    const source = async () => ({ stream: Readable.from([bytes]), size: bytes.length });
    await server.client.attachments.add(id, { fileName: "a.mp3", source });
    const cookie = await signedIn(server);
    const path = `${server.url}files/${id}/a.mp3`;
    const whole = await fetch(path, { headers: { cookie } });
    expect(Buffer.from(await whole.arrayBuffer())).toEqual(bytes);
    expect(whole.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    for (const [range, from, to] of [
      ["bytes=100-199", 100, 200],
      ["bytes=4990-", 4990, 5000],
      ["bytes=0-99999", 0, 5000],
    ] as const) {
      const part = await fetch(path, { headers: { cookie, range } });
      expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes ${from}-${to - 1}/5000`]);
      expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(from, to));
    }
  });
});

test("the one script of the study page has at most 15 KB, minified and gzipped", () => {
  expect(gzipSync(readFileSync("dist/study/page.js"), { level: 9 }).length).toBeLessThanOrEqual(15 * 1024);
});
