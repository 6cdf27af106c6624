import type { ChildProcess } from "node:child_process";
import { openApplication } from "../../src/service/app.ts";
import type { Cli } from "./cli.ts";

/** A `deckhand serve` process on a database. */
export interface Replica {
  readonly url: string;
  readonly process: ChildProcess;
  /** Ends when the process has. */
  readonly ended: Promise<number | null>;
}

/** Starts `deckhand serve` on a database that has a key already, and waits until it accepts connections. */
export async function startReplica(
  host: Cli,
  database: string,
  args: readonly string[] = [],
): Promise<Replica> {
  const child = host.start(["serve", "--port", "0", "--database", database, ...args]);
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  let [output, errors] = ["", ""];
  child.stderr?.on("data", (chunk) => {
    errors += chunk;
  });
  const url = await new Promise<string | undefined>((resolve) => {
    child.stdout?.on("data", (chunk) => {
      output += chunk;
      const found = /listening on (\S+)\n/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => resolve(undefined));
  });
  if (url === undefined) throw new Error(`deckhand serve ended: ${errors}`);
  return { url, process: child, ended };
}

/** Adds keys for accounts to a database. @returns one for each */
export async function addKeys(url: string, accounts: readonly string[]): Promise<string[]> {
  const application = await openApplication({ folder: "", database: { url }, now: Date.now });
  const keys: string[] = [];
  for (const account of accounts) keys.push(await application.keys.add(account));
  await application.close();
  return keys;
}

export interface Asked {
  /** 0 where no answer came. */
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Asks a server once, as a client without retries does. */
export async function askOnce(
  base: string,
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<Asked> {
  try {
    const answer = await fetch(base + path, {
      method,
      headers: {
        authorization: `Basic ${btoa(`${key}:`)}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith("{") ? JSON.parse(text) : {} };
  } catch {
    return { status: 0, body: {} };
  }
}
