import { lock } from "proper-lockfile";
import { systemCode } from "../files/errors.ts";
import { unwritable } from "./folders.ts";

/** Waiters try every 20 to 60 ms; a holder that died is taken over after five seconds. */
const options = {
  realpath: false,
  stale: 5_000,
  update: 1_000,
  retries: { retries: 500, factor: 1, minTimeout: 20, maxTimeout: 60, randomize: true },
} as const;

/**
 * Does something while no other process that asks for the same file does. The folder of the file must be there.
 * @throws NotConfiguredError if the lock can't be made
 */
export async function withLock<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  let release: () => Promise<void>;
  try {
    // Without a handler proper-lockfile throws where nobody can catch it. What is done under the lock takes
    // milliseconds and ends with a rename: if the lock was lost meanwhile there is nothing better to do than finish.
    release = await lock(path, { ...options, onCompromised: () => {} });
  } catch (error) {
    throw unwritable(path, systemCode(error) === "ELOCKED" ? new Error("another process holds it") : error);
  }
  try {
    return await work();
  } finally {
    await release().catch(() => {});
  }
}
