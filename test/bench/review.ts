import { cpSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { cli, serve } from "../support/cli.ts";
import { bin } from "../support/collection.ts";
import { openPty, type Pty } from "../support/pty.ts";
import { makeDueCards } from "./review-home.ts";
import { judge, median, tell } from "./support.ts";

/**
 * How the built program feels on a real pseudo-terminal over many due cards with pictures, in process and on
 * `deckhand serve` over loopback: from the start of the process to the first card, less the floor (starting Node and
 * importing Ink from where npm puts it); from a key to the end of the frame that it brings; processor time while no key
 * is pressed; memory at the end. Pictures are half blocks in true colour.
 *
 *     node scripts/run.mjs test/bench/review.ts
 *
 * `CARDS` sets how many cards are due (20,000), `ASKED` how many of them are answered (60), `RUNS` how often the start is
 * measured (10), `SIZE` the screen (80x24), `DATA` a folder where the collection is kept for the next time.
 */

const due = Number(process.env["CARDS"] ?? 20_000);
const asked = Number(process.env["ASKED"] ?? 60);
const runs = Number(process.env["RUNS"] ?? 10);
const [columns = 80, rows = 24] = (process.env["SIZE"] ?? "80x24").split("x").map(Number);
const most = { first: 300, key: 16, idle: 1, memory: 250 };

type Environment = Readonly<Record<string, string>>;

async function main(): Promise<boolean> {
  const home = cli({ COLORTERM: "truecolor", TZ: "UTC" });
  const data = join(home.home, "data");
  const kept = process.env["DATA"] ?? data;
  if (!existsSync(kept)) await makeDueCards(kept, due);
  if (kept !== data) cpSync(kept, data, { recursive: true });
  const own = { DECKHAND_HOME: home.home, HOME: home.home, COLORTERM: "truecolor", TZ: "UTC" };
  console.log(`${due} due cards in process, ${columns}x${rows}`);
  const local = await measure({ ...own, DECKHAND_PROFILE: "local" });
  const { url, key, stop } = await serve(home);
  console.log("the same on deckhand serve");
  const served = await measure({ ...own, DECKHAND_BASE_URL: url, DECKHAND_API_KEY: key });
  await stop();
  home.remove();
  return local && served;
}

async function measure(env: Environment): Promise<boolean> {
  const first = await firstCard(env);
  return (await session(env)) && first;
}

/** From the start of the process to the first card on the screen. */
async function firstCard(env: Environment): Promise<boolean> {
  const code = 'await import("ink"); console.log("ready"); setTimeout(() => {}, 1000);';
  const importInk = ["--input-type=module", "-e", code];
  const floors: Taken[] = [];
  const firsts: Taken[] = [];
  for (let run = 0; run <= runs; run++) {
    const floor = await until("ready", importInk, { ...env, NODE_ENV: "production" });
    const first = await until(/\[\d+\]/, [bin, "review", "--new", "all"], env);
    // The first of each only warms the machine's caches.
    if (run === 0) continue;
    floors.push(floor);
    firsts.push(first);
  }
  const of = (taken: readonly Taken[], what: keyof Taken) => median(taken.map((each) => each[what]));
  for (const what of ["wall", "processor"] as const) {
    tell(`starting Node and importing Ink, ${what}`, of(floors, what), "ms");
    tell(`first card, ${what}`, of(firsts, what), "ms");
  }
  return judge("first card over the floor", of(firsts, "wall") - of(floors, "wall"), most.first, " ms");
}

/** Milliseconds; those of the processor say more on a machine that does other work. */
interface Taken {
  readonly wall: number;
  readonly processor: number;
}

async function until(shown: string | RegExp, args: readonly string[], env: Environment): Promise<Taken> {
  const begun = performance.now();
  const pty = openPty({ args, env, columns, rows });
  await pty.until(shown);
  const taken = { wall: performance.now() - begun, processor: ticksOf(pty.pid) * 10 };
  pty.close();
  await pty.ended;
  return taken;
}

/** A session: keys, then a while without any. */
async function session(env: Environment): Promise<boolean> {
  const pty = openPty({ args: [bin, "review", "--new", "all"], env, columns, rows });
  const times: Record<"reveal" | "grade" | "other", number[]> = { reveal: [], grade: [], other: [] };
  // Until the rest of what is due is read, that takes processor time, too.
  await pty.until(/ of \d+ [\s\S]*space (?:reveal|page down)/);
  const begun = ticksOf(pty.pid);
  for (let card = 0; card < asked; card++) {
    const shown = cardOf(pty);
    await pty.until("▀");
    if (card % 4 === 0) for (const key of ["?", "q", "i", "q"]) times.other.push(await press(pty, key));
    await pty.until(/space (?:reveal|page down)/);
    for (let revealed = false; !revealed; ) {
      const from = pty.raw().length;
      times.reveal.push(await press(pty, " "));
      revealed = pty.raw().slice(from).includes("remembered");
    }
    // Longer than the guard that keeps a held key from grading, also where a key was pressed twice.
    await after(400);
    times.grade.push(await press(pty, "2"));
    // The due date of the card before comes when its answer is stored, and changes the bottom line, too.
    await pty.until(() => cardOf(pty) !== shown && /space (?:reveal.* due |page down)/.test(pty.text()));
  }
  const { all, reveal, grade, other } = { ...times, all: Object.values(times).flat() };
  const processor = (ticksOf(pty.pid) - begun) * 10;
  const keys = judge("a key, median", median(all), most.key, " ms");
  tell("  the slowest of 100", percentile(all, 0.99), "ms");
  tell("  processor for each, pictures included", processor / all.length, "ms");
  tell("  reveal, median", median(reveal), "ms");
  tell("  grade (written and synced), median", median(grade), "ms");
  tell("  help and details, median", median(other), "ms");
  const memory = judge(`memory after ${asked} cards`, memoryOf(pty.pid, "VmRSS"), most.memory, " MiB");
  tell("  the most of it", memoryOf(pty.pid, "VmHWM"), "MiB");
  const idle = judge("processor while idle", await idleShare(pty.pid), most.idle, " %");
  pty.press("q");
  await pty.ended;
  pty.close();
  return keys && memory && idle;
}

const cardOf = (pty: Pty): string | undefined => /\[(\d+)\]/.exec(pty.text())?.[1];

/**
 * Milliseconds from a key to the end of the frame that it brings: it changes the bottom line, as no tick of the clock
 * does.
 */
async function press(pty: Pty, key: string): Promise<number> {
  const before = pty.raw().length;
  const begun = performance.now();
  const drawn = pty.drawn(before, `\u001b[${rows};1H`);
  pty.press(key);
  const late = after(20_000, "late", { ref: false });
  if ((await Promise.race([drawn, late])) === "late")
    throw new Error(`nothing came of ${key}:\n${pty.text()}`);
  return performance.now() - begun;
}

/** The share of a core that a process takes over ten seconds, in percent. */
async function idleShare(pid: number): Promise<number> {
  await after(2000);
  const [ticks, begun] = [ticksOf(pid), performance.now()];
  await after(10_000);
  // A tick is a hundredth of a second.
  return ((ticksOf(pid) - ticks) * 10 * 100) / (performance.now() - begun);
}

function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

function memoryOf(pid: number, what: "VmRSS" | "VmHWM"): number {
  const [, kilobytes] =
    new RegExp(`${what}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

process.exitCode = (await main()) ? 0 : 1;
