import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openApplication } from "../../src/service/app.ts";
import { loadSqlite } from "../../src/sqlite.ts";
import { type Cli, cli, program } from "../support/cli.ts";
import { makeCards, withCollection } from "../support/collection.ts";
import { idOf, rawClient } from "../support/requests.ts";
import { cpuTime, judge, median, tell } from "./support.ts";

/**
 * What a learner waits for each morning, over 100,000 cards: `due` and `decks list` from the start of the process to its
 * end, and what choosing the day of a card adds to recording a review. Needs a build.
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

/** Processor time of a review, with the day chosen by the load and with the plain interval, in turns. */
async function recording(): Promise<boolean> {
  const day = 86_400_000;
  const sides = await Promise.all(
    [true, false].map(async (balance) => {
      const clock = { now: Date.parse("2026-11-20T12:00:00Z") };
      const application = await openApplication({
        folder: mkdtempSync(join(tmpdir(), "deckhand-bench-")),
        now: () => clock.now,
        keyDelay: 0,
        learning: { balance },
      });
      const ask = rawClient(application, await application.keys.add("default"));
      const deck = idOf(await ask("POST", "/decks", { name: "d" }));
      const ids: string[] = [];
      for (let index = 0; index < 400; index++)
        ids.push(idOf(await ask("POST", "/cards", { content: `c${index}`, "deck-id": deck })));
      const review = async (from: number, to: number) => {
        for (const id of ids.slice(from, to))
          await ask("POST", `/cards/${id}/reviews`, { "remembered?": true });
      };
      for (const ago of [0, 3, 12]) {
        clock.now += ago * day;
        await review(0, ids.length);
      }
      clock.now += 30 * day;
      return { review, spent: [] as number[] };
    }),
  );
  for (let part = 0; part < 8; part++)
    for (const { review, spent } of sides) {
      const before = cpuTime();
      await review(part * 50, part * 50 + 50);
      spent.push((cpuTime() - before) / 50);
    }
  const [chosen = 1, plain = 1] = sides.map(({ spent }) => median(spent));
  tell("processor time of a review, plain interval", plain, "ms");
  tell("the same with the day chosen", chosen, "ms");
  return judge("chosen against plain", chosen / plain, 1.2);
}

const held = [await recording(), ...(await commands())];
process.exitCode = held.every((each) => each) ? 0 : 1;
