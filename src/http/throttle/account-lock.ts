import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../files/atomic-write.ts";
import { type Held, takeLock } from "../../files/lock.ts";
import { parseBaseUrl } from "../base-url.ts";
import { type Pace, readPace } from "./pace.ts";
import type { ThrottleOptions } from "./throttle.ts";

export { LockUnusable } from "../../files/lock.ts";

/** The slot of an account, as all processes share it: a lock, and a file with the pace that its holder may change. */
export interface SharedSlot {
  take(options: { readonly signal: AbortSignal | undefined; readonly onWait: () => void }): Promise<{
    /** As the last holder left it; undefined if no one left any. */
    readonly pace: Pace | undefined;
    /**
     * Gives the lock back, with what the next holder has to know. Only the first call counts.
     *
     * @param next whether another request of this process may well follow at once.
     */
    leave(pace: Pace | undefined, next: boolean): void;
  }>;
}

/**
 * A process keeps the lock from one request to the next, where one follows at once: taking it and giving it back costs a
 * tenth of a quick request, and on a busy disk more than all of it. So often it looks whether someone waits for it.
 */
const keptFor = 50;

/** Loaded only when requests go over the network. */
export function openSharedSlot(options: ThrottleOptions): SharedSlot {
  const path = join(options.folder, accountName(options.baseUrl, options.key));
  const pacePath = `${path}.pace`;
  /** A lock that nobody in this process needs: given back unless the next request comes before anything else happens. */
  let idle: { readonly held: Held; readonly since: number; readonly giveBack: NodeJS.Immediate } | undefined;

  /** @param since when it was last seen that nobody waits. */
  function slotWith(held: Held, since: number, pace: Pace | undefined) {
    let left = false;
    return {
      pace,
      leave(known: Pace | undefined, next: boolean) {
        if (left) return;
        left = true;
        if (known !== undefined) writeFile(pacePath, known);
        if (!next) return held.release();
        const giveBack = setImmediate(() => {
          idle = undefined;
          held.release();
        });
        idle = { held, since, giveBack };
      },
    };
  }

  return {
    async take(request) {
      if (idle !== undefined) {
        const { held, since, giveBack } = idle;
        clearImmediate(giveBack);
        idle = undefined;
        const now = options.clock.now();
        // Also where the clock was set back meanwhile.
        const looked = Math.abs(now - since) < keptFor;
        // Nobody else had it: the pace is as it was left.
        if (!request.signal?.aborted && (looked || (held.kept() && !held.wanted())))
          return slotWith(held, looked ? since : now, undefined);
        held.release();
      }
      const held = await takeLock(path, { ...options, ...request });
      return slotWith(held, options.clock.now(), readFile(pacePath));
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

/** Without the file the pace is learned anew. */
function writeFile(path: string, pace: Pace): void {
  try {
    replaceFile(path, JSON.stringify(pace), { synced: false });
  } catch {
    // See above.
  }
}
