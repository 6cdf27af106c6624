import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "../../src/client/index.ts";
import { openSource } from "../../src/transfer/formats/open.ts";
import { Journal } from "../../src/transfer/import/journal.ts";
import { Ledger } from "../../src/transfer/import/ledger.ts";
import { noMatches } from "../../src/transfer/import/match.ts";
import { planImport } from "../../src/transfer/import/plan.ts";
import { importSource } from "../../src/transfer/import/run.ts";
import { Scratch } from "../../src/transfer/import/scratch.ts";
import { heap } from "../support/heap.ts";
import { withLocal } from "./hosted.ts";
import { benchmark, judge, median, tell } from "./support.ts";

/**
 * Cards imported from CSV into the local service, journaled, against the same creates in a bare loop through the client,
 * taking turns; and what is in memory while it goes on, after a collection of garbage.
 *
 *     node scripts/run.mjs test/bench/imports.ts
 *
 * `CARDS` sets how many cards (10000), `ROUNDS` how often (3).
 */

const cards = Number(process.env["CARDS"] ?? 10_000);
const rounds = Number(process.env["ROUNDS"] ?? 3);
/** 60% of the speed. */
const most = 1 / 0.6;
/** How much more may be in memory after the last card than after a fifth of them, in MiB. */
const mostGrowth = 20;

const row = (index: number) => ({
  front: `What is the capital of country number ${index}?`,
  back: `City ${index}, on the river ${index % 97}`,
  tags: ["geography", `region-${index % 20}`],
});

async function main(): Promise<boolean> {
  const root = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  const csv = join(root, "cards.csv");
  const lines = Array.from({ length: cards }, (_, index) => {
    const { front, back, tags } = row(index);
    return `"${front}","${back}","${tags.join(", ")}"\n`;
  });
  writeFileSync(csv, `front,back,tags\n${lines.join("")}`);
  const [bare, imported, memory] = [[] as number[], [] as number[], [] as number[]];
  for (let round = 0; round < rounds; round++) {
    bare.push(await withLocal(join(root, `bare-${round}`), (client) => timed(() => bareCreates(client))));
    const journal = join(root, `journal-${round}`);
    const watch = (done: number) => {
      if (round === 0 && done % (cards / 5) === 0) memory.push(heap());
    };
    imported.push(
      await withLocal(join(root, `import-${round}`), (client) =>
        timed(() => importCsv(client, csv, journal, watch)),
      ),
    );
  }
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
  console.log(`${cards} cards from CSV, journaled`);
  tell("bare creates", median(bare), "ms");
  tell("import", median(imported), `ms: ${(median(bare) / median(imported)).toFixed(2)} of the speed`);
  const held = judge("time", median(imported) / median(bare), most);
  console.log(`  heap after each fifth: ${memory.map((each) => each.toFixed(0)).join(", ")} MiB`);
  return judge("growth of the heap", (memory.at(-1) ?? 0) - (memory[0] ?? 0), mostGrowth, " MiB") && held;
}

async function bareCreates(client: Client): Promise<void> {
  const deck = await client.decks.create({ name: "Cards" }).send();
  for (let index = 0; index < cards; index++) {
    const { front, back, tags } = row(index);
    await client.cards
      .create({ content: `${front}\n---\n${back}`, "deck-id": deck.id, "manual-tags": tags })
      .send();
  }
}

async function importCsv(
  client: Client,
  path: string,
  journalPath: string,
  progress: (done: number) => void,
): Promise<void> {
  const deck = await client.decks.create({ name: "Cards" }).send();
  const source = await openSource(path);
  const plan = await planImport(source);
  const journal = await Journal.open(journalPath, { command: "import", account: "bench" });
  await importSource(source, plan, {
    client,
    ledger: new Ledger(journal),
    deck: deck.id,
    reviews: true,
    attachmentList: true,
    withDecks: (create) => create(new Map()),
    matches: noMatches,
    scratch: new Scratch(),
    known: { note: () => {} },
    overwrite: false,
    now: Date.now(),
    leftFiles: () => {},
    left: () => {},
    skip: () => {},
    failed: (error) => {
      throw error;
    },
    progress,
  });
  journal.close();
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

await benchmark(main, {});
