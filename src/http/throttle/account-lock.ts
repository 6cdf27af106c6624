import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../files/atomic-write.ts";
import { takeLock } from "../../files/lock.ts";
import { parseBaseUrl } from "../base-url.ts";
import { type Pace, readPace } from "./pace.ts";
import type { ThrottleOptions } from "./throttle.ts";

export { LockUnusable } from "../../files/lock.ts";

/** The lock of an account, with the pace that its holders hand on. */
export interface AccountLock {
  /**
   * Waits for the lock.
   *
   * @param options.onWait is called once if another process holds it.
   * @throws LockUnusable where the folder cannot hold a lock; the reason of the signal.
   */
  take(options: { readonly signal: AbortSignal | undefined; readonly onWait: () => void }): Promise<{
    /** As the last holder left it; undefined if none left any. */
    readonly pace: Pace | undefined;
    /** Gives the lock back, with the pace if the next holder has to know it. Only the first call counts. */
    release(pace?: Pace): void;
  }>;
}

export function openAccountLock(options: ThrottleOptions): AccountLock {
  const path = join(options.folder, accountName(options.baseUrl, options.key));
  return {
    async take(request) {
      const held = await takeLock(path, { ...options, ...request });
      let released = false;
      return {
        pace: readPaceFile(`${path}.pace`),
        release(pace) {
          if (released) return;
          released = true;
          if (pace !== undefined) writePaceFile(`${path}.pace`, pace);
          held.release();
        },
      };
    },
  };
}

/** A file name for the account that does not reveal the key. */
function accountName(baseUrl: string, key: string): string {
  const url = parseBaseUrl(baseUrl);
  const service = `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  return createHash("sha256").update(`${service}\0${key}`).digest("hex").slice(0, 24);
}

function readPaceFile(path: string): Pace | undefined {
  try {
    return readPace(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

/** Without the file the pace is learned again. */
function writePaceFile(path: string, pace: Pace): void {
  try {
    replaceFile(path, JSON.stringify(pace), { synced: false });
  } catch {
    // See above.
  }
}
