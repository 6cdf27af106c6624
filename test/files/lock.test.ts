import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/files/clock.ts";
import { createLock, LockUnusable } from "../../src/files/lock.ts";
import { look, takeAway } from "../../src/files/lock-file.ts";
import { waitFor } from "../support/wait-for.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "deckhand-lock-"));
  path = join(folder, "below", "account.lock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const lockAt = (file: string, clock = systemClock) => createLock(file, { clock, random: Math.random });

/** A clock whose waits take no time. */
function quickClock(start = 1_700_000_000_000) {
  let now = start;
  return {
    now: () => now,
    wait: async (ms: number) => {
      now += ms;
    },
  };
}

describe("the lock between processes", () => {
  it("is held by one at a time", async () => {
    const first = await lockAt(path).take({});
    const told: string[] = [];
    const second = lockAt(path).take({ onWait: () => told.push("waits") });
    await waitFor(() => told.length === 1, "the second one waits");
    expect(existsSync(path)).toBe(true);
    first.release();
    (await second).release();
    expect(existsSync(path)).toBe(false);
  });

  /** Someone waits while its holder gives it back and takes it again and again. */
  async function isLetIn(clock = systemClock, onWait = () => {}): Promise<boolean> {
    const busy = lockAt(path, clock);
    let held = await busy.take({});
    let letIn = false;
    const waiting = lockAt(path, clock)
      .take({ onWait })
      .then((got) => {
        letIn = true;
        got.release();
      });
    const until = Date.now() + 2000;
    while (!letIn && Date.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      held.release();
      held = await busy.take({});
    }
    const inTime = letIn;
    held.release();
    await waiting;
    return inTime;
  }

  it("lets in one that waits, however quickly its holder comes back", async () => {
    expect(await isLetIn()).toBe(true);
  });

  it("lets in one that waits, though the clock was set back", async () => {
    let ahead = 3_600_000;
    const clock = { ...systemClock, now: () => Date.now() + ahead };
    const setBack = () => {
      ahead = 0;
    };
    expect(await isLetIn(clock, setBack)).toBe(true);
  });

  it("is given to those who wait in the order in which they came", async () => {
    const held = await lockAt(path).take({});
    const order: number[] = [];
    const waiting: Promise<void>[] = [];
    for (const number of [1, 2, 3, 4, 5, 6]) {
      let waits = false;
      const taken = lockAt(path).take({ onWait: () => (waits = true) });
      waiting.push(
        taken.then((got) => {
          order.push(number);
          got.release();
        }),
      );
      await waitFor(() => waits, "it waits");
      // Two that come in the same millisecond come in any order.
      const now = Date.now();
      await waitFor(() => Date.now() > now, "time passes");
    }
    held.release();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3, 4, 5, 6]);
    expect(readdirSync(join(folder, "below"))).toEqual([]);
  });

  it("is not kept for one that died while it waited, whose place is removed", async () => {
    const line = join(folder, "below", "account.lock.line");
    mkdirSync(line, { recursive: true });
    const dead = join(line, "0000000000000001-1-dead");
    writeFileSync(dead, "");
    utimesSync(dead, 1_000_000_000, 1_000_000_000);
    const told: string[] = [];
    (await lockAt(path).take({ onWait: () => told.push("waits") })).release();
    expect(told).toEqual([]);
    expect(existsSync(dead)).toBe(false);
    writeFileSync(dead, "");
    const began = Date.now();
    (await lockAt(path).take({ onWait: () => told.push("waits") })).release();
    expect(told).toEqual(["waits"]);
    // It lived a moment ago: for all that is known it may only be slow. Not as long as for a dead holder, though.
    expect(Date.now() - began).toBeLessThan(4000);
  });

  it("stops waiting when it is told to", async () => {
    const held = await lockAt(path).take({});
    const controller = new AbortController();
    const waiting = lockAt(path).take({
      signal: controller.signal,
      onWait: () => controller.abort("enough"),
    });
    await expect(waiting).rejects.toBe("enough");
    held.release();
  });

  it("is taken from a holder that died long ago, at once", async () => {
    const before = await lockAt(path).take({});
    before.release();
    writeFileSync(path, "");
    utimesSync(path, 1_000_000_000, 1_000_000_000);
    const told: string[] = [];
    const held = await lockAt(path).take({ onWait: () => told.push("waits") });
    expect(told).toEqual([]);
    held.release();
  });

  it("is taken after five seconds where the clock says nothing of its age", async () => {
    const clock = quickClock();
    const lock = lockAt(path, clock);
    (await lock.take({})).release();
    writeFileSync(path, "");
    const future = clock.now() / 1000 + 100_000;
    utimesSync(path, future, future);
    const before = clock.now();
    (await lock.take({})).release();
    expect(clock.now() - before).toBeGreaterThan(4000);
    expect(clock.now() - before).toBeLessThan(5000);
  });

  it("is touched while it is held, so that no one takes it", async () => {
    const held = await lockAt(path).take({});
    const made = statSync(path).mtimeMs;
    await waitFor(() => statSync(path).mtimeMs > made, "it is touched", 5000);
    held.release();
  });

  it("is not removed by a holder that lost it", async () => {
    const stopped = await lockAt(path).take({});
    unlinkSync(path);
    const heir = await lockAt(path).take({});
    stopped.release();
    expect(existsSync(path)).toBe(true);
    heir.release();
    expect(existsSync(path)).toBe(false);
  });

  it("is left to its holder by one that took it for the stale one before it", async () => {
    const stale = await lockAt(path).take({});
    const seen = look(path, undefined, Date.now());
    if (seen === undefined) throw new Error("there is no lock");
    unlinkSync(path);
    const fresh = await lockAt(path).take({});
    const { ino } = statSync(path);
    expect(takeAway(path, seen, Date.now())).toBe(true);
    expect(statSync(path).ino).toBe(ino);
    fresh.release();
    stale.release();
    expect(existsSync(path)).toBe(false);
  });

  it("is taken away by one at a time, and by another where that one died of it", async () => {
    const stale = await lockAt(path).take({});
    const seen = look(path, undefined, Date.now());
    if (seen === undefined) throw new Error("there is no lock");
    writeFileSync(`${path}.take`, "");
    expect(takeAway(path, seen, Date.now())).toBe(false);
    utimesSync(`${path}.take`, 1_000_000_000, 1_000_000_000);
    expect(takeAway(path, seen, Date.now())).toBe(false);
    expect(existsSync(path)).toBe(true);
    expect(takeAway(path, seen, Date.now())).toBe(true);
    expect(readdirSync(join(folder, "below"))).toEqual([]);
    stale.release();
  });

  it("cannot be taken where a dead holder's cannot be taken away", async () => {
    mkdirSync(path, { recursive: true });
    utimesSync(path, 1_000_000_000, 1_000_000_000);
    await expect(lockAt(path).take({})).rejects.toThrow(LockUnusable);
  });

  it("cannot be taken where the right to take away cannot be had", async () => {
    mkdirSync(`${path}.take`, { recursive: true });
    utimesSync(`${path}.take`, 1_000_000_000, 1_000_000_000);
    writeFileSync(path, "");
    utimesSync(path, 1_000_000_000, 1_000_000_000);
    await expect(lockAt(path).take({})).rejects.toThrow(LockUnusable);
  });

  it("cannot be taken where no folder can be", async () => {
    writeFileSync(join(folder, "file"), "");
    await expect(lockAt(join(folder, "file", "account.lock")).take({})).rejects.toThrow(LockUnusable);
  });
});
