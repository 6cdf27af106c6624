import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "../../src/client/index.ts";
import { syncFolders } from "../../src/sync/sync.ts";
import { program } from "../support/cli.ts";
import { withLocal } from "./hosted.ts";
import { benchmark, judge, median, peakMemory, run, tell } from "./support.ts";

/**
 * A sync of a folder in which nothing has changed: the command against a list of the same cards, in turns, from the start
 * of the program to its end; then in one process, against a bare loop over the pages through the same client, by
 * processor time. Then the memory that it takes with ten times as many cards. Needs a build.
 *
 *     node scripts/run.mjs test/bench/sync.ts
 *
 * `CARDS` sets how many cards (10000), `ROUNDS` how often (9), `MANY` the larger number of cards (100000; 0 for none).
 */

const cards = Number(process.env["CARDS"] ?? 10_000);
const rounds = Number(process.env["ROUNDS"] ?? 9);
const many = Number(process.env["MANY"] ?? 100_000);
const most = 2;
/** Bytes of memory that each card more may take. */
const mostEach = 600;

interface Task {
  readonly folder: string;
  readonly cards: number;
  /** Whether only the pages are read, or only the sync is measured. */
  readonly only?: "pages" | "sync";
}

async function main(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  try {
    await run("fill", { folder, cards });
    console.log(`${cards} cards, nothing changed`);
    const commands = byCommand(folder);
    tell("deckhand cards list --all", commands.list, "ms");
    tell("deckhand sync", commands.sync, "ms");
    let held = judge("deckhand sync to cards list", commands.sync / commands.list, most);
    const { pages, sync, base } = await run<Measured>("measure", { folder, cards });
    tell("bare loop over the pages, in process", pages, "ms");
    tell("sync, in process", sync, "ms");
    console.log(`  ${"sync to the pages".padEnd(44)} ${(sync / pages).toFixed(2).padStart(8)}`);
    tell("state on the disk", base / 1024, "KiB");
    if (many > 0) held = (await memory(folder)) && held;
    return held;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Milliseconds from the start of the program to its end. */
function byCommand(folder: string): { readonly list: number; readonly sync: number } {
  const commands = { list: ["cards", "list", "--all"], sync: ["sync", join(folder, "cards"), "--yes"] };
  const taken = { list: [] as number[], sync: [] as number[] };
  // The first sync by the program makes its own state, and the second one finds that nothing was just written.
  for (let round = -2; round < rounds; round++)
    for (const name of ["list", "sync"] as const) {
      const begun = performance.now();
      const { status, stderr } = spawnSync(process.execPath, [program, ...commands[name]], {
        env: { PATH: process.env["PATH"], DECKHAND_HOME: folder, DECKHAND_PROFILE: "local" },
        encoding: "utf8",
        maxBuffer: 1 << 26,
      });
      if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
      if (round >= 0) taken[name].push(performance.now() - begun);
    }
  return { list: median(taken.list), sync: median(taken.sync) };
}

async function memory(folder: string): Promise<boolean> {
  const large = join(folder, "many");
  mkdirSync(large);
  await run("fill", { folder: large, cards: many });
  const peak = async (at: string, only: Task["only"]) =>
    (await run<Measured>("measure", { folder: at, cards: 0, only })).peak;
  const [few, of] = [await peak(folder, "sync"), await peak(large, "sync")];
  const [fewPages, ofPages] = [await peak(folder, "pages"), await peak(large, "pages")];
  console.log(`memory with ${many} cards against ${cards}`);
  tell("sync", of, `MiB, ${few.toFixed(0)} MiB`);
  tell("bare loop over the pages", ofPages, `MiB, ${fewPages.toFixed(0)} MiB`);
  const each = ((of - few) * 1024 * 1024) / (many - cards);
  return judge("memory for each card more", each, mostEach, " B");
}

async function fill({ folder, cards: number }: Task): Promise<null> {
  await withLocal(join(folder, "data"), async (client) => {
    const decks: string[] = [];
    for (let index = 0; index < 20; index++)
      decks.push((await client.decks.create({ name: `Deck ${index}` })).id);
    for (let index = 0; index < number; index++)
      await client.cards.create({
        content: `What is the capital of country number ${index}?\n---\nCity ${index}, on the river ${index % 97}`,
        "deck-id": decks[index % 20] ?? "",
        "manual-tags": ["geography", `region-${index % 20}`],
      });
    mkdirSync(join(folder, "cards"));
    await synced(client, folder);
    // Files are written long before the next sync.
    await synced(client, folder, Date.now() + 10_000);
  });
  return null;
}

interface Measured {
  readonly pages: number;
  readonly sync: number;
  readonly peak: number;
  /** The size of the state, in bytes. */
  readonly base: number;
}

function measure({ folder, only }: Task): Promise<Measured> {
  return withLocal(join(folder, "data"), async (client) => {
    const subjects = { pages: () => pages(client), sync: () => synced(client, folder) };
    const taken: Record<keyof typeof subjects, number[]> = { pages: [], sync: [] };
    for (let round = -1; round < (only === undefined ? rounds : 1); round++)
      for (const name of only === undefined ? (["pages", "sync"] as const) : [only]) {
        // Processor time: other processes of the machine do not count.
        const begun = process.cpuUsage();
        await subjects[name]();
        const { user, system } = process.cpuUsage(begun);
        if (round >= 0) taken[name].push((user + system) / 1000);
      }
    const base = statSync(join(folder, "state.sqlite")).size;
    return { pages: median(taken.pages), sync: median(taken.sync), peak: peakMemory(), base };
  });
}

async function pages(client: Client): Promise<void> {
  for await (const _ of client.cards.pages());
}

async function synced(client: Client, folder: string, now = Date.now()): Promise<void> {
  await syncFolders({
    client,
    root: join(folder, "cards"),
    statePath: join(folder, "state.sqlite"),
    scope: undefined,
    maxDelete: undefined,
    decks: async () =>
      (await client.decks.all()).map(({ id, name }) => ({ id, name: name ?? "", parent: null })),
    approve: async () => undefined,
    now: () => now,
  });
}

await benchmark(main, { fill, measure });
