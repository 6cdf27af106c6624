import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openApplication } from "../../src/service/app.ts";
import { loadSqlite } from "../../src/sqlite.ts";
import { type Cli, cli, program } from "../support/cli.ts";
import { makeCards, withCollection } from "../support/collection.ts";
import { createPostgres, runOn } from "../support/postgres.ts";
import { idOf, rawClient } from "../support/requests.ts";
import { cpuTime, judge, median, tell } from "./support.ts";

/**
 * What a learner waits for each morning, over 100,000 cards: `due` and `decks list` from the start of the process to its
 * end, and what choosing the day of a card adds to recording a review, on PostgreSQL, too. Needs a build.
 *
 *     node scripts/run.mjs test/bench/mornings.ts
 */

const all = 100_000;

/** A card in each deck, multiplied in the store; every second one is due. */
async function collection(decks: number): Promise<Cli> {
  const home = cli({ DECKHAND_PROFILE: "local" });
  await home.ok(["decks", "create", "Begin"]);
  await withCollection(join(home.home, "data"), (client) => makeCards(client, ["a\n---\nb"], "Deck"));
  const database = new (loadSqlite())(join(home.home, "data", "service", "store.sqlite"));
  const now = Date.now();
  database.exec(`
    begin;
    insert into deck (account, id, parent_id, sort, ready, live, document, checksum)
      with recursive number (n) as (select 1 union all select n + 1 from number where n < ${decks - 1})
      select account, 'd' || n, null, n, 1, 1, json_set(document, '$.name', 'Deck ' || n), 0 from deck, number
      where id = (select deck_id from card limit 1);
    insert into card (account, id, deck_id, pos, ready, due_at, document, facts, checksum)
      with recursive number (n) as (select 1 union all select n + 1 from number where n < ${all - 1})
      select account, 'c' || n, 'd' || (1 + n % ${decks - 1}), pos, 1,
        case when n % 2 then ${now} - n * 1000 else null end,
        json_set(document, '$.id', 'c' || n), facts, 0 from card, number where id = (select id from card limit 1);
    commit;
    analyze`);
  database.close();
  return home;
}

/** Milliseconds from the start of the program to its end, the median of five. */
function time({ env, home }: Cli, args: readonly string[]): number {
  const times = Array.from({ length: 5 }, () => {
    const begun = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], {
      env,
      cwd: home,
      maxBuffer: 1 << 26,
    });
    if (status !== 0) throw new Error(`${args.join(" ")}: ${String(stderr)}`);
    return performance.now() - begun;
  });
  return median(times);
}

async function commands(): Promise<boolean[]> {
  const [few, many] = [await collection(10), await collection(5000)];
  const start = time(few, ["version"]);
  tell("version: starting alone", start, "ms");
  const due = time(few, ["due"]);
  const count = time(few, ["due", "--count"]);
  const decks = time(many, ["decks", "list"]);
  for (const home of [few, many]) home.remove();
  return [
    judge("milliseconds of due, 100,000 cards", due, 1000),
    judge("milliseconds of decks list, 5,000 decks", decks, 1000),
    judge("due --count against decks list", count / decks, 2),
  ];
}

/** What a review takes in a collection of 100,000, with the day chosen by the load and with the plain interval, in turns. */
async function recording(name: string, database?: (statement: string) => Promise<unknown>, url?: string) {
  const day = 86_400_000;
  // Of PostgreSQL the server takes a part of it.
  const now = url === undefined ? cpuTime : () => performance.now();
  const folder = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  const clock = { now: Date.parse("2026-11-20T12:00:00Z") };
  const sides = [];
  for (const balance of [true, false]) {
    const options = { folder, now: () => clock.now, keyDelay: 0, learning: { balance } };
    const application = await openApplication(
      url === undefined ? options : { ...options, database: { url } },
    );
    const spent: number[] = [];
    sides.push({ application, ask: rawClient(application, await application.keys.add("default")), spent });
  }
  const { ask } = sides[0] ?? never();
  const deck = idOf(await ask("POST", "/decks", { name: "d" }));
  const ids: string[] = [];
  for (let index = 0; index < 800; index++)
    ids.push(idOf(await ask("POST", "/cards", { content: `c${index}`, "deck-id": deck })));
  for (const ago of [0, 3, 12]) {
    clock.now += ago * day;
    for (const id of ids) await ask("POST", `/cards/${id}/reviews`, { "remembered?": true });
  }
  await (database ?? sqlite(folder))(`
    insert into card (account, id, deck_id, pos, ready, due_at, document, facts, checksum)
      with recursive number (n) as (select 1 union all select n + 1 from number where n < ${all})
      select account, 'c' || n, deck_id, pos, 1, ${clock.now} + cast(n % 365 as bigint) * ${day}, document, facts, checksum
      from card, number where id = '${ids[0]}'`);
  clock.now += 30 * day;
  for (let part = 0; part < 16; part++) {
    const { ask, spent } = sides[part % 2] ?? never();
    const before = now();
    for (const id of ids.slice(part * 50, part * 50 + 50))
      await ask("POST", `/cards/${id}/reviews`, { "remembered?": true });
    spent.push((now() - before) / 50);
  }
  for (const { application } of sides) await application.close();
  rmSync(folder, { recursive: true, force: true });
  const [chosen = 1, plain = 1] = sides.map(({ spent }) => median(spent));
  tell(`a review, plain interval, ${name}`, plain, "ms");
  tell("the same with the day chosen", chosen, "ms");
  return judge("chosen against plain", chosen / plain, 1.2);
}

const sqlite = (folder: string) => async (statement: string) => {
  const store = new (loadSqlite())(join(folder, "service", "store.sqlite"));
  store.exec(statement);
  store.exec("analyze");
  store.close();
};

async function onPostgres(): Promise<boolean> {
  const server = await createPostgres(["fsync=on"]);
  try {
    await runOn(server.urlOf("postgres"), "create database bench");
    const url = server.urlOf("bench");
    const run = async (statement: string) => {
      await runOn(url, statement);
      await runOn(url, "vacuum analyze");
    };
    return await recording("PostgreSQL", run, url);
  } finally {
    await server.stop();
  }
}

function never(): never {
  throw new Error("there are two sides");
}

const held = [await recording("SQLite"), await onPostgres(), ...(await commands())];
process.exitCode = held.every((each) => each) ? 0 : 1;
