import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient } from "../../src/client/index.ts";
import { type ExportFormat, exportCollection } from "../../src/collections/export/export.ts";
import { importSource } from "../../src/collections/import.ts";
import { planImport } from "../../src/collections/import-plan.ts";
import { Journal } from "../../src/collections/journal.ts";
import { Ledger } from "../../src/collections/ledger.ts";
import { openSource } from "../../src/collections/read/open.ts";
import { createHttp, noThrottle, systemClock } from "../../src/http/index.ts";
import { openApplication } from "../../src/service/app.ts";

/**
 * How fast collections go in and out of the local service, against the least that could be done: the same creates, and
 * the same pages, in a bare loop through the client. Medians of rounds that take turns; the memory is that of an import
 * as it goes on, after a collection of garbage.
 *
 *     npx rolldown test/bench/collections.ts --platform node --format cjs --dir dist/bench \
 *       && node --expose-gc dist/bench/collections.js
 *
 * `CARDS` sets how many cards (10000), `ROUNDS` how often (3).
 */

const cards = Number(process.env["CARDS"] ?? 10_000);
const rounds = Number(process.env["ROUNDS"] ?? 3);
const root = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
let folders = 0;

async function local(): Promise<Client> {
  const folder = join(root, `home-${folders++}`);
  mkdirSync(folder);
  const application = await openApplication({ folder, now: Date.now });
  return createClient(
    createHttp({
      transport: application.as("default"),
      codec: "json",
      timeout: 60_000,
      retries: 0,
      throttle: noThrottle,
      userAgent: "deckhand/bench",
      clock: systemClock,
      random: Math.random,
    }),
  );
}

const row = (index: number) => ({
  front: `What is the capital of country number ${index}?`,
  back: `City ${index}, on the river ${index % 97}`,
  tags: ["geography", `region-${index % 20}`],
});

async function main(): Promise<void> {
  const csv = join(root, "cards.csv");
  const lines = Array.from({ length: cards }, (_, index) => {
    const { front, back, tags } = row(index);
    return `"${front}","${back}","${tags.join(", ")}"\n`;
  });
  writeFileSync(csv, `front,back,tags\n${lines.join("")}`);

  const [bare, imported] = [[] as number[], [] as number[]];
  let filled: Client | undefined;
  for (let round = 0; round < rounds; round++) {
    bare.push(await timed(async () => bareCreates(await local())));
    const client = await local();
    imported.push(await timed(() => importCsv(client, csv, round === 0)));
    filled = client;
  }
  report(`${cards} cards from CSV, journaled`, imported, "bare creates", bare, "speed", (a, b) => b / a);

  const pages: number[] = [];
  const exports = new Map<ExportFormat, number[]>();
  for (let round = 0; round < rounds; round++) {
    pages.push(await timed(() => barePages(filled as Client)));
    for (const format of ["ndjson", "csv", "mochi", "markdown"] as const) {
      const times = exports.get(format) ?? [];
      times.push(await timed(() => exportAll(filled as Client, format)));
      exports.set(format, times);
    }
  }
  for (const [format, times] of exports)
    report(`${cards} cards to ${format}`, times, "bare pages", pages, "time", (a, b) => a / b);
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
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

async function importCsv(client: Client, path: string, watch: boolean): Promise<void> {
  const deck = await client.decks.create({ name: "Cards" }).send();
  const source = await openSource(path);
  const plan = await planImport(source);
  const journal = Journal.open(join(root, `journal-${folders}`), { command: "import", account: "bench" });
  await importSource(source, plan, {
    client,
    ledger: new Ledger(journal),
    deck: deck.id,
    reviews: true,
    attachmentList: true,
    existingDeck: () => undefined,
    skip: () => {},
    failed: (error) => {
      throw error;
    },
    progress: (done) => {
      if (watch && done % (cards / 5) === 0) console.log(`  after ${done} cards: ${heap()} MiB of heap`);
    },
  });
  journal.close();
}

function heap(): string {
  (globalThis as { gc?: () => void }).gc?.();
  return (process.memoryUsage().heapUsed / 1024 / 1024).toFixed(1);
}

async function barePages(client: Client): Promise<void> {
  let count = 0;
  for await (const page of client.cards.pages()) count += page.docs.length;
  if (count !== cards) throw new Error(`${count} cards`);
}

async function exportAll(client: Client, format: ExportFormat): Promise<void> {
  const target = join(root, `export-${folders++}.${format}`);
  const summary = await exportCollection({
    client,
    target,
    format,
    scope: "bench",
    decks: undefined,
    attachmentList: true,
    attachmentDownload: true,
    progress: () => {},
  });
  if (summary.cards !== cards || statSync(target).size === 0) throw new Error(`${summary.cards} cards`);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const median = (times: readonly number[]) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

function report(
  what: string,
  times: readonly number[],
  floor: string,
  floors: readonly number[],
  ratio: string,
  of: (a: number, b: number) => number,
): void {
  const [time, least] = [median(times), median(floors)];
  console.log(
    `${what}: ${Math.round(time)} ms; ${floor}: ${Math.round(least)} ms; ${ratio} ${of(time, least).toFixed(2)}`,
  );
}

void main();
