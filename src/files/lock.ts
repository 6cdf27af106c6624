import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "./clock.ts";
import { type Held, holdFile, isStale, look, makeFile, type Seen, takeAway } from "./lock-file.ts";
import { createLine, type Place } from "./lock-line.ts";

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

  /** Also where the clock was set back meanwhile. */
  const turnIsOver = (now: number) => now >= turnEnds || now < turnEnds - turn;

  /** Tries once. */
  function attempt(place: Place | undefined, refusals: number): Held | "held" | "refused" | "not-yet" {
    if (place === undefined ? turnIsOver(clock.now()) && !line.empty() : !place.first()) return "not-yet";
    const made = tryMake(path, clock.now(), refusals);
    if (typeof made === "string") return made;
    const now = clock.now();
    if (turnIsOver(now)) turnEnds = now + turn;
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
          if (seen !== undefined && isStale(seen, clock.now())) {
            const taken = tryTaking(path, seen, clock.now(), refusals);
            if (taken === "taken") continue;
            if (taken === "refused") refusals++;
          }
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
    if (isMomentary(code, refusals)) return "refused";
    if (code !== "ENOENT" || refusals > 0) throw new LockUnusable(message, { cause: error });
    try {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    } catch (cause) {
      throw new LockUnusable((cause as Error).message, { cause });
    }
    return tryMake(path, now, refusals + 1);
  }
}

/** Takes a dead holder's file away, or tells why it is still there. */
function tryTaking(
  path: string,
  seen: Seen,
  now: number,
  refusals: number,
): "taken" | "by-another" | "refused" {
  try {
    return takeAway(path, seen, now) ? "taken" : "by-another";
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (isMomentary(code, refusals)) return "refused";
    // The next attempt makes the folder.
    if (code === "ENOENT") return "by-another";
    throw new LockUnusable(message, { cause: error });
  }
}

/** Windows refuses for a moment to make a file that was just removed, or to remove one that someone looks at. */
const isMomentary = (code: string | undefined, refusals: number) =>
  (code === "EPERM" || code === "EBUSY") && process.platform === "win32" && refusals < 50;
