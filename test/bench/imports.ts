import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { program } from "../support/cli.ts";
import { benchmark, judge, median, tell } from "./support.ts";

/**
 * The program importing rows of a spreadsheet, and notes of an Anki package, and syncing a folder of notes for the first
 * time, each into a new local collection, against listing the same cards as JSON, taking turns; and the largest memory of
 * an import, with a quarter of the cards and with all of them.
 *
 *     node scripts/run.mjs test/bench/imports.ts
 *
 * `CARDS` sets how many cards (20000), `ROUNDS` how often (3).
 */

const cards = Number(process.env["CARDS"] ?? 20_000);
const rounds = Number(process.env["ROUNDS"] ?? 3);
/** Times listing them. */
const mostOfCsv = 8;
const mostOfPackage = 20;
const mostOfSync = 20;
/** How much more memory all of the cards may take than a quarter of them, in MiB. */
const mostGrowth = 100;

const tellMemory =
  "data:text/javascript,process.on('exit',()=>process.stderr.write('maxrss '+process.resourceUsage().maxRSS))";

/** @returns milliseconds, and the largest memory in MiB */
function run(home: string, ...args: string[]): { readonly ms: number; readonly memory: number } {
  const start = performance.now();
  const ran = spawnSync(process.execPath, ["--import", tellMemory, program, ...args], {
    env: { PATH: process.env["PATH"], DECKHAND_HOME: home, DECKHAND_PROFILE: "local", TZ: "UTC" },
    maxBuffer: 1024 ** 3,
    encoding: "utf8",
  });
  const ms = performance.now() - start;
  if (ran.status !== 0)
    throw new Error(`${args.join(" ")} ended with ${ran.status}: ${ran.stderr.slice(-500)}`);
  return { ms, memory: Number(/maxrss (\d+)/.exec(ran.stderr)?.[1]) / 1024 };
}

function writeSheet(path: string, count: number): void {
  const lines = Array.from(
    { length: count },
    (_, index) =>
      `What is the capital of country number ${index}?,"City ${index}, on the river ${index % 97}","geography, region-${index % 20}"\n`,
  );
  writeFileSync(path, `front,back,tags\n${lines.join("")}`);
}

function writeNotes(folder: string): void {
  for (let deck = 0; deck < 20; deck++) mkdirSync(join(folder, `Deck ${deck}`), { recursive: true });
  for (let index = 0; index < cards; index++)
    writeFileSync(
      join(folder, `Deck ${index % 20}`, `note ${index}.md`),
      `What is the capital of country number ${index}?\n\n---\n\nCity ${index}, on the river ${index % 97}\n`,
    );
}

async function main(): Promise<boolean> {
  const root = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  const [sheet, quarter, apkg] = ["cards.csv", "quarter.csv", "cards.apkg"].map((name) => join(root, name));
  writeSheet(sheet ?? "", cards);
  writeSheet(quarter ?? "", cards / 4);
  const csv = (home: string, path = "") => run(home, "import", path, "--deck", "Cards", "--create-deck");
  const few = csv(join(root, "few"), quarter).memory;
  const [listed, ofCsv, ofPackage, memory] = [[] as number[], [] as number[], [] as number[], [] as number[]];
  const ofSync: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const home = join(root, `csv-${round}`);
    const imported = csv(home, sheet);
    ofCsv.push(imported.ms);
    memory.push(imported.memory);
    listed.push(run(home, "cards", "list", "--all", "-o", "json").ms);
    if (round === 0) run(home, "export", apkg ?? "");
    ofPackage.push(run(join(root, `apkg-${round}`), "import", apkg ?? "").ms);
    const notes = join(root, `notes-${round}`);
    writeNotes(notes);
    ofSync.push(run(join(root, `sync-${round}`), "sync", notes, "--yes").ms);
  }
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
  tell(`listing ${cards} cards`, median(listed), "ms");
  tell("import of csv", median(ofCsv), "ms");
  tell("import of an Anki package", median(ofPackage), "ms");
  tell("first sync of a folder of notes", median(ofSync), "ms");
  const held = [
    judge("csv, times listing", median(ofCsv) / median(listed), mostOfCsv),
    judge("package, times listing", median(ofPackage) / median(listed), mostOfPackage),
    judge("first sync, times listing", median(ofSync) / median(listed), mostOfSync),
    judge("growth of memory", median(memory) - few, mostGrowth, " MiB"),
  ];
  return held.every((each) => each);
}

await benchmark(main, {});
