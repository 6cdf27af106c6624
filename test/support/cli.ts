import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { onPostgres, takeDatabase } from "./postgres.ts";
import { waitFor } from "./wait-for.ts";

/** The built program; with DECKHAND_TEST_PROGRAM a program of one file, which `env` starts (seed.ts). */
export const program = resolve(process.env["DECKHAND_TEST_PROGRAM"] ?? "bin/deckhand.js");

/** Whether it is a program of one file: it has no files beside it, and no package that is installed with them. */
export const isOneFile = process.env["DECKHAND_TEST_PROGRAM"] !== undefined;

export interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Cli {
  /** The folder that DECKHAND_HOME names. */
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs the built program to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<Outcome>;
  /** Runs it and expects success: its standard output. */
  ok(args: readonly string[], options?: RunOptions): Promise<string>;
  /** Starts it and leaves it running. */
  start(args: readonly string[], options?: RunOptions): ChildProcess;
  /** Removes the folder. */
  remove(): void;
}

export interface RunOptions {
  readonly input?: string | Uint8Array;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** The built program, or a copy of it, in an environment of its own: nothing of the caller's settings reaches it. */
export function cli(settings: NodeJS.ProcessEnv = {}, main = program): Cli {
  const home = mkdtempSync(join(tmpdir(), "deckhand-cli-"));
  const env: NodeJS.ProcessEnv = {
    PATH: process.env["PATH"],
    HOME: home,
    DECKHAND_HOME: home,
    TZ: "UTC",
    // What a program keeps when it ends would be written into a folder that its test removes.
    NODE_DISABLE_COMPILE_CACHE: "1",
    // Hundreds of collections that no test looks into the backups of.
    DECKHAND_BACKUP_AUTOMATIC: "off",
    ...settings,
  };
  const start = (args: readonly string[], options: RunOptions = {}) =>
    spawn(process.execPath, [main, ...args], {
      env: { ...env, ...options.env },
      cwd: options.cwd ?? home,
      stdio: ["pipe", "pipe", "pipe"],
    });
  const run = async (args: readonly string[], options: RunOptions = {}): Promise<Outcome> => {
    const child = start(args, options);
    child.stdin?.on("error", () => {});
    child.stdin?.end(options.input ?? "");
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
    const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((done) =>
      child.on("close", (...ended) => done(ended)),
    );
    return { code, signal, stdout: stdout(), stderr: stderr() };
  };
  return {
    home,
    env,
    run,
    start,
    async ok(args, options) {
      const outcome = await run(args, options);
      if (outcome.code !== 0)
        throw new Error(
          `deckhand ${args.join(" ")} ended with ${outcome.code ?? outcome.signal}\n${outcome.stderr}`,
        );
      return outcome.stdout;
    },
    remove: () => rmSync(home, { recursive: true, force: true, maxRetries: 10 }),
  };
}

export interface Served {
  readonly url: string;
  readonly key: string;
  /** Adds an account. @returns its key */
  addAccount(name: string): Promise<string>;
  readonly process: ChildProcess;
  /** What it has written to standard output and to standard error. */
  stdout(): string;
  stderr(): string;
  /** Stops it as a user would, and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * `deckhand serve` on a free port, as a process of its own, with a new account `default`. Where the tests are about
 * PostgreSQL, an empty database takes the place of the folder.
 */
export async function serve(home: Cli, args: readonly string[] = []): Promise<Served> {
  const at = args.indexOf("--data");
  const folder = at === -1 ? [] : args.slice(at, at + 2);
  const isElsewhere = onPostgres && !args.includes("--database");
  const place = isElsewhere ? ["--database", await takeDatabase()] : folder;
  const others = at === -1 ? args : args.toSpliced(at, 2);
  const child = home.start(["serve", "--port", "0", ...others, ...place]);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const ended = new Promise<number | null>((done) => child.on("close", done));
  await waitFor(() => {
    if (child.exitCode !== null) throw new Error(`deckhand serve ended with ${child.exitCode}\n${stderr()}`);
    return /listening on http/.test(stdout()) && /^\S{20,}$/m.test(stderr());
  }, "the address and the key");
  const url = /listening on (\S+)/.exec(stdout())?.[1];
  const key = /^(\S{20,})$/m.exec(stderr())?.[1];
  if (url === undefined || key === undefined) throw new Error(`no address or key: ${stdout()} ${stderr()}`);
  return {
    url,
    key,
    addAccount: async (name) => (await home.ok(["serve", "key", "add", name, ...place])).trim(),
    process: child,
    stdout,
    stderr,
    stop(signal = "SIGTERM") {
      child.kill(signal);
      return ended;
    },
  };
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = [];
  stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString("utf8");
}

/**
 * Creates a card on a server.
 *
 * @returns the path of an attachment that it may get, and the header that carries the key
 */
export async function attachmentOn({ url, key }: Pick<Served, "url" | "key">) {
  const authorization = `Basic ${btoa(`${key}:`)}`;
  const created = async (path: string, body: object) => {
    const headers = { authorization, "content-type": "application/json" };
    const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return ((await answer.json()) as { id: string }).id;
  };
  const deck = await created("/decks", { name: "d" });
  const card = await created("/cards", { content: "x", "deck-id": deck });
  return { authorization, path: `/cards/${card}/attachments/f` };
}
