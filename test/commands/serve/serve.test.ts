import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Cli, cli, type Served, serve } from "../../support/cli.ts";
import { waitFor } from "../../support/wait-for.ts";

function home(env: NodeJS.ProcessEnv = {}): Cli {
  const made = cli(env);
  onTestFinished(() => made.remove());
  return made;
}

async function running(host: Cli, args: readonly string[] = []): Promise<Served> {
  const served = await serve(host, args);
  onTestFinished(() => {
    served.process.kill("SIGKILL");
  });
  return served;
}

const basic = (key: string) => ({ authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}` });
const get = (served: Served, path: string, key = served.key) =>
  fetch(`${served.url}${path}`, { headers: basic(key) });

describe("serve", () => {
  test("refuses a dry run, and makes no account for it", async () => {
    const host = home({ DECKHAND_PROFILE: "local" });
    expect(await host.run(["serve", "--port", "0", "--dry-run"])).toMatchObject({ code: 2, stdout: "" });
    expect(await host.ok(["serve", "key", "list"])).toBe("");
  });

  test("opens the collection of the profile local, and ends with 0 when it is stopped", async () => {
    const host = home({ DECKHAND_PROFILE: "local" });
    const deck = (await host.ok(["decks", "create", "Here already"])).trim();
    const served = await running(host);
    expect(await (await get(served, "/decks")).json()).toMatchObject({ docs: [{ id: deck }] });
    expect(await served.stop("SIGINT")).toBe(0);
    expect(await (await again(host)).stop("SIGTERM")).toBe(0);
  });

  test("prints the key of a new account once, and keeps it in no file", async () => {
    const host = home();
    const served = await running(host);
    expect((await get(served, "/decks")).status).toBe(200);
    expect((await get(served, "/decks", "wrong")).status).toBe(401);
    await served.stop();
    const later = await again(host);
    expect(later.stderr()).toBe("");
    expect((await get({ ...served, url: later.url }, "/decks")).status).toBe(200);
    await later.stop("SIGTERM");
  });

  test("answers under --base-path, and prints it in its address", async () => {
    const served = await running(home(), ["--base-path", "/api/"]);
    expect(served.url).toMatch(/:\d+\/api$/);
    expect((await get(served, "/decks")).status).toBe(200);
    expect((await get({ ...served, url: new URL(served.url).origin }, "/decks")).status).toBe(404);
    for (const path of ["api", "/a b", "/a?b", "//a"])
      expect((await home().run(["serve", "--base-path", path])).code, path).toBe(2);
  });

  test("warns that keys are sent unencrypted if other machines can connect", async () => {
    const open = await running(home(), ["--host", "0.0.0.0"]);
    expect(open.stderr()).toContain("keys are sent unencrypted to 0.0.0.0");
    await open.stop();
    expect((await running(home(), ["--host", "::1"])).stderr()).not.toContain("unencrypted");
  });

  test("logs each request with --verbose: account, path and status, and never the key", async () => {
    const served = await running(home(), ["--verbose"]);
    await get(served, "/decks?limit=3");
    await get(served, "/cards/nosuch");
    await get(served, "/due", "wrong-key");
    await get(served, `/cards/${served.key}?key=${btoa(`${served.key}:`)}`);
    const escaped = served.key.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
    await get(served, `/cards?key=${escaped}&name=${"%C3%A9".repeat(40)}`);
    await served.stop();
    const lines = served
      .stderr()
      .split("\n")
      .filter((line) => line.includes(" GET "));
    const at = "\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z 127.0.0.1";
    expect(lines).toEqual(
      [
        `default GET /decks\\?limit=3 200 \\d+ms`,
        `default GET /cards/nosuch 404 \\d+ms`,
        `- GET /due 401 \\d+ms`,
        `default GET /cards/\\[masked\\]\\?key=\\[masked\\](?:=|%3D)* 404 \\d+ms`,
        `default GET /cards\\?key=\\[masked\\]&name=(?:%C3%A9){40} 200 \\d+ms`,
      ].map((line) => expect.stringMatching(new RegExp(`^${at} ${line}$`))),
    );
    expect(served.stderr().split(served.key)).toHaveLength(2);
    expect(served.stderr()).not.toContain("wrong-key");
  });

  test("logs objects with --log-format json, named as the client or a proxy named the request", async () => {
    const served = await running(home(), ["--log-format", "json"]);
    const headers = { ...basic(served.key), "x-request-id": "edge-7" };
    const named = await fetch(`${served.url}/cards/nosuch`, { headers });
    const other = await fetch(`${served.url}/decks`, {
      headers: { ...basic(served.key), "x-request-id": "two words" },
    });
    await served.stop();
    const lines = served
      .stderr()
      .split("\n")
      .filter((line) => line.startsWith("{"));
    const [first, second] = lines.map((line) => JSON.parse(line));
    expect(first).toMatchObject({
      level: "info",
      event: "request",
      id: "edge-7",
      address: "127.0.0.1",
      account: "default",
      method: "GET",
      target: "/cards/nosuch",
      status: 404,
      complete: true,
    });
    expect(named.headers.get("x-request-id")).toBe("edge-7");
    expect(second.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(other.headers.get("x-request-id")).toBe(second.id);
  });

  test("says without a key whether it runs and can be used", async () => {
    const served = await running(home(), ["--base-path", "/api"]);
    for (const path of ["/healthz", "/readyz"]) {
      const answer = await fetch(`${served.url}${path}`);
      expect([answer.status, await answer.text()], path).toEqual([200, "ok\n"]);
      expect((await fetch(`${served.url}${path}`, { method: "HEAD" })).headers.get("content-length")).toBe(
        "3",
      );
      expect((await fetch(`${served.url}${path}`, { method: "POST" })).status).toBe(401);
    }
    await served.stop();
  });

  test("counts requests on --metrics-port, by operation and status and never by account", async () => {
    const served = await running(home(), ["--metrics-port", "0", "--base-path", "/api"]);
    await get(served, "/decks");
    await get(served, "/cards/anything");
    await get(served, "/nowhere", "wrong");
    await waitFor(() => served.stdout().includes("metrics at "), "the address of the metrics");
    const url = /metrics at (\S+)/.exec(served.stdout())?.[1] ?? "";
    const text = async () => (await fetch(url)).text();
    await expect.poll(text, { timeout: 10_000 }).toMatch(/_count\{operation="other"/);
    expect((await fetch(url)).headers.get("content-type")).toContain("application/openmetrics-text");
    expect(await text()).toContain(
      'deckhand_request_duration_seconds_count{operation="decks.list",status="200"} 1',
    );
    expect(await text()).toContain('operation="cards.get",status="404"} 1');
    expect(await text()).toContain('operation="other",status="401"} 1');
    expect(await text()).not.toContain("default");
    expect(await text()).toMatch(/# EOF\n$/);
    expect((await fetch(`${served.url}/metrics`)).status).toBe(401);
    expect((await fetch(new URL("/", url))).status).toBe(404);
    expect(await served.stop()).toBe(0);
  });

  test("logs a request whose connection was lost as incomplete", async () => {
    const served = await running(home(), ["--verbose"]);
    const { hostname, port } = new URL(served.url);
    const socket = connect(Number(port), hostname);
    const { authorization } = basic(served.key);
    socket.write(
      `POST /decks HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: ${authorization}\r\ncontent-type: application/json\r\ncontent-length: 20\r\n\r\n{`,
      () => socket.destroy(),
    );
    await waitFor(() => / POST \/decks - \d+ms incomplete$/m.test(served.stderr()), "the line");
    await served.stop();
  });

  test("finishes the request in flight before it ends", async () => {
    const host = home();
    const served = await running(host);
    const deck = await (
      await fetch(`${served.url}/decks`, {
        method: "POST",
        headers: { ...basic(served.key), "content-type": "application/json" },
        body: JSON.stringify({ name: "D" }),
      })
    ).json();
    const body = JSON.stringify({
      content: "written while it stops",
      "deck-id": (deck as { id: string }).id,
    });
    const answer = new Promise<number | undefined>((resolve, reject) => {
      const sent = request(`${served.url}/cards`, {
        method: "POST",
        headers: {
          ...basic(served.key),
          "content-type": "application/json",
          "content-length": body.length,
          expect: "100-continue",
        },
      });
      sent.on("response", (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on("error", reject);
      // The service has read the head. It is told to stop, and gets the body when it listens no more.
      sent.on("continue", () => {
        served.process.kill("SIGTERM");
        untilRefused(served.url).then(() => sent.end(body), reject);
      });
      sent.flushHeaders();
    });
    const ended = new Promise((done) => served.process.once("close", done));
    expect(await answer).toBe(200);
    expect(await ended).toBe(0);
    expect(await host.ok(["cards", "list", "--columns", "name", "--profile", "local"])).toBe(
      "written while it stops\n",
    );
  });

  test("accepts burst protection and further host names", async () => {
    const host = home();
    const served = await running(host, ["--burst", "3/60", "--allow-host", "cards.example"]);
    const asked = (name: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const sent = request(`${served.url}/decks`, { headers: { ...basic(served.key), host: name } });
        sent.on("response", (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        sent.on("error", reject).end();
      });
    expect(await asked("evil.example")).not.toBe(200);
    expect(await asked("cards.example")).toBe(200);
    const statuses = [];
    for (let index = 0; index < 4; index++) statuses.push((await get(served, "/decks")).status);
    expect(statuses).toContain(429);
    expect(await served.stop()).toBe(0);
  });

  test("accepts the share of cards to be remembered", async () => {
    const days = async (share: string) => {
      const served = await running(home(), ["--retention", share]);
      const post = async (path: string, body: unknown) => {
        const headers = { ...basic(served.key), "content-type": "application/json" };
        const answer = await fetch(served.url + path, {
          method: "POST",
          headers,
          body: JSON.stringify(body),
        });
        return (await answer.json()) as { id: string; reviews: { due: { date: string } }[] };
      };
      const deck = await post("/decks", { name: "D" });
      const { id } = await post("/cards", { content: "x", "deck-id": deck.id });
      const date = "2026-01-01T00:00:00.000Z";
      const { reviews } = await post(`/cards/${id}/reviews`, { date, "remembered?": true });
      await served.stop();
      return (Date.parse(reviews[0]?.due.date ?? "") - Date.parse(date)) / 86_400_000;
    };
    expect(await days("0.97")).toBeLessThan(await days(".7"));
    expect(await home().run(["serve", "--retention", "90"])).toMatchObject({ code: 2, stdout: "" });
  });

  test("asks as many cards a day as the settings of the machine say", async () => {
    const host = home({ DECKHAND_PROFILE: "local" });
    await host.ok(["config", "set", "review.new-per-day", "2"]);
    await host.ok(["decks", "create", "Words"]);
    for (const front of ["one", "two", "three"]) await host.ok(["add", front, "x", "--deck", "Words"]);
    const served = await running(host);
    expect(await (await get(served, "/today")).json()).toMatchObject({ today: { new: 2 } });
    expect(await host.ok(["due", "--count"])).toBe("2\n");
    await served.stop("SIGTERM");
  });

  test("reports why it cannot listen", async () => {
    const host = home();
    const served = await running(host);
    const port = new URL(served.url).port;
    const { code, stdout, stderr } = await host.run(["serve", "--port", port]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("something is listening there already");
    for (const args of [["--port", "x"], ["--burst", "1"], ["extra"]])
      expect(await host.run(["serve", ...args])).toMatchObject({ code: 2, stdout: "" });
    await served.stop();
  });
});

describe("serve key", () => {
  test("adds, lists and removes keys, also while the service runs", async () => {
    const host = home();
    const data = join(host.home, "collections");
    const served = await running(host, ["--data", data]);
    const key = await host.ok(["serve", "key", "add", "anna", "--data", data]);
    expect(key).toMatch(/^[0-9A-Za-z]{32}\n$/);
    expect((await get(served, "/decks", key.trim())).status).toBe(200);
    const other = JSON.parse(await host.ok(["serve", "key", "add", "béla", "--data", data, "-o", "json"]));
    expect(other).toEqual({ account: "béla", key: expect.stringMatching(/^[0-9A-Za-z]{32}$/) });
    expect((await get(served, "/decks", other.key)).status).toBe(200);
    const listed = await host.ok(["serve", "key", "list", "--data", data, "--columns", "account"]);
    expect(listed).toBe("default\nanna\nbéla\n");
    expect(await host.ok(["serve", "key", "list", "--data", data, "-o", "json"])).not.toContain(key.trim());
    expect(await host.run(["serve", "key", "remove", "anna", "--data", data])).toMatchObject({ code: 0 });
    // Keys are remembered for a second.
    await expect
      .poll(async () => (await get(served, "/decks", key.trim())).status, { timeout: 20_000 })
      .toBe(401);
    expect(await host.run(["serve", "key", "remove", "anna", "--data", data])).toMatchObject({ code: 4 });
    await served.stop();
  });

  test("refuses an invalid account name", async () => {
    const host = home();
    for (const args of [["add"], ["add", "a b"], ["list", "anna"], ["rename", "anna"], []])
      expect(await host.run(["serve", "key", ...args])).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("serve account", () => {
  test("sets the days of an account, which its due cards follow", async () => {
    const host = home();
    const set = ["serve", "account", "set", "default"];
    await host.ok([...set, "--time-zone", "Pacific/Auckland", "--day-starts-at", "03:00"]);
    const served = await running(host);
    const json = { ...basic(served.key), "content-type": "application/json" };
    const post = async (path: string, body: object) =>
      (
        await fetch(`${served.url}${path}`, { method: "POST", headers: json, body: JSON.stringify(body) })
      ).json();
    const deck = (await post("/decks", { name: "D" })) as { id: string };
    const card = (await post("/cards", { content: "x", "deck-id": deck.id })) as { id: string };
    const review = { date: "2025-06-09T14:59:00.000Z", "remembered?": true };
    // 02:59 on 10 June in Auckland is 9 June: due at noon of 11 June there.
    expect(await post(`/cards/${card.id}/reviews`, review)).toMatchObject({
      reviews: [{ due: { date: "2025-06-11T00:00:00.000Z" } }],
    });
    await served.stop();
  });

  test("refuses an invalid time zone, an invalid start of a day, and a command without either", async () => {
    const host = home();
    const set = ["set", "anna"];
    for (const args of [[...set, "--time-zone", "Mars"], [...set, "--day-starts-at", "13:00"], set, ["set"]])
      expect(await host.run(["serve", "account", ...args])).toMatchObject({ code: 2, stdout: "" });
  });
});

async function untilRefused(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  let refused = false;
  while (!refused)
    refused = await new Promise((done) => {
      const socket = connect(Number(port), hostname);
      socket.on("connect", () => done(false));
      socket.on("error", () => done(true));
      socket.end();
    });
}

/** Starts it on data that has a key already: then stderr stays silent. */
async function again(host: Cli) {
  const child = host.start(["serve", "--port", "0"]);
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<number | null>((done) => child.on("close", done));
  await new Promise((ready) => child.stdout?.once("data", ready));
  return {
    url: /listening on (\S+)/.exec(stdout)?.[1] ?? "",
    stderr: () => stderr,
    stop(signal: NodeJS.Signals) {
      child.kill(signal);
      return ended;
    },
  };
}
