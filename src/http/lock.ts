import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "./clock.ts";
import { createLine, type Place } from "./line.ts";
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
  /** Whether another process waits for it. */
  wanted(): boolean;
}

/** No lock can be made there: a read-only folder, a full disk. */
export class LockUnusable extends Error {
  override readonly name = "LockUnusable";
}

/** How long a process may take the lock again and again before it lets in those that wait. */
const turn = 100;
/** Whoever is next looks more often, so that the lock is not idle for long. */
const nextPoll = 5;
const shortestPoll = 20;
const longestPoll = 60;

/** The lock at that path, whose folder is made if need be. Whoever waits gets it in the order of arrival. */
export function createLock(path: string, options: { readonly clock: Clock; random(): number }): Lock {
  const { clock, random } = options;
  const line = createLine(`${path}.line`, options);
  let turnEnds = 0;

  /** Tries once. */
  function attempt(place: Place | undefined, refusals: number): Held | "held" | "refused" | "not-yet" {
    if (place === undefined ? clock.now() >= turnEnds && !line.empty() : !place.first()) return "not-yet";
    const made = tryMake(path, clock.now(), refusals);
    if (typeof made === "string") return made;
    if (clock.now() >= turnEnds) turnEnds = clock.now() + turn;
    return holdFile(path, made, clock);
  }

  return {
    wanted: () => !line.empty(),
    async take({ signal, onWait }) {
      let seen: Seen | undefined;
      let place: Place | undefined;
      let refusals = 0;
      try {
        for (;;) {
          signal?.throwIfAborted();
          const got = attempt(place, refusals);
          if (typeof got === "object") return got;
          if (got === "refused") refusals++;
          seen = look(path, seen, clock.now());
          if (seen !== undefined && isStale(seen, clock.now()) && takeAway(path, seen, clock.now())) continue;
          if (place === undefined) {
            place = line.join();
            onWait?.();
          }
          const [shortest, longest] =
            got === "not-yet" ? [shortestPoll, longestPoll] : [nextPoll, 2 * nextPoll];
          await clock.wait(shortest + random() * (longest - shortest), signal);
        }
      } finally {
        place?.leave();
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
