import { type Clock, systemClock } from "./clock.ts";
import { systemCode } from "./errors.ts";
import { isNumbered, LockQueue, processOf } from "./lock-queue.ts";
import { pidOf, processState } from "./process-id.ts";

/**
 * The lock between processes (docs/design/files.md). It is a folder in which each process that wants the lock creates a
 * ticket, a file with a name that is used once; the lowest ticket holds the lock, so that processes get it in the order
 * in which they came. As in Lamport's bakery a ticket has no number at first, then one above those that are there.
 *
 * A ticket whose process is dead is removed by those after it, and so is one that was not touched for `silence`: its
 * process is stopped, or died on another host. Since no name is used twice, no process removes the ticket of another by
 * mistake, and a process that continues finds its own missing.
 */
interface TakeOptions {
  readonly clock?: Clock;
  /** From 0 to 1, as Math.random. */
  readonly random?: () => number;
  readonly signal?: AbortSignal | undefined;
  /** Called once if another process is before this one. */
  readonly onWait?: (() => void) | undefined;
  /** Whether to throw LockBusy, instead of waiting, if a process that is alive holds the lock. */
  readonly ifFree?: boolean;
}

/** No lock can be created there: a read-only folder, a full disk. */
export class LockUnusable extends Error {
  override readonly name = "LockUnusable";
}

/** A process that is alive holds the lock. */
export class LockBusy extends Error {
  override readonly name = "LockBusy";
  readonly pid: number;
  constructor(pid: number) {
    super(`another process (${pid}) holds the lock`);
    this.pid = pid;
  }
}

/** How long a ticket may remain untouched, in milliseconds of waiting beside it. */
const silence = 4500;
/** How often the process that is next looks, and those after it; with jitter up to twice as long. */
const [nextPoll, poll] = [5, 25];

/**
 * Takes the lock of that path: the folder `<path>.lock`, created where needed and removed when nobody wants it.
 *
 * @throws LockUnusable, LockBusy, or what the signal was aborted with
 */
export async function takeLock(path: string, options: TakeOptions = {}): Promise<Held> {
  const { clock = systemClock, random = Math.random, signal, onWait, ifFree } = options;
  const queue = new LockQueue(`${path}.lock`);
  const watch = new Watch(queue, clock);
  let ticket = join(queue, clock);
  let waits = false;
  try {
    for (;;) {
      signal?.throwIfAborted();
      if (!ticket.kept()) {
        // This process was stopped for so long that others have removed its ticket.
        ticket.release();
        ticket = join(queue, clock);
      }
      const ahead = queue.ahead(ticket.name);
      // A second look, since a file that is renamed during a listing may be missing from it.
      if (ahead.length === 0 && queue.ahead(ticket.name).length === 0 && ticket.kept()) return ticket;
      const [first] = ahead;
      if (first === undefined || ahead.filter((name) => watch.removeLost(name)).length > 0) continue;
      if (ifFree && isNumbered(first) && watch.isAlive(first)) throw new LockBusy(pidOf(processOf(first)));
      if (!waits) onWait?.();
      waits = true;
      await clock.wait((ahead.length === 1 ? nextPoll : poll) * (1 + random()), signal);
    }
  } catch (error) {
    ticket.release();
    throw error;
  }
}

/** Does something while holding the lock of that path. */
export async function withLock<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  const held = await takeLock(path);
  try {
    return await work();
  } finally {
    held.release();
  }
}

/** A lock that this process has taken. */
export class Held {
  readonly name: string;
  readonly #queue: LockQueue;
  readonly #stop: () => void;
  #released = false;

  constructor(queue: LockQueue, clock: Clock) {
    this.#queue = queue;
    const { name, stop } = queue.join(() => clock.now());
    this.name = name;
    this.#stop = stop;
    process.once("exit", this.release);
  }

  /** Whether it is still held: a process that was stopped for long may have lost it. */
  kept(): boolean {
    return !this.#released && this.#queue.touched(this.name) !== undefined;
  }

  /** Whether another process waits for it. */
  wanted(): boolean {
    return this.#queue.tickets().some((name) => name !== this.name);
  }

  readonly release = (): void => {
    if (this.#released) return;
    this.#released = true;
    this.#stop();
    process.off("exit", this.release);
    try {
      this.#queue.remove(this.name);
    } catch {
      // Other processes find it untouched after a while.
    }
  };
}

/** What a waiting process sees of the tickets before its own. */
class Watch {
  readonly #queue: LockQueue;
  readonly #clock: Clock;
  readonly #seen = new Map<string, { touched: number; beats: boolean; quiet: number; at: number }>();

  constructor(queue: LockQueue, clock: Clock) {
    this.#queue = queue;
    this.#clock = clock;
  }

  /** Removes a ticket whose process is dead or silent. @returns whether it did */
  removeLost(ticket: string): boolean {
    if (processState(processOf(ticket)) !== "dead" && this.#quiet(ticket) < silence) return false;
    try {
      this.#queue.remove(ticket);
      return true;
    } catch (error) {
      // Windows refuses for a moment to remove a file that another process looks at.
      if (process.platform === "win32") return false;
      throw new LockUnusable((error as Error).message, { cause: error });
    }
  }

  /** Whether a ticket's process is known to be alive, or was seen to touch it. */
  isAlive(ticket: string): boolean {
    return processState(processOf(ticket)) === "alive" || this.#seen.get(ticket)?.beats === true;
  }

  /** For how many milliseconds it was not touched. A pause of this process, as while a machine sleeps, is not counted. */
  #quiet(ticket: string): number {
    const now = this.#clock.now();
    const touched = this.#queue.touched(ticket) ?? 0;
    const before = this.#seen.get(ticket);
    if (before === undefined || before.touched !== touched) {
      this.#seen.set(ticket, { touched, beats: before !== undefined, quiet: 0, at: now });
      return 0;
    }
    before.quiet += Math.min(Math.max(now - before.at, 0), 4 * poll);
    before.at = now;
    return before.quiet;
  }
}

function join(queue: LockQueue, clock: Clock): Held {
  for (let attempt = 1; ; attempt++)
    try {
      return new Held(queue, clock);
    } catch (error) {
      // The ticket was removed before it had a number, or Windows refuses for a moment.
      const momentary = systemCode(error) === "ENOENT" || process.platform === "win32";
      if (!momentary || attempt === 50) throw new LockUnusable((error as Error).message, { cause: error });
    }
}
