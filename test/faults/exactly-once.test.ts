import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type Client, createClient } from "../../src/client/index.ts";
import { DeckhandError } from "../../src/errors.ts";
import type { HttpSettings } from "../../src/http/index.ts";
import { cli } from "../support/cli.ts";
import { withTransport } from "../support/collection.ts";
import { fakeService, sendJson } from "../support/fake-service.ts";
import { everyFault, type Fault, type FaultProxy, faultProxy } from "../support/fault-proxy.ts";
import { handled } from "../support/handled.ts";
import { httpTo } from "../support/http.ts";
import { seededRandom } from "../support/random.ts";
import { openTestApplication, startTestServer } from "../support/service.ts";
import { count, figure, seed } from "../support/soak.ts";

const share = 0.05;

async function behindFaults(but: readonly Fault[] = []) {
  const server = await startTestServer();
  const random = seededRandom(seed);
  const proxy = await faultProxy({ target: server.url, random, shares: everyFault(share, but) });
  onTestFinished(() => proxy.close());
  const collection = <T>(work: (client: Client) => Promise<T>) =>
    withTransport(server.application.as("default"), work);
  const client = async (settings: Partial<HttpSettings> = {}) =>
    createClient(await httpTo(proxy.url, { key: server.key, timeout: 300, random, ...settings }));
  return { server, proxy, collection, client };
}

/** All cards of the collection: their ids by content. */
async function cardsByContent(client: Client): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for await (const page of client.cards.pages({}))
    for (const card of page.docs)
      found.set(card.content ?? "", [...(found.get(card.content ?? "") ?? []), card.id]);
  return found;
}

const asked = (proxy: FaultProxy, method: string) =>
  proxy.log.filter((each) => each.method === method && each.status !== undefined);

it("creates each card once or says that it may exist, whatever happens on the way", async () => {
  const cards = count("cards", 80, 2000);
  const { proxy, collection, client } = await behindFaults();
  const deck = (await collection((local) => local.decks.create({ name: "Geography" }))).id;
  const acknowledged = new Map<string, string>();
  const uncertain = new Set<string>();
  const refused = new Set<string>();
  const remote = await client();
  for (let number = 0; number < cards; number++) {
    const content = `card ${number}`;
    try {
      acknowledged.set(content, (await remote.cards.create({ content, "deck-id": deck })).id);
    } catch (error) {
      if (!(error instanceof DeckhandError)) throw error;
      expect(["server", "network", "timeout", "bad-response", "rate-limited"]).toContain(error.code);
      if (error.uncertain) expect(error.message).toContain("it may have been carried out");
      (error.uncertain ? uncertain : refused).add(content);
    }
  }
  const found = await collection(cardsByContent);
  for (const [content, id] of acknowledged) expect(found.get(content), content).toEqual([id]);
  for (const content of uncertain) expect(found.get(content)?.length ?? 0).toBeLessThan(2);
  for (const content of refused) expect(found.get(content)).toBeUndefined();
  expect(acknowledged.size + uncertain.size + refused.size).toBe(cards);
  // None was sent again after the service had heard of it, and nearly everything that was not lost got through.
  expect(new Set(asked(proxy, "POST").map(({ body }) => String(body))).size).toBe(
    asked(proxy, "POST").length,
  );
  expect(uncertain.size).toBeGreaterThan(cards * share * 4);
  expect(refused.size).toBeLessThan(cards * 0.02);
  const made = [...uncertain].filter((content) => found.has(content)).length;
  figure("creates", {
    cards,
    acknowledged: acknowledged.size,
    uncertain: uncertain.size,
    made,
    refused: refused.size,
  });
  figure("faults", proxy.counts);
}, 1_800_000);

it("updates, reads and deletes within its retries, or says that it did not", async () => {
  const cards = count("changes", 12, 500);
  const { collection, client, proxy } = await behindFaults();
  const ids = await collection(async (local) => {
    const deck = (await local.decks.create({ name: "Geography" })).id;
    const made: string[] = [];
    for (let number = 0; number < cards; number++)
      made.push((await local.cards.create({ content: `card ${number}`, "deck-id": deck })).id);
    return made;
  });
  const remote = await client({ retries: 20 });
  const reasons: string[] = [];
  const outcome = async (work: Promise<unknown>) => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof DeckhandError)) throw error;
      reasons.push(error.message);
      return error;
    }
  };
  const failed = { updates: 0, reads: 0, deletes: 0 };
  for (const [number, id] of ids.entries()) {
    const content = `changed ${number}`;
    const updated = await outcome(remote.cards.update(id, { content }));
    const read = await outcome(remote.cards.get(id));
    const now = await collection((local) => local.cards.get(id));
    if (updated instanceof DeckhandError) failed.updates++;
    else expect(now.content).toBe(content);
    if (read instanceof DeckhandError) failed.reads++;
    else expect(read).toEqual(now);
    if (number % 2 === 1) continue;
    const deleted = await outcome(remote.cards.delete(id));
    if (deleted instanceof DeckhandError) failed.deletes++;
    else expect(await outcome(collection((local) => local.cards.get(id)))).toMatchObject({ status: 404 });
  }
  expect(failed.updates + failed.reads + failed.deletes, reasons.join("\n")).toBeLessThan(
    Math.max(2, cards / 10),
  );
  figure("changes", { cards, requests: proxy.log.length, failed });
}, 1_800_000);

it("creates each line of a file once, over as many runs of the same command as it takes", async () => {
  const cards = count("lines", 12, 300);
  const { server, proxy, collection } = await behindFaults(["stall", "delay", "drip"]);
  const home = cli({ DECKHAND_BASE_URL: proxy.url, DECKHAND_API_KEY: server.key });
  onTestFinished(() => home.remove());
  const deck = (await collection((local) => local.decks.create({ name: "Geography" }))).id;
  mkdirSync(home.home, { recursive: true });
  const file = join(home.home, "cards.ndjson");
  writeFileSync(
    file,
    Array.from({ length: cards }, (_, i) => JSON.stringify({ content: `card ${i + 1}` })).join("\n"),
  );
  let runs = 0;
  for (let code: number | null = -1; code !== 0; runs++) {
    expect(runs, "runs").toBeLessThan(cards + 10);
    code = (await home.run(["cards", "create", "--deck-id", deck, "--from", file, "--fail-fast"])).code;
  }
  const found = await collection(cardsByContent);
  expect(found.size).toBe(cards);
  expect([...found.values()].filter((ids) => ids.length !== 1)).toEqual([]);
  figure("lines", { cards, runs });
}, 1_800_000);

it("finds a card whose answer was lost in the run before, though others are made before it now", async () => {
  const application = await openTestApplication();
  let troubled = true;
  let lost = false;
  const service = await fakeService(async ({ method, url, headers, body }, response) => {
    const [path = "", query = ""] = url.split("?");
    if (troubled && body.includes("first")) return sendJson(response, 400, { errors: ["not today"] });
    if (troubled && lost) return void response.socket?.destroy();
    const request = { method, path, query, headers: headers as Record<string, string>, body };
    const answer = await handled(application, request);
    if (troubled && body.includes("second")) {
      lost = true;
      return void response.socket?.destroy();
    }
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  onTestFinished(() => service.close());
  const env = { DECKHAND_BASE_URL: service.url, DECKHAND_API_KEY: application.key, DECKHAND_RETRIES: "0" };
  const home = cli(env);
  onTestFinished(() => home.remove());
  const collection = <T>(work: (client: Client) => Promise<T>) =>
    withTransport(application.as("default"), work);
  const deck = (await collection((local) => local.decks.create({ name: "Geography" }))).id;
  const file = join(home.home, "cards.csv");
  writeFileSync(file, "front,back\nfirst,a\nsecond,b\n");
  const args = ["import", file, "--deck-id", deck, "--yes"];
  expect((await home.run(args)).code).not.toBe(0);
  troubled = false;
  await home.ok(args);
  expect([...(await collection(cardsByContent)).values()].map((ids) => ids.length)).toEqual([1, 1]);
});

// A stall costs the command a whole timeout each time; the tests above have it. What a client learns from 429s that come
// at random, ever slower sending, would be most of the time of a long run: it has a test in test/http/pace.test.ts.
const imports: readonly (readonly [what: string, but: readonly Fault[], lines: number])[] = [
  ["every fault but stalls", ["stall"], count("import_limited", 4, 40)],
  ["no limits", ["stall", "limited", "limited-with-pause"], count("import", 7, 300)],
];
for (const [what, but, lines] of imports)
  it(`imports each line of a file once, over as many runs as it takes: ${what}`, async () => {
    const { server, proxy, collection } = await behindFaults(but);
    const home = cli({ DECKHAND_BASE_URL: proxy.url, DECKHAND_API_KEY: server.key });
    onTestFinished(() => home.remove());
    const deck = (await collection((local) => local.decks.create({ name: "Geography" }))).id;
    const file = join(home.home, "cards.csv");
    mkdirSync(home.home, { recursive: true });
    const rows = Array.from({ length: lines }, (_, number) => `question ${number},answer ${number}`);
    writeFileSync(file, ["front,back", ...rows].join("\n"));
    let runs = 0;
    for (let code: number | null = -1; code !== 0; runs++) {
      expect(runs, "runs").toBeLessThan(lines + 10);
      const run = await home.run(["import", file, "--deck-id", deck, "--yes"]);
      code = run.code;
      // The plan reads cards before anything is sent; a read that fails after all retries ends with 7 or 8.
      const failedToPlan = (code === 7 || code === 8) && /could not (?:list|read)/.test(run.stderr);
      if (code !== 0 && !failedToPlan && !/Run it again/.test(run.stderr))
        throw new Error(`${code} ${run.stderr}`);
    }
    const found = await collection(cardsByContent);
    expect(found.size).toBe(lines);
    expect([...found.values()].filter((ids) => ids.length !== 1)).toEqual([]);
    const creates = asked(proxy, "POST").length;
    figure("import", { what, lines, runs, creates, requests: proxy.log.length, faults: proxy.counts });
  }, 3_600_000);
