import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { loadSqlite } from "../../src/sqlite.ts";
import { type Cli, cli, program } from "../support/cli.ts";
import { makeCards, withCollection } from "../support/collection.ts";
import { judge, median } from "./support.ts";

/**
 * `due list` on the profile `local`, from the start of the process to its end, over collections of three sizes in ten
 * decks: with 100 cards due of all, where size should not matter, and with all of them due. Needs a build.
 *
 *     node scripts/run.mjs test/bench/due.ts
 *
 * `ROUNDS` sets how often (7).
 */

const rounds = Number(process.env["ROUNDS"] ?? 7);
const sizes = [1000, 10_000, 100_000];
/** The largest to the smallest, with as many due. */
const most = 1.25;

async function main(): Promise<void> {
  const collections = new Map<string, { readonly home: Cli; readonly due: number }>();
  for (const size of sizes)
    for (const due of [100, size])
      collections.set(`${due} due of ${size}`, { home: await collection(size, due), due });
  const times = new Map([...collections.keys()].map((name) => [name, [] as number[]]));
  for (let round = -1; round < rounds; round += 1)
    for (const [name, { home, due }] of collections) {
      const taken = list(home, due);
      if (round >= 0) times.get(name)?.push(taken);
    }
  for (const { home } of collections.values()) home.remove();
  console.log("due list, local");
  for (const [name, taken] of times)
    console.log(`  ${name.padEnd(44)} ${median(taken).toFixed(1).padStart(8)} ms`);
  const of = (size: number) => median(times.get(`100 due of ${size}`) ?? []);
  process.exitCode = judge("100 due of 100000, to 100 due of 1000", of(100_000) / of(1000), most) ? 0 : 1;
}

/** Milliseconds from the start of the program to its end. */
function list({ env, home }: Cli, due: number): number {
  const begun = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, "due", "list", "-o", "id"], {
    env,
    cwd: home,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const taken = performance.now() - begun;
  const lines = stdout.split("\n").length - 1;
  if (status !== 0 || lines !== due) throw new Error(`${lines} cards, ended with ${status}: ${stderr}`);
  return taken;
}

/** Ten cards are made as usual, one for each deck, then multiplied where they lie. */
async function collection(size: number, due: number): Promise<Cli> {
  const home = cli({ DECKHAND_PROFILE: "local" });
  await home.ok(["decks", "create", "Begin"]);
  const content = `What is the capital of **this country**? #geography\n---\n${"It is a large city by a river. ".repeat(5)}`;
  await withCollection(join(home.home, "data"), async (client) => {
    for (let deck = 0; deck < 10; deck += 1) await makeCards(client, [content], `Deck ${deck}`);
  });
  const database = new (loadSqlite())(join(home.home, "data", "service", "store.sqlite"));
  const [now, day] = [Date.now(), 86_400_000];
  database.exec(`
    begin;
    insert into card (account, id, deck_id, pos, ready, due_at, document, facts)
      with recursive number (n) as (select 1 union all select n + 1 from number where n < ${size / 10 - 1})
      select account, id || '-' || n, deck_id, pos, ready, null, json_set(document, '$.id', id || '-' || n), facts from card, number;
    update card set due_at = ${now + 30 * day};
    update card set due_at = ${now - day} where rowid in (select rowid from card order by id limit ${due});
    insert into review (account, card_id, date, due, remembered, duration)
      select account, id, ${now - 9 * day}, due_at, 1, 4.5 from card;
    update card set document = json_set(document, '$.new?', json('false'), '$.reviews', json_array(json_object(
      'date', json_object('date', '${new Date(now - 9 * day).toISOString()}'),
      'due', json_object('date', strftime('%Y-%m-%dT%H:%M:%fZ', due_at / 1000.0, 'unixepoch')),
      'remembered?', json('true'), 'duration', 4.5)));
    commit;
    analyze`);
  database.close();
  return home;
}

await main();
