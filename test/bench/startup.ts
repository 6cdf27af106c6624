import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/**
 * How long the program takes to start, as a ratio of `node -e 0`: medians over runs that take turns, so that whatever
 * else the machine does falls on all alike. Needs a build. `RUNS` sets how often (20).
 */

const runs = Number(process.env["RUNS"] ?? 20);
const program = resolve("bin/deckhand.js");
const home = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
// Node 20 parses this file at every start, which is no part of the program.
const { NODE_EXTRA_CA_CERTS: _, ...clean } = process.env;
const env = { ...clean, DECKHAND_HOME: home, DECKHAND_PROFILE: "local", CI: "" };

interface Subject {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** The ratio that it must stay below. */
  readonly most?: number;
}

async function main(): Promise<void> {
  run({ name: "", args: [program, "decks", "create", "Geography"] });
  const { child, url, key } = await startService();
  const remote = { ...env, DECKHAND_PROFILE: "", DECKHAND_BASE_URL: url, DECKHAND_API_KEY: key };
  const subjects: readonly Subject[] = [
    { name: "node -e 0", args: ["-e", "0"] },
    { name: "deckhand --version", args: [program, "--version"], most: 1.3 },
    { name: "deckhand --help", args: [program, "--help"], most: 2.2 },
    { name: "Tab: a deck's name", args: [program, "__complete", "decks", "get", "Geo"], most: 2 },
    { name: "deckhand decks list (local)", args: [program, "decks", "list"], most: 2.8 },
    { name: "deckhand decks list (loopback)", args: [program, "decks", "list"], env: remote, most: 5.5 },
    {
      name: "deckhand decks list (loopback, transit)",
      args: [program, "decks", "list", "--codec", "transit"],
      env: remote,
    },
  ];
  const times = new Map(subjects.map((subject) => [subject, [] as number[]]));
  for (const subject of subjects) run(subject);
  for (let round = 0; round < runs; round += 1)
    for (const subject of subjects) times.get(subject)?.push(run(subject));
  const ended = new Promise((done) => child.on("close", done));
  child.kill();
  await ended;
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });

  const floor = median(times.get(subjects[0] as Subject) ?? []);
  let broken = false;
  for (const [subject, taken] of times) {
    const ratio = median(taken) / floor;
    const verdict =
      subject.most === undefined
        ? ""
        : ratio <= subject.most
          ? `(at most ${subject.most})`
          : `ABOVE ${subject.most}`;
    broken ||= subject.most !== undefined && ratio > subject.most;
    console.log(
      `${subject.name.padEnd(42)} ${median(taken).toFixed(1).padStart(7)} ms ${ratio.toFixed(2).padStart(6)} ${verdict}`,
    );
  }
  process.exitCode = broken ? 1 : 0;
}

/** Milliseconds that a process took from start to end. */
function run(subject: Subject): number {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, subject.args, { env: subject.env ?? env });
  if (status !== 0) throw new Error(`${subject.args.join(" ")} ended with ${status}: ${stderr}`);
  return performance.now() - begun;
}

async function startService() {
  const child = spawn(process.execPath, [program, "serve", "--port", "0", "--data", join(home, "served")], {
    env,
  });
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  child.stderr.on("data", (chunk) => {
    text += chunk;
  });
  for (;;) {
    const url = /listening on (\S+)/.exec(text)?.[1];
    const key = /^([\w-]{20,})$/m.exec(text)?.[1];
    if (url !== undefined && key !== undefined) return { child, url, key };
    await new Promise((next) => setTimeout(next, 20));
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

await main();
