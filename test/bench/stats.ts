import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Days } from "../../src/schedule/days.ts";
import { Scheduler } from "../../src/schedule/index.ts";
import { blankCard, reviewedCard, rowOf } from "../../src/service/routes/card-documents.ts";
import { insertRow } from "../../src/service/store/documents.ts";
import { openStore } from "../../src/service/store/index.ts";
import { putReviews } from "../../src/service/store/reviews.ts";
import { seededRandom } from "../support/random.ts";
import { judge, median, tell } from "./support.ts";

/**
 * `deckhand stats` of 20,000 cards with 100,000 reviews, against listing the cards: both on the profile `local`, each run
 * a process of its own, taking turns.
 *
 *     npm run build && node scripts/run.mjs test/bench/stats.ts
 */

const cards = 20_000;
const reviewsEach = 5;
const rounds = Number(process.env["ROUNDS"] ?? 5);
const most = 4;
const dayLength = 86_400_000;

const home = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
try {
  await fill(join(home, "data"));
  const taken = { list: [] as number[], stats: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    taken.list.push(timeOf(["cards", "list", "-o", "ndjson"]));
    taken.stats.push(timeOf(["stats", "-o", "json"]));
  }
  tell("listing the cards", median(taken.list), "ms");
  tell("the statistics", median(taken.stats), "ms");
  const held = judge("statistics against listing", median(taken.stats) / median(taken.list), most);
  process.exitCode = held ? 0 : 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}

function timeOf(args: readonly string[]): number {
  const begun = performance.now();
  const { status } = spawnSync(process.execPath, ["bin/deckhand.js", ...args], {
    env: { PATH: process.env["PATH"], DECKHAND_HOME: home, DECKHAND_PROFILE: "local", TZ: "UTC" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) throw new Error(`deckhand ${args.join(" ")} ended with ${status}`);
  return performance.now() - begun;
}

async function fill(data: string): Promise<void> {
  const store = await openStore({ folder: join(data, "service") });
  const random = seededRandom(1);
  const scheduler = new Scheduler({ days: new Days({ timeZone: "UTC" }) });
  const account = "default";
  await store.write(account, async (db) => {
    for (let index = 0; index < cards; index++) {
      const id = `card${String(index).padStart(5, "0")}`;
      const first = Date.now() - Math.floor(60 + random() * 600) * dayLength;
      const history = Array.from({ length: reviewsEach }, (_, n) => ({
        date: new Date(first + n * n * 4 * dayLength).toISOString(),
        "remembered?": random() < 0.9,
      }));
      const rows = scheduler.replay(history).map(({ date, due }, n) => ({
        account,
        card_id: id,
        date: Date.parse(date),
        due: Date.parse(due),
        due_given: 0,
        remembered: history[n]?.["remembered?"] ? 1 : 0,
        duration: Math.round(random() * 30),
      }));
      const blank = blankCard(id, "deck0000", `a${String(index).padStart(6, "0")}`, first);
      await insertRow(db, "card", rowOf(account, reviewedCard(blank, rows)));
      await putReviews(db, rows);
    }
  });
  await store.close();
}
