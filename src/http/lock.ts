import { mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "./clock.ts";
import { type Held, holdFile, isStale, look, makeFile, type Seen, takeAway } from "./lock-file.ts";

/** One lock for all processes of the machine. */
export interface Lock {
  /**
   * Takes the lock.
   *
   * @param options.onWait is called once if another process holds it.
   * @throws LockUnusable where the folder cannot hold one; what the signal was aborted with.
   */
  take(options: {
    readonly signal?: AbortSignal | undefined;
    readonly onWait?: (() => void) | undefined;
  }): Promise<Held>;
}

/** No lock can be made there: a read-only folder, a full disk. */
export class LockUnusable extends Error {
  override readonly name = "LockUnusable";
}

/** How long a process may take the lock again and again before it lets in one that waits. */
const turn = 100;
const shortestPoll = 20;
const longestPoll = 60;

/** The lock at that path, whose folder is made if need be. */
export function createLock(path: string, options: { readonly clock: Clock; random(): number }): Lock {
  const { clock, random } = options;
  const trace = `${path}.waiting`;
  let traceLeft = 0;
  let turnEnds: number | undefined;

  /** Tells the holder that someone waits. */
  const leaveTrace = () => {
    traceLeft = clock.now();
    try {
      writeFileSync(trace, "", { mode: 0o600 });
      utimesSync(trace, traceLeft / 1000, traceLeft / 1000);
    } catch {
      // Without it, waiting takes longer.
    }
  };
  const othersWait = () => {
    const left = statSync(trace, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return clock.now() - left < 2 * longestPoll && Math.abs(left - traceLeft) > 1;
  };
  /** Polling is no queue: without this, the process that sends most would nearly always be first again. */
  const letOthersIn = async (signal: AbortSignal | undefined) => {
    if (turnEnds === undefined || clock.now() < turnEnds) return;
    turnEnds = undefined;
    if (othersWait()) await clock.wait(1.5 * longestPoll, signal);
  };

  return {
    async take({ signal, onWait }) {
      await letOthersIn(signal);
      let seen: Seen | undefined;
      let waited = false;
      let refusals = 0;
      for (;;) {
        signal?.throwIfAborted();
        const descriptor = tryMake(path, clock.now(), refusals);
        if (typeof descriptor === "number") {
          if (waited || turnEnds === undefined) turnEnds = clock.now() + turn;
          return holdFile(path, descriptor, clock);
        }
        if (descriptor === "refused") refusals++;
        seen = look(path, seen, clock.now());
        if (seen !== undefined && isStale(seen, clock.now())) {
          takeAway(path, seen, random);
          continue;
        }
        if (!waited) onWait?.();
        waited = true;
        leaveTrace();
        await clock.wait(shortestPoll + random() * (longestPoll - shortestPoll), signal);
      }
    },
  };
}

/** The descriptor of the file made, or why there is none. */
function tryMake(path: string, now: number, refusals: number): number | "held" | "refused" {
  try {
    return makeFile(path, now);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return "held";
    // Windows refuses for a moment to make a file that was just removed.
    if ((code === "EPERM" || code === "EBUSY") && process.platform === "win32" && refusals < 50)
      return "refused";
    if (code !== "ENOENT" || refusals > 0) throw new LockUnusable(message, { cause: error });
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    } catch (cause) {
      throw new LockUnusable((cause as Error).message, { cause });
    }
    return tryMake(path, now, refusals + 1);
  }
}
