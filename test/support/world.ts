import { PassThrough, Readable, Writable } from "node:stream";
import type { World } from "../../src/context/context.ts";
import { main } from "../../src/main.ts";
import { onPostgres, startTestServer, temporaryFolder } from "./service.ts";

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface WorldOptions {
  /** Standard input, or what is typed as standard output is read. */
  readonly input?: string | Uint8Array | ((shown: () => string) => AsyncIterable<string>);
  readonly env?: Readonly<Record<string, string>>;
  /** Whether all three streams are terminals. */
  readonly terminal?: boolean;
  readonly columns?: number;
  readonly now?: () => number;
  readonly signal?: AbortSignal;
  /** Until then nothing is taken from standard output. */
  readonly reading?: Promise<unknown>;
}

/**
 * Runs commands in this process, each in a world of its own, over the local service of one folder. Where the tests are about
 * PostgreSQL, over an account of a server on it instead.
 */
export interface Deckhand {
  readonly home: string;
  run(args: readonly string[], options?: WorldOptions): Promise<Ran>;
  /** Runs it and expects success: its standard output. */
  ok(args: readonly string[], options?: WorldOptions): Promise<string>;
}

/** @param folder a home that is there already, whose local service is used in any case */
export async function deckhand(
  env: Readonly<Record<string, string>> = {},
  folder?: string,
): Promise<Deckhand> {
  const home = folder ?? temporaryFolder();
  const isHosted = onPostgres && folder === undefined;
  const account = isHosted ? await hosted() : { DECKHAND_PROFILE: "local" };
  const run = async (args: readonly string[], options: WorldOptions = {}): Promise<Ran> => {
    const { terminal = false, columns = 80 } = options;
    const [stdout, stderr] = [sink(terminal, columns, options.reading), sink(terminal, columns)];
    const stdin = Object.assign(
      options.input === undefined
        ? new PassThrough().end()
        : Readable.from(typeof options.input === "function" ? options.input(stdout.text) : [options.input]),
      {
        isTTY: terminal,
      },
    );
    const world: World = {
      stdin,
      stdout,
      stderr,
      env: { DECKHAND_HOME: home, DECKHAND_BACKUP_AUTOMATIC: "off", ...account, ...env, ...options.env },
      platform: process.platform,
      home,
      now: options.now ?? Date.now,
      random: Math.random,
      signal: options.signal ?? new AbortController().signal,
    };
    const code = await main(args, world);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  };
  return {
    home,
    run,
    async ok(args, options) {
      const ran = await run(args, options);
      if (ran.code !== 0) throw new Error(`deckhand ${args.join(" ")} ended with ${ran.code}\n${ran.stderr}`);
      return ran.stdout;
    },
  };
}

async function hosted(): Promise<Readonly<Record<string, string>>> {
  const { url, key } = await startTestServer();
  return { DECKHAND_BASE_URL: url, DECKHAND_API_KEY: key };
}

function sink(isTTY: boolean, columns: number, reading?: Promise<unknown>) {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    async write(chunk: Buffer, _encoding, done) {
      if (reading !== undefined) await reading;
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return Object.assign(stream, { isTTY, columns, text: () => Buffer.concat(chunks).toString("utf8") });
}
