import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Client } from "../../src/client/index.ts";
import { type Application, openApplication } from "../../src/service/app.ts";
import { startServer } from "../../src/service/server.ts";
import { exportCollection } from "../../src/transfer/export/export.ts";
import { type ExportFormat, exportFormats } from "../../src/transfer/model.ts";
import { withHosted, withLocal } from "./hosted.ts";
import { benchmark, cpuTime, judge, median, peakMemory, run, start, tell } from "./support.ts";

/**
 * A collection exported in every format, against a bare loop over its pages through the same client: with the local
 * service in the same process, with a service in a process of its own, and with one that is 20 ms away, as hosted ones
 * are at the least. A folder of markdown is compared with that loop
 * and the writing of the same files, too. All take turns in one process, after a round that does not count.
 *
 *     node scripts/run.mjs test/bench/exports.ts
 *
 * `CARDS` sets how many cards (10000), `ROUNDS` how often (7). Where a file system is slow to make files after many were
 * removed, as ext4 is, `TMPDIR` names a quieter place.
 */

const cards = Number(process.env["CARDS"] ?? 10_000);
const rounds = Number(process.env["ROUNDS"] ?? 7);
const most = 1.3;
const distance = 20;

interface Task {
  readonly folder: string;
  readonly url?: string;
  readonly key?: string;
  /** Milliseconds that each answer takes longer. */
  readonly distance?: number;
  readonly rounds?: number;
}
type Subject = ExportFormat | "pages" | "pages and files";
type Taken = Readonly<Record<Subject, { readonly ms: number; readonly cpu: number }>> & {
  readonly peak: number;
};

async function main(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  await run("fill", { folder });
  console.log(`${cards} cards, the service in the same process`);
  let held = judgeAll(await run<Taken>("measure", { folder }));
  const server = await start<Pick<Task, "url" | "key">>("server", { folder });
  console.log(`${cards} cards, the service in a process of its own`);
  held = judgeAll(await run<Taken>("measure", { folder, ...server.told })) && held;
  server.process.kill();
  const away = await start<Pick<Task, "url" | "key">>("server", { folder, distance });
  console.log(`${cards} cards, the service ${distance} ms away`);
  held = judgeAll(await run<Taken>("measure", { folder, ...away.told, rounds: 3 })) && held;
  away.process.kill();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  return held;
}

function judgeAll(taken: Taken): boolean {
  const { pages } = taken;
  tell("bare loop over the pages", pages.ms, `ms, ${pages.cpu.toFixed(0)} ms of CPU`);
  let held = true;
  for (const format of exportFormats) {
    const { ms, cpu } = taken[format];
    const floor = format === "markdown" ? "pages and files" : "pages";
    tell(format, ms, `ms, ${cpu.toFixed(0)} ms of CPU, ${(cpu / pages.cpu).toFixed(2)} of the loop's`);
    if (format === "markdown") tell("markdown to the pages alone", ms / pages.ms, "times");
    held = judge(`${format} to ${floor}`, ms / taken[floor].ms, most) && held;
  }
  tell("peak memory", taken.peak, "MiB");
  return held;
}

async function fill({ folder }: Task): Promise<null> {
  await withLocal(join(folder, "home"), async (client) => {
    const deck = await client.decks.create({ name: "Cards" }).send();
    for (let index = 0; index < cards; index++)
      await client.cards
        .create({
          content: `What is the capital of country number ${index}?\n---\nCity ${index}, on the river ${index % 97}`,
          "deck-id": deck.id,
          "manual-tags": ["geography", `region-${index % 20}`],
        })
        .send();
  });
  return null;
}

async function server({ folder, distance = 0 }: Task): Promise<Pick<Task, "url" | "key">> {
  const application = await openApplication({ folder: join(folder, "home"), now: Date.now });
  const away: Application = {
    ...application,
    async answer(request) {
      if (distance > 0) await new Promise((resolve) => setTimeout(resolve, distance));
      return application.answer(request);
    },
  };
  const { url } = await startServer(away, { host: "127.0.0.1", port: 0 });
  return { url, key: await application.keys.add("default") };
}

function measure({ folder, url, key, rounds: wanted = rounds }: Task): Promise<Taken> {
  return url === undefined || key === undefined
    ? withLocal(join(folder, "home"), (client) => rounded(client, folder, wanted))
    : withHosted({ url, key, codec: "json" }, (client) => rounded(client, folder, wanted));
}

async function rounded(client: Client, folder: string, rounds: number): Promise<Taken> {
  let targets = 0;
  let latest = "";
  const target = () => {
    latest = join(folder, `target-${process.pid}-${targets++}`);
    return latest;
  };
  const files = new Map<string, string>();
  const subjects: Readonly<Record<Subject, () => Promise<unknown>>> = {
    pages: () => pages(client),
    ...(Object.fromEntries(
      exportFormats.map((format) => [format, () => exportAll(client, target(), format)]),
    ) as Record<ExportFormat, () => Promise<unknown>>),
    "pages and files": async () => {
      await pages(client);
      writeFiles(target(), files);
    },
  };
  const sample = target();
  await exportAll(client, sample, "markdown");
  for (const entry of readdirSync(sample, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      files.set(path.slice(sample.length), readFileSync(path, "utf8"));
    }
  const all = new Map<string, { ms: number; cpu: number }[]>();
  for (let round = -1; round < rounds; round++)
    for (const [name, subject] of Object.entries(subjects)) {
      const [begun, cpu] = [performance.now(), cpuTime()];
      await subject();
      const taken = { ms: performance.now() - begun, cpu: cpuTime() - cpu };
      // Else each round would take memory that the machine has to ask its host for first.
      rmSync(latest, { recursive: true, force: true });
      if (round >= 0) all.set(name, [...(all.get(name) ?? []), taken]);
    }
  const medians = [...all].map(([name, each]) => [
    name,
    { ms: median(each.map(({ ms }) => ms)), cpu: median(each.map(({ cpu }) => cpu)) },
  ]);
  return { ...Object.fromEntries(medians), peak: peakMemory() };
}

async function pages(client: Client): Promise<void> {
  let count = 0;
  for await (const page of client.cards.pages()) count += page.docs.length;
  if (count !== cards) throw new Error(`${count} cards`);
}

async function exportAll(client: Client, target: string, format: ExportFormat): Promise<void> {
  const summary = await exportCollection({
    client,
    target,
    format,
    account: "bench",
    deck: undefined,
    confirm: async () => {},
    decks: undefined,
    attachmentList: true,
    attachmentDownload: true,
    progress: () => {},
  });
  if (summary.cards !== cards) throw new Error(`${summary.cards} cards`);
}

function writeFiles(target: string, files: ReadonlyMap<string, string>): void {
  const made = new Set<string>();
  for (const [path, text] of files) {
    const file = join(target, path);
    const folder = dirname(file);
    if (!made.has(folder)) mkdirSync(folder, { recursive: true });
    made.add(folder);
    writeFileSync(file, text);
  }
}

await benchmark(main, { fill, server, measure });
