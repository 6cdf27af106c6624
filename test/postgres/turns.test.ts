import { request } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { type Application, openApplication } from "../../src/service/app.ts";
import { openStore } from "../../src/service/store/index.ts";
import { hasHaproxy, startBalancer } from "../support/balancer.ts";
import { handled } from "../support/handled.ts";
import { freePort, giveDatabase, runOn, runsAll, takeDatabase } from "../support/postgres.ts";
import { askOnce, type Replica, startReplica } from "../support/replicas.ts";
import { idOf, rawClient } from "../support/requests.ts";
import { count, figure } from "../support/soak.ts";
import { logTurns } from "../support/turn-log.ts";
import { replicated } from "./replicated.ts";

/** Several servers on one database. */
async function servers(
  number: number,
  options: Partial<Parameters<typeof openApplication>[0]> = {},
): Promise<{ url: string; key: string; applications: Application[] }> {
  const url = await takeDatabase();
  onTestFinished(() => giveDatabase(url));
  const applications: Application[] = [];
  for (let at = 0; at < number; at++) {
    const application = await openApplication({ folder: "", database: { url }, now: Date.now, ...options });
    onTestFinished(() => application.close());
    applications.push(application);
  }
  return { url, key: (await applications[0]?.keys.add("anna")) ?? "", applications };
}

const headersOf = (key: string) => ({ authorization: `Basic ${btoa(`${key}:`)}` });
const getDecks = (key: string) => ({ method: "GET", path: "/decks", query: "", headers: headersOf(key) });

const each = count("requests", 5, 50);

test(`one account has one request at a time over all servers: 10 clients x ${each} requests overlap 0 times`, async () => {
  const { url, key, applications } = await servers(2);
  const turns = await logTurns(url);
  const clients = applications.map((application) => rawClient(application, key));
  const deck = idOf((await clients[0]?.("POST", "/decks", { name: "d" })) ?? ({} as never));
  let turn = 0;
  const oneAfterTheOther = async (client: number) => {
    for (let at = 0; at < each; ) {
      // As a balancer does: each request goes to the next server.
      const ask = clients[turn++ % clients.length];
      const answer = await ask?.("POST", "/cards", { content: `${client} ${at}`, "deck-id": deck });
      expect([200, 429]).toContain(answer?.status);
      if (answer?.status === 200) at++;
    }
  };
  await Promise.all(Array.from({ length: 10 }, (_, client) => oneAfterTheOther(client)));
  const { taken, overlaps } = await turns();
  expect(overlaps).toBe(0);
  expect(taken).toBeGreaterThanOrEqual(10 * each + 1);
  expect(await runOn(url, "select count(*)::int as count from card")).toEqual([{ count: 10 * each }]);
}, 300_000);

test("a client that sends one request after the other gets no 429, whichever servers they go to", async () => {
  const { key, applications } = await servers(3);
  for (let at = 0; at < 60; at++) {
    const application = applications[at % 3];
    expect(application && (await handled(application, getDecks(key))).status).toBe(200);
  }
});

test("a turn that was given back is free, though a renewal that was under way comes after it", async () => {
  const { url } = await servers(1);
  const store = await openStore({ database: { url } });
  onTestFinished(() => store.close());
  const claim = { lease: 60_000, burst: undefined };
  expect(await store.turns?.take("anna", { ...claim, holder: "first" })).toBeUndefined();
  expect(await store.turns?.take("anna", { ...claim, holder: "second" })).toEqual({ reason: "active" });
  await store.turns?.give("anna", "first");
  await store.turns?.renew(new Map([["anna", "first"]]), 60_000);
  expect(await store.turns?.take("anna", { ...claim, holder: "second" })).toBeUndefined();
});

test("the turn of a server that was killed is free when its lease ends, and not before", async () => {
  const { key, applications } = await servers(2, { lease: 600 });
  const [killed, other] = applications as [Application, Application];
  await handled(other, getDecks(key));
  // Its answer is never finished, and the process renews nothing from now on.
  const began = Date.now();
  await killed.answer(getDecks(key));
  await killed.close();
  expect((await handled(other, getDecks(key))).status).toBe(429);
  await expect.poll(async () => (await handled(other, getDecks(key))).status, { timeout: 20_000 }).toBe(200);
  expect(Date.now() - began).toBeGreaterThanOrEqual(600);
});

// It waits for a whole lease.
test.runIf(runsAll)(
  "a server that is killed with a request in progress keeps its account for one lease at most",
  async () => {
    const { host, url, key } = await replicated();
    const [killed, other] = [await startReplica(host, url), await startReplica(host, url)];
    onTestFinished(() => [killed, other].forEach((replica) => void replica.process.kill("SIGKILL")));
    // Its body does not end.
    const headers = { ...headersOf(key), "content-type": "application/json", "content-length": 100 };
    const active = request(`${killed.url}/decks`, { method: "POST", headers }).on("error", () => {});
    active.write('{"name":');
    const held = () => runOn(url, "select 1 from turn where until > 0");
    await expect.poll(held, { timeout: 20_000 }).toHaveLength(1);
    const ask = async () => (await askOnce(other.url, key, "GET", "/decks")).status;
    expect(await ask()).toBe(429);
    killed.process.kill("SIGKILL");
    await killed.ended;
    const began = performance.now();
    const now = "(extract(epoch from clock_timestamp()) * 1000)::float";
    const [turn] = await runOn(url, `select until::float, ${now} as now from turn`);
    expect(Number(turn?.["until"]) - Number(turn?.["now"])).toBeLessThanOrEqual(10_000);
    await expect.poll(ask, { timeout: 60_000 }).toBe(200);
    figure("from the kill to the next turn, ms", Math.round(performance.now() - began));
    const [after] = await runOn(url, `select ${now} as now`);
    expect(Number(after?.["now"])).toBeGreaterThanOrEqual(Number(turn?.["until"]));
  },
);

test("a turn is kept for longer than a lease while its server lives", async () => {
  const { key, applications } = await servers(2, { lease: 300 });
  const [first, second] = applications as [Application, Application];
  const { release } = await first.answer(getDecks(key));
  const until = Date.now() + 1_200;
  while (Date.now() < until) expect((await handled(second, getDecks(key))).status).toBe(429);
  await release();
  expect((await handled(second, getDecks(key))).status).toBe(200);
});

test("requests of an account are counted over all servers, and of no other account", async () => {
  const clock = { now: 5_000_000 };
  const { key, applications } = await servers(2, {
    now: () => clock.now,
    burst: { requests: 4, seconds: 10 },
  });
  const [first, second] = applications as [Application, Application];
  for (const application of [first, second, first, second])
    expect((await handled(application, getDecks(key))).status).toBe(200);
  clock.now += 3_000;
  const refused = await handled(first, getDecks(key));
  expect(refused).toMatchObject({ status: 429, headers: { "retry-after": "7" } });
  expect((await handled(second, getDecks(await first.keys.add("béla")))).status).toBe(200);
  clock.now += 7_000;
  expect((await handled(second, getDecks(key))).status).toBe(200);
});

test.runIf(hasHaproxy)(
  `behind a balancer, 10 clients x ${each} requests overlap 0 times, and restarts of both servers lose nothing`,
  async () => {
    const { host, url, key } = await replicated();
    const turns = await logTurns(url);
    const ports = [await freePort(), await freePort()];
    const start = (port = 0) => startReplica(host, url, ["--port", String(port)]);
    const replicas: Replica[] = [await start(ports[0]), await start(ports[1])];
    onTestFinished(() => replicas.forEach((replica) => void replica.process.kill("SIGKILL")));
    const balancer = await startBalancer(ports);
    onTestFinished(() => balancer.stop());
    const deck = (await askOnce(balancer.url, key, "POST", "/decks", { name: "d" })).body["id"];
    const acknowledged = new Map<string, string>();
    let [uncertain, sent, restarting] = [0, 0, true];
    const oneAfterTheOther = async (client: number) => {
      for (let at = 0; at < each || restarting; ) {
        const content = `${client} ${at}`;
        const { status, body } = await askOnce(balancer.url, key, "POST", "/cards", {
          content,
          "deck-id": deck,
        });
        if (status === 200) acknowledged.set(content, String(body["id"]));
        else if (![0, 429, 502, 503].includes(status)) throw new Error(`${status} ${JSON.stringify(body)}`);
        if (status === 0 || status === 502) uncertain++;
        if (status === 429 || status === 503) continue;
        at++;
        sent++;
      }
    };
    const done = Promise.all(Array.from({ length: 10 }, (_, client) => oneAfterTheOther(client)));
    for (const at of [0, 1]) {
      const reached = acknowledged.size;
      await expect.poll(() => acknowledged.size, { timeout: 60_000 }).toBeGreaterThan(reached + each);
      replicas[at]?.process.kill("SIGTERM");
      expect(await replicas[at]?.ended).toBe(0);
      replicas[at] = await start(ports[at]);
    }
    restarting = false;
    await done;
    const rows = await runOn(url, "select id, document::json->>'content' as content from card");
    const stored = new Map(rows.map((row) => [row["content"], row["id"]]));
    expect(stored.size).toBe(rows.length);
    for (const [content, id] of acknowledged) expect(stored.get(content)).toBe(id);
    expect(acknowledged.size + uncertain).toBe(sent);
    const { taken, overlaps } = await turns();
    expect(overlaps).toBe(0);
    figure("turns behind the balancer", { taken, acknowledged: acknowledged.size, uncertain });
  },
  300_000,
);
