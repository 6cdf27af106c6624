import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseBaseUrl } from "./basic-auth.ts";
import { createLock } from "./lock.ts";
import { type Pace, readPace } from "./pace.ts";
import type { ThrottleOptions } from "./throttle.ts";

export { LockUnusable } from "./lock.ts";

/** The slot of an account, as all processes share it: a lock, and a file with the pace that its holder may change. */
export interface SharedSlot {
  take(options: { readonly signal: AbortSignal | undefined; readonly onWait: () => void }): Promise<{
    /** As the last holder left it; undefined if no one left any. */
    readonly pace: Pace | undefined;
    /** Gives the lock back, with what the next holder has to know. Only the first call counts. */
    leave(pace: Pace | undefined): void;
  }>;
}

/** Loaded only when requests go over the network. */
export function openSharedSlot(options: ThrottleOptions): SharedSlot {
  const path = join(options.folder, accountName(options.baseUrl, options.key));
  const pacePath = `${path}.pace`;
  const lock = createLock(`${path}.lock`, options);
  return {
    async take(request) {
      const held = await lock.take(request);
      return {
        pace: readFile(pacePath),
        leave(pace) {
          if (pace !== undefined) writeFile(pacePath, pace);
          held.release();
        },
      };
    },
  };
}

/** A name that says nothing of the key. */
function accountName(baseUrl: string, key: string): string {
  const url = parseBaseUrl(baseUrl);
  const service = `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  return createHash("sha256").update(`${service}\0${key}`).digest("hex").slice(0, 24);
}

function readFile(path: string): Pace | undefined {
  try {
    return readPace(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** Only the holder of the lock writes: one temporary name is enough. Without the file the pace is learned anew. */
function writeFile(path: string, pace: Pace): void {
  try {
    writeFileSync(`${path}.new`, JSON.stringify(pace), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch {
    // See above.
  }
}
