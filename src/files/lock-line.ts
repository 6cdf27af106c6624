import { mkdirSync, readdirSync, rmdirSync, statSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "./clock.ts";

/**
 * The processes that wait for a lock, in the order in which they came. Each keeps a file in a folder beside the lock,
 * named by the time of its arrival, and touches it while it waits. The lock alone decides who has it; this only decides
 * who tries, so that nothing worse than another order comes of a clock that was set or of a file that is lost.
 */
export interface Line {
  /** Whether someone waits. */
  empty(): boolean;
  /** Goes to its end. */
  join(): Place;
}

export interface Place {
  /** Whether nobody came earlier who still waits. Has to be asked again and again. */
  first(): boolean;
  leave(): void;
}

/** Who was not heard of for so long has died or is stopped, and keeps nobody waiting. */
const silence = 400;
const heartbeat = 100;
/** What dead processes left is removed after so long. */
const forgotten = 10_000;

/** Time and randomness are those of the lock. */
export function createLine(folder: string, options: { readonly clock: Clock; random(): number }): Line {
  const { clock, random } = options;

  const waits = (name: string): boolean => {
    const touched = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs;
    if (touched === undefined) return false;
    const quiet = Math.abs(clock.now() - touched);
    if (quiet > forgotten) remove(join(folder, name));
    return quiet < silence;
  };

  const arrive = () => {
    const since = clock.now();
    const place = `${process.pid}-${random().toString(36).slice(2, 10)}`;
    return { since, name: `${since.toString().padStart(16, "0")}-${place}` };
  };

  return {
    empty: () => !namesIn(folder).some(waits),
    join() {
      let { since, name } = arrive();
      let touched = touch(folder, name, since);
      return {
        first() {
          const now = clock.now();
          if (now < since) {
            // The clock was set back: whoever came from then on would be before this one.
            remove(join(folder, name));
            ({ since, name } = arrive());
            touched = touch(folder, name, since);
          }
          if (Math.abs(now - touched) > heartbeat) touched = touch(folder, name, now);
          return !namesIn(folder).some((other) => other < name && waits(other));
        },
        leave() {
          remove(join(folder, name));
          quietly(() => rmdirSync(folder));
        },
      };
    },
  };
}

function namesIn(folder: string): string[] {
  try {
    // Nearly always nobody waits, and an error takes longer than this question.
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Makes or touches a file. Without it, others may come first. */
function touch(folder: string, name: string, now: number): number {
  const path = join(folder, name);
  quietly(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(path, "", { mode: 0o600 });
    utimesSync(path, now / 1000, now / 1000);
  });
  return now;
}

const remove = (path: string) => quietly(() => unlinkSync(path));

function quietly(action: () => void): void {
  try {
    action();
  } catch {
    // Others come and go meanwhile.
  }
}
