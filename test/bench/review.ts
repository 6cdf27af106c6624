import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bin, makeCards, withCollection } from "../support/collection.ts";
import { openPty, type Pty } from "../support/pty.ts";

/**
 * How quick the review is, on a real pseudo-terminal: from a key to the drawn screen, over a session of 200 cards, and
 * from the start of the process to the first card, less the floor: starting Node and importing Ink from where npm puts
 * it. Needs a build. `RUNS` sets how often the start is measured (20), `SIZE` the screen (80x24),
 * `CARDS` how many cards are due (200).
 *
 *     node scripts/run.mjs test/bench/review.ts
 */

const due = Number(process.env["CARDS"] ?? 200);
const runs = Number(process.env["RUNS"] ?? 20);
const [columns = 80, rows = 24] = (process.env["SIZE"] ?? "80x24").split("x").map(Number);
const most = { key: 16, first: 300 };

/** A card as they are: some text, emphasis, a list, now and then a table. */
const content = (index: number) =>
  `[${index}] What is the capital of **country ${index}**, and on which river does it lie?\n\n- a hint: \`hint ${index}\`\n- another *hint*\n---\nThe capital is ==city ${index}==, on the river ${index}.${
    index % 5 === 0 ? "\n\n| city | people |\n|---|---:|\n| one | 1,000 |\n| other | 2,000 |" : ""
  }`;

async function main(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  mkdirSync(join(home, "data"));
  const cards = Array.from({ length: due }, (_, i) => content(i));
  await withCollection(join(home, "data"), (client) => makeCards(client, cards));
  const env = { DECKHAND_HOME: home, DECKHAND_PROFILE: "local", TZ: "UTC" };
  const broken = [await start(env), await keys(env)].some((within) => !within);
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
  process.exitCode = broken ? 1 : 0;
}

/** Milliseconds from a key to the end of the frame that it brings. */
async function press(pty: Pty, key: string): Promise<number> {
  const before = pty.raw().length;
  const begun = performance.now();
  const drawn = pty.drawn(before);
  pty.press(key);
  await drawn;
  return performance.now() - begun;
}

async function keys(env: Record<string, string>): Promise<boolean> {
  const pty = openPty({ args: [bin, "review", "--new", "all"], env, columns, rows });
  const reveals: number[] = [];
  const grades: number[] = [];
  const others: number[] = [];
  for (let i = 0; i < 200; i++) {
    await pty.until(new RegExp(`\\[${i}\\][\\s\\S]*space reveal`));
    if (i % 4 === 0) {
      for (const key of ["?", "q", "i", "q"]) others.push(await press(pty, key));
      await pty.until("space reveal");
    }
    reveals.push(await press(pty, " "));
    await pty.until("2 remembered");
    await new Promise((done) => setTimeout(done, 170));
    grades.push(await press(pty, "2"));
  }
  pty.press("q");
  await pty.ended;
  pty.close();
  const all = [...reveals, ...grades, ...others];
  report(`a key, ${columns}x${rows}`, all, most.key);
  report("  reveal", reveals);
  report("  grade (written and synced)", grades);
  report("  help, details", others);
  return median(all) <= most.key;
}

/** From the start of the process to the first card on the screen. */
async function start(env: Record<string, string>): Promise<boolean> {
  const floors: number[] = [];
  const firsts: number[] = [];
  for (let i = 0; i <= runs; i++) {
    const floor = await until(
      "ready",
      ["--input-type=module", "-e", 'await import("ink"); console.log("ready")'],
      {
        ...env,
        NODE_ENV: "production",
      },
    );
    const first = await until("[0]", [bin, "review", "--new", "all"], env);
    // The first of each only warms the machine's caches.
    if (i === 0) continue;
    floors.push(floor);
    firsts.push(first);
  }
  report("node, import ink", floors);
  report("first card", firsts);
  const over = median(firsts) - median(floors);
  console.log(
    `${"first card over the floor".padEnd(34)} ${over.toFixed(1).padStart(7)} ms ${verdict(over, most.first)}`,
  );
  return over <= most.first;
}

async function until(text: string, args: readonly string[], env: Record<string, string>): Promise<number> {
  const begun = performance.now();
  const pty = openPty({ args, env, columns, rows });
  await pty.until(text);
  const taken = performance.now() - begun;
  pty.close();
  await pty.ended;
  return taken;
}

function report(name: string, values: readonly number[], limit?: number): void {
  const sorted = [...values].sort((a, b) => a - b);
  const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
  const told = `${median(values).toFixed(1).padStart(7)} ms, 95 % within ${p95.toFixed(1)} ms`;
  console.log(`${name.padEnd(34)} ${told} ${limit === undefined ? "" : verdict(median(values), limit)}`);
}

const verdict = (value: number, limit: number): string =>
  value <= limit ? `(at most ${limit})` : `ABOVE ${limit}`;

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

await main();
