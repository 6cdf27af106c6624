import { closeSync, fstatSync, futimesSync, openSync, statSync, unlinkSync } from "node:fs";
import type { Clock } from "./clock.ts";

/**
 * A lock file is made by its holder, who keeps it open and touches it every second. One that nobody touched for `stale`
 * is taken away. A holder that was stopped that long finds its file gone and leaves its successor's alone: it touches
 * and compares only the file that it has open.
 *
 * proper-lockfile does not: its release removes whatever lock is there, and of two processes that find a stale one, the
 * second may remove what the first has just made.
 */
export interface Held {
  /** Whether it still is this one's: whoever was stopped for long may have lost it. */
  kept(): boolean;
  /** Removes the lock, if it still is this one's. */
  release(): void;
}

const heartbeat = 1000;
/** With polling, a dead holder delays the others for less than five seconds. */
const stale = 4500;

/**
 * Makes the file, which must not be there.
 *
 * @returns its descriptor.
 */
export function makeFile(path: string, now: number): number {
  const descriptor = openSync(path, "wx", 0o600);
  futimesSync(descriptor, now / 1000, now / 1000);
  return descriptor;
}

/** Keeps a file that was just made. */
export function holdFile(path: string, descriptor: number, clock: Clock): Held {
  const timer = setInterval(() => {
    const now = clock.now() / 1000;
    quietly(() => futimesSync(descriptor, now, now));
  }, heartbeat);
  timer.unref();
  let released = false;
  const kept = () => {
    try {
      // While it is open, no other file can have its number.
      const mine = fstatSync(descriptor);
      const there = statSync(path, { throwIfNoEntry: false });
      return there?.ino === mine.ino && there.dev === mine.dev;
    } catch {
      return false;
    }
  };
  const release = () => {
    if (released) return;
    released = true;
    clearInterval(timer);
    process.off("exit", release);
    quietly(() => {
      if (kept()) unlinkSync(path);
    });
    quietly(() => closeSync(descriptor));
  };
  process.once("exit", release);
  return { kept, release };
}

/** A lock file as a waiting process sees it. */
export interface Seen {
  readonly ino: number;
  readonly touched: number;
  /** Since when it looks like this. */
  readonly since: number;
}

export function look(path: string, before: Seen | undefined, now: number): Seen | undefined {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined) return undefined;
  const same = before?.ino === there.ino && before.touched === there.mtimeMs;
  return same ? before : { ino: there.ino, touched: there.mtimeMs, since: now };
}

/** By its time, or, if the clock was changed, by what was seen of it. */
export const isStale = (seen: Seen, now: number) => now - seen.touched > stale || now - seen.since > stale;

/** Nobody who lives keeps the right to take a file away for so long. In ms. */
const longestTaking = 1000;

/**
 * Takes a stale file away. Another process may be about to do the same, or have done so and made its own: only who has made
 * a second file may remove the first, and looks at it again.
 *
 * @returns false if another process was at it.
 * @throws what the system says where it cannot be taken away: waiting would not help then.
 */
export function takeAway(path: string, seen: Seen, now: number): boolean {
  const right = `${path}.take`;
  try {
    closeSync(openSync(right, "wx", 0o600));
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
    const made = statSync(right, { throwIfNoEntry: false })?.mtimeMs;
    if (made !== undefined && Math.abs(now - made) > longestTaking) remove(right);
    return false;
  }
  try {
    const there = look(path, undefined, now);
    if (there?.ino === seen.ino && there.touched === seen.touched) remove(path);
  } finally {
    quietly(() => unlinkSync(right));
  }
  return true;
}

/** Removes a file that may be gone already. */
function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isCode(error, "ENOENT")) throw error;
  }
}

const isCode = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code;

/** These all race with other processes: whoever comes second has nothing to do. */
function quietly(action: () => void): void {
  try {
    action();
  } catch {
    // See above.
  }
}
