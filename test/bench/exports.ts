import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "../../src/client/index.ts";
import { type Application, openApplication } from "../../src/service/app.ts";
import { startServer } from "../../src/service/server.ts";
import { exportCollection } from "../../src/transfer/export/export.ts";
import { type ExportFormat, exportFormats } from "../../src/transfer/model.ts";
import { ankiFloor, folderFloor, htmlFloor, mochiFloor, transitFloor } from "./export-floors.ts";
import { withHosted, withLocal } from "./hosted.ts";
import { benchmark, cpuTime, judge, median, peakMemory, run, start, tell } from "./support.ts";

/**
 * A collection exported in every format, against a bare loop over its pages through the same client: with the local
 * service in the same process, with a service in a process of its own, and with one that is 20 ms away, as hosted ones
 * are at the least. All take turns in one process, after a round that does not count.
 *
 * The other floors (`export-floors.ts`) do what any program has to do for a file of the format. For a folder of markdown
 * they write the same files; for `.mochi` each card by the writer of transit-js, compressed by the same writer of
 * archives; for Anki's text what one call of marked makes of each side. For `.apkg` they make that and the checksum of
 * the first side, insert the same rows, but for the documents of ours, into the same SQLite, and pack it. The limit
 * applies to these, and to the pages alone where a format has no other. What an export takes of the pages alone, and of
 * the container without a conversion, is printed besides.
 *
 *     node scripts/run.mjs test/bench/exports.ts
 *
 * `CARDS` sets how many cards (10000), `ROUNDS` how often (7). Where a file system is slow to make files after many were
 * removed, as ext4 is, `TMPDIR` names a quieter place.
 */

const cards = Number(process.env["CARDS"] ?? 10_000);
const rounds = Number(process.env["ROUNDS"] ?? 7);
const most = 2;
const distance = 20;
/** The floors of a format besides the pages alone; the limit applies to the first. */
const floors: { readonly [format in ExportFormat]?: readonly Floor[] } = {
  markdown: ["pages and files"],
  mochi: ["pages, transit and zip", "pages and zip"],
  apkg: ["pages, HTML, rows and zip", "pages, rows and zip"],
};
type Floor =
  | "pages"
  | "pages and files"
  | "pages, transit and zip"
  | "pages and zip"
  | "pages, HTML, rows and zip"
  | "pages, rows and zip"
  | "pages and HTML";

interface Task {
  readonly folder: string;
  readonly url?: string;
  readonly key?: string;
  /** Milliseconds that each answer takes longer. */
  readonly distance?: number;
  readonly rounds?: number;
}
type Taken = Readonly<Record<ExportFormat | Floor, { readonly ms: number; readonly cpu: number }>> & {
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
    tell(format, ms, `ms, ${cpu.toFixed(0)} ms of CPU`);
    const [limited = "pages", ...others] = [...(floors[format] ?? []), "pages" as const];
    for (const floor of [limited, ...others])
      tell(`${format} to ${floor}, CPU`, cpu / taken[floor].cpu, "times");
    for (const floor of others) tell(`${format} to ${floor}`, ms / taken[floor].ms, "times");
    held = judge(`${format} to ${limited}`, ms / taken[limited].ms, most) && held;
  }
  tell("peak memory", taken.peak, "MiB");
  return held;
}

async function fill({ folder }: Task): Promise<null> {
  await withLocal(join(folder, "home"), async (client) => {
    const deck = await client.decks.create({ name: "Cards" });
    for (let index = 0; index < cards; index++)
      await client.cards.create({
        content: `What is the capital of country number ${index}?\n---\nCity ${index}, on the river ${index % 97}`,
        "deck-id": deck.id,
        "manual-tags": ["geography", `region-${index % 20}`],
      });
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
  const sample = async (format: ExportFormat) => {
    const path = target();
    await exportAll(client, path, format);
    return path;
  };
  const pageCount = await pages(client);
  const markdown = folderFloor(await sample("markdown"));
  const mochi = await mochiFloor(await sample("mochi"), pageCount);
  const anki = await sample("apkg");
  const rows = await ankiFloor(anki, pageCount, "rows alone");
  const html = await ankiFloor(anki, pageCount, "with conversion");
  const subjects: Readonly<Record<ExportFormat | Floor, () => Promise<unknown>>> = {
    pages: () => pages(client),
    ...(Object.fromEntries(
      exportFormats.map((format) => [format, () => exportAll(client, target(), format)]),
    ) as Record<ExportFormat, () => Promise<unknown>>),
    "pages and files": () => markdown(client.cards.pages(), target()),
    "pages, transit and zip": () => transitFloor(client.cards.pages(), target()),
    "pages and zip": () => mochi(client.cards.pages(), target()),
    "pages, HTML, rows and zip": () => html(client.cards.pages(), target()),
    "pages, rows and zip": () => rows(client.cards.pages(), target()),
    "pages and HTML": () => htmlFloor(client.cards.pages(), target()),
  };
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

/** @returns how many pages there are */
async function pages(client: Client): Promise<number> {
  let [count, pageCount] = [0, 0];
  for await (const page of client.cards.pages()) {
    count += page.docs.length;
    pageCount++;
  }
  if (count !== cards) throw new Error(`${count} cards`);
  return pageCount;
}

async function exportAll(client: Client, target: string, format: ExportFormat): Promise<void> {
  const summary = await exportCollection({
    client,
    target,
    format,
    account: "bench",
    deck: undefined,
    decks: undefined,
    attachmentList: true,
    attachmentDownload: true,
    progress: () => {},
  });
  if (summary.cards !== cards) throw new Error(`${summary.cards} cards`);
}

await benchmark(main, { fill, server, measure });
