import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client as Connection } from "undici";
import { cli, serve } from "../support/cli.ts";
import { createPostgres, runOn } from "../support/postgres.ts";
import { addKeys, startReplica } from "../support/replicas.ts";
import { judge, median, tell } from "./support.ts";

/**
 * `deckhand serve` on PostgreSQL: creates and pages of one account against SQLite; one account among many against one
 * alone; the shares of many accounts at once; and what it takes of memory, connections and disk. Needs a build, and a PostgreSQL server to start (test/support/postgres.ts).
 *
 *     node scripts/run.mjs test/bench/postgres.ts
 *
 * `ROUNDS` sets how often (5), `ACCOUNTS` how many accounts of 1,000 cards (1000).
 */

const rounds = Number(process.env["ROUNDS"] ?? 5);
const accounts = Number(process.env["ACCOUNTS"] ?? 1000);
const cardsEach = 1000;
const together = 200;

interface Place {
  readonly url: string;
  readonly key: string;
  /** Of the server. */
  readonly pid: number;
}

async function main(): Promise<boolean> {
  // What is acknowledged survives a crash of the machine, as with SQLite.
  const server = await createPostgres(["fsync=on"]);
  const host = cli({ DECKHAND_PROFILE: "local", DECKHAND_DATABASE_POOL_SIZE: "20" });
  const data = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  const ended: (() => unknown)[] = [];
  const onDatabase = async (name: string): Promise<Place> => {
    await runOn(server.urlOf("postgres"), `create database ${name}`);
    const [key = ""] = await addKeys(server.urlOf(name), ["first"]);
    const { url, process } = await startReplica(host, server.urlOf(name));
    ended.push(() => process.kill());
    return { url, key, pid: process.pid ?? 0 };
  };
  try {
    const served = await serve(host, ["--data", data]);
    ended.push(() => served.stop());
    const sqlite = { ...served, pid: served.process.pid ?? 0 };
    const alone = await onDatabase("alone");
    const held = [await againstSqlite(sqlite, await onDatabase("one"))];
    const many = await onDatabase("many");
    await fill(server.urlOf("alone"), alone, 1);
    await fill(server.urlOf("many"), many, accounts);
    const idle = memoryOf(many.pid);
    held.push(await amongMany(alone, many), await shares(many));
    await sizes(server.urlOf("many"), many, idle);
    return held.every(Boolean);
  } finally {
    for (const end of ended) end();
    host.remove();
    rmSync(data, { recursive: true, force: true });
    await server.stop();
  }
}

async function againstSqlite(sqlite: Place, postgres: Place): Promise<boolean> {
  const [creates, pages] = [ratios(), ratios()];
  for (let round = 0; round < rounds; round += 1)
    for (const [name, place] of [
      ["sqlite", sqlite],
      ["postgres", postgres],
    ] as const) {
      const ask = client(place);
      const deck = String((await ask("POST", "/decks", { name: `round ${round}` }))["id"]);
      const body = { content: `A question of some length\n---\nAnd its answer`, "deck-id": deck };
      creates[name].push(await timed(200, () => ask("POST", "/cards", body)));
      pages[name].push(await timed(100, () => ask("GET", `/cards?limit=100&deck-id=${deck}`)));
      await ask.close();
    }
  console.log("PostgreSQL beside SQLite, one account");
  for (const [what, { sqlite: one, postgres: other }] of Object.entries({ creates, pages })) {
    tell(`${what}, SQLite`, 1000 / median(one), "a second");
    tell(`${what}, PostgreSQL`, 1000 / median(other), "a second");
  }
  // At least 0.4 times as many.
  return [
    judge(
      "creates: time on PostgreSQL to that on SQLite",
      median(creates.postgres) / median(creates.sqlite),
      2.5,
    ),
    judge("pages: time on PostgreSQL to that on SQLite", median(pages.postgres) / median(pages.sqlite), 2.5),
  ].every(Boolean);
}

const ratios = () => ({ sqlite: [] as number[], postgres: [] as number[] });

const keyOf = (account: number) => `benchkey${String(account).padStart(24, "0")}`;

/** Adds accounts with cards in ten decks, half of them due, and a key of each: copies of what the API has created. */
async function fill(database: string, place: Place, count: number): Promise<void> {
  const ask = client(place);
  const deck = String((await ask("POST", "/decks", { name: "d" }))["id"]);
  const words = "The mitochondrion is the powerhouse of the cell. ".repeat(8);
  const card = await ask("POST", "/cards", { content: `${words}\n---\n${words}`, "deck-id": deck });
  const id = String(card["id"]);
  await ask.close();
  const name = "'account ' || a";
  for (const sql of [
    `insert into key (account, hash, created_at)
       select ${name}, encode(sha256(('benchkey' || lpad(a::text, 24, '0'))::bytea), 'hex'), 0 from generate_series(1, ${count}) a`,
    `insert into deck select ${name}, 'deck000' || n, null, n, 1, 1, document, 0
       from deck, generate_series(1, ${count}) a, generate_series(0, 9) n where id = '${deck}'`,
    `insert into card select ${name}, lpad(n::text, 8, '0'), 'deck000' || n % 10, decode(lpad(to_hex(n), 8, '0'), 'hex'), 1,
       case when n % 2 = 0 then n end, replace(replace(document, '${id}', lpad(n::text, 8, '0')), '${deck}', 'deck000' || n % 10), facts, 0
       from card, generate_series(1, ${count}) a, generate_series(1, ${cardsEach}) n where id = '${id}'`,
    "vacuum analyze",
  ])
    await runOn(database, sql);
}

async function amongMany(alone: Place, many: Place): Promise<boolean> {
  const asked = {
    "card by id": (ask: Ask, at: number) =>
      ask("GET", `/cards/${String((at % cardsEach) + 1).padStart(8, "0")}`),
    "page of 100": (ask: Ask, at: number) => ask("GET", `/cards?limit=100&deck-id=deck000${at % 10}`),
    "100 due": (ask: Ask) => ask("GET", "/due?limit=100"),
  };
  console.log(`One account of ${cardsEach} cards among ${accounts}, to the same alone`);
  const held: boolean[] = [];
  for (const [what, question] of Object.entries(asked)) {
    const taken = { alone: [] as number[], many: [] as number[] };
    for (let at = 0; at < 60; at += 1)
      for (const [name, url, account] of [
        ["alone", alone.url, 1],
        ["many", many.url, 1 + ((at * 7919) % accounts)],
      ] as const) {
        const ask = client({ url, key: keyOf(account) });
        // The first request looks the key up and opens the connection.
        await ask("GET", "/schedule");
        taken[name].push(await timed(1, () => question(ask, at)));
        await ask.close();
      }
    tell(`${what}, alone`, median(taken.alone), "ms");
    tell(`${what}, among many`, median(taken.many), "ms");
    held.push(judge(`${what}: among many to alone`, median(taken.many) / median(taken.alone), 3));
  }
  return held.every(Boolean);
}

/** Many accounts at once, each one request after the other. */
async function shares(many: Place): Promise<boolean> {
  const began = performance.now();
  const taken = await Promise.all(
    Array.from({ length: Math.min(together, accounts) }, async (_, account) => {
      const ask = client({ url: many.url, key: keyOf(account + 1) });
      for (let at = 0; at < 20; at += 1) await ask("GET", `/cards?limit=10&deck-id=deck000${at % 10}`);
      await ask.close();
      return performance.now() - began;
    }),
  );
  console.log(`${taken.length} accounts at once, 20 pages each`);
  tell("median", median(taken), "ms");
  return judge("the slowest to the median", Math.max(...taken) / median(taken), 3);
}

/** What a server, its connections and the cards take, for docs/serve.md. */
async function sizes(database: string, { pid }: Place, idle: number): Promise<void> {
  const ask = async (sql: string) => runOn(database, sql);
  console.log("Sizes");
  tell("memory of a server, idle", idle, "MiB");
  tell(`memory of a server, after ${Math.min(together, accounts)} accounts at once`, memoryOf(pid), "MiB");
  tell("its most", memoryOf(pid, "VmHWM"), "MiB");
  const backends = await ask(
    "select pid from pg_stat_activity where application_name = 'deckhand' and datname = 'many'",
  );
  const each = backends.map((row) => memoryOf(Number(row["pid"]), "RssAnon"));
  tell("its connections", backends.length, "");
  tell("memory of a connection in PostgreSQL, the most", Math.max(...each), "MiB");
  const [cards] = await ask(
    "select pg_total_relation_size('card')::float as bytes, avg(length(document))::float as length from card",
  );
  tell("length of a card's document", Number(cards?.["length"]), "characters");
  tell("disk for 1,000 cards", Number(cards?.["bytes"]) / accounts / 2 ** 20, "MiB");
  await ask(
    "insert into review select account, id, n, n, 0, 1, 1.5 from card, generate_series(1, 10) n where account <= 'account 2'",
  );
  await ask("vacuum full review");
  const [reviews] = await ask(
    "select pg_total_relation_size('review')::float / count(*)::float as bytes from review",
  );
  tell("disk for 1,000 reviews", (Number(reviews?.["bytes"]) * 1000) / 2 ** 20, "MiB");
}

/** In MiB, as Linux counts it. */
const memoryOf = (pid: number, line = "VmRSS"): number =>
  Number(new RegExp(`${line}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

type Ask = ReturnType<typeof client>;

/** A connection of an account. It expects success. */
function client({ url, key }: Pick<Place, "url" | "key">) {
  const connection = new Connection(url);
  const headers = { authorization: `Basic ${btoa(`${key}:`)}`, "content-type": "application/json" };
  const ask = async (
    method: "GET" | "POST",
    path: string,
    sent?: object,
  ): Promise<Record<string, unknown>> => {
    const request = { method, path, headers, body: sent === undefined ? null : JSON.stringify(sent) };
    const { statusCode, body } = await connection.request(request);
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${method} ${path}: ${statusCode} ${text}`);
    return JSON.parse(text);
  };
  return Object.assign(ask, { close: () => connection.close() });
}

/** Milliseconds for each of some requests, one after the other. */
async function timed(count: number, request: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  for (let at = 0; at < count; at += 1) await request();
  return (performance.now() - began) / count;
}

process.exitCode = (await main()) ? 0 : 1;
