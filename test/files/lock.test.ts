import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/files/clock.ts";
import { LockBusy, LockUnusable, takeLock } from "../../src/files/lock.ts";
import { ownProcess } from "../../src/files/process-id.ts";
import { bundle } from "../support/bundle.ts";
import { bundledScript } from "../support/script.ts";
import { waitFor } from "../support/wait-for.ts";

let folder: string;
let path: string;
let queue: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "deckhand-lock-"));
  path = join(folder, "below", "account");
  queue = `${path}.lock`;
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

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

const [ownPlace = "", , ownStart = ""] = ownProcess().split("-");
const elsewhere = "0123456789-1-1";
const deadProcess = () => `${ownPlace}-${spawnSync(process.execPath, ["--version"]).pid}-0`;

/** Leaves a ticket of another process, as if it held the lock. */
function leave(holder: string, number = "0000000001"): string {
  mkdirSync(queue, { recursive: true });
  const ticket = join(queue, `${number}.${holder}.abc`);
  writeFileSync(ticket, "");
  return ticket;
}

describe("the lock between processes", () => {
  it("is held by one at a time", async () => {
    const first = await takeLock(path);
    let waits = false;
    const second = takeLock(path, { onWait: () => (waits = true) });
    await waitFor(() => waits, "the second one waits");
    expect(first.wanted()).toBe(true);
    first.release();
    const held = await second;
    expect([held.kept(), held.wanted(), first.kept()]).toEqual([true, false, false]);
    held.release();
    expect(readdirSync(dirname(queue))).toEqual([]);
  });

  it("is given to a process that waits, however quickly its holder takes it again", async () => {
    const first = await takeLock(path);
    let waits = false;
    const second = takeLock(path, { onWait: () => (waits = true) });
    await waitFor(() => waits, "the second one waits");
    first.release();
    const third = takeLock(path);
    (await second).release();
    (await third).release();
  });

  it("is given to those who wait in the order in which they came", async () => {
    const held = await takeLock(path);
    const order: number[] = [];
    const waiting: Promise<void>[] = [];
    for (const number of [1, 2, 3, 4, 5, 6]) {
      let waits = false;
      const taken = takeLock(path, { onWait: () => (waits = true) });
      waiting.push(
        taken.then((got) => {
          order.push(number);
          got.release();
        }),
      );
      await waitFor(() => waits, "it waits");
    }
    held.release();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3, 4, 5, 6]);
    expect(existsSync(queue)).toBe(false);
  });

  it("stops waiting when the signal is aborted, and leaves nothing", async () => {
    const held = await takeLock(path);
    const controller = new AbortController();
    const waiting = takeLock(path, { signal: controller.signal, onWait: () => controller.abort("enough") });
    await expect(waiting).rejects.toBe("enough");
    expect(held.wanted()).toBe(false);
    held.release();
  });

  it("is taken at once from a process that died with it, or before it had a number", async () => {
    leave(deadProcess());
    leave(deadProcess(), "new");
    let waits = false;
    (await takeLock(path, { onWait: () => (waits = true) })).release();
    expect(waits).toBe(false);
    expect(existsSync(queue)).toBe(false);
  });

  it("is taken at once where the holder's id, or this process's own, belonged to an earlier process", async ({
    skip,
  }) => {
    if (process.platform !== "linux") return skip("start times are known on Linux only");
    leave(`${ownPlace}-${process.pid}-1`);
    leave(`${ownPlace}-${process.ppid}-1`, "0000000002");
    (await takeLock(path, { ifFree: true })).release();
  });

  it("is taken after five seconds from a process of another boot or container that is silent", async () => {
    leave(elsewhere);
    const clock = quickClock();
    const before = clock.now();
    (await takeLock(path, { clock, ifFree: true })).release();
    expect(clock.now() - before).toBeGreaterThan(4000);
    expect(clock.now() - before).toBeLessThan(5000);
  });

  it("is left to a process of another container that is alive, though its id means another process here", async () => {
    const ticket = leave(`0123456789-${process.pid}-${ownStart}`);
    let beats = 0;
    const clock = quickClock();
    const wait = async (ms: number) => {
      await clock.wait(ms);
      if (clock.now() - 1_700_000_000_000 > 1000 * (beats + 1)) utimesSync(ticket, ++beats, beats);
      if (beats === 20) throw new Error("waited for 20 seconds");
    };
    await expect(takeLock(path, { clock: { ...clock, wait } })).rejects.toThrow("waited for 20 seconds");
    beats = 0;
    await expect(takeLock(path, { clock: { ...clock, wait }, ifFree: true })).rejects.toThrow(LockBusy);
    expect(existsSync(ticket)).toBe(true);
  });

  it("counts as silence only what it saw: a machine that slept has no dead processes", async () => {
    const ticket = leave(elsewhere);
    const clock = quickClock();
    let polls = 0;
    const wait = async () => {
      await clock.wait(3_600_000);
      if (++polls === 20) throw new Error("looked 20 times");
    };
    await expect(takeLock(path, { clock: { ...clock, wait } })).rejects.toThrow("looked 20 times");
    expect(existsSync(ticket)).toBe(true);
  });

  it("is refused at once where a process that is alive holds it, if asked to", async () => {
    const held = await takeLock(path);
    await expect(takeLock(path, { ifFree: true })).rejects.toMatchObject({
      name: "LockBusy",
      pid: process.pid,
    });
    held.release();
  });

  it("is touched while it is held", async () => {
    const held = await takeLock(path, { clock: { ...systemClock, now: () => 1000 } });
    const seen = readdirSync(queue).map((name) => join(queue, name));
    const { statSync } = await import("node:fs");
    await waitFor(() => statSync(seen[0] ?? "").mtimeMs === 1000, "it is touched", 5000);
    held.release();
  });

  it("is lost by a holder whose ticket was removed, who does not disturb the next one", async () => {
    const stopped = await takeLock(path);
    rmSync(queue, { recursive: true });
    const next = await takeLock(path);
    expect([stopped.kept(), next.kept()]).toEqual([false, true]);
    stopped.release();
    expect(next.kept()).toBe(true);
    next.release();
    expect(existsSync(queue)).toBe(false);
  });

  it("is taken with a new ticket by a process whose own was removed while it waited", async () => {
    const held = await takeLock(path);
    let waits = false;
    const waiting = takeLock(path, { onWait: () => (waits = true) });
    await waitFor(() => waits, "it waits");
    for (const name of readdirSync(queue)) if (name !== held.name) rmSync(join(queue, name));
    await waitFor(() => readdirSync(queue).length === 2, "it has a new one");
    held.release();
    (await waiting).release();
  });

  it("cannot be taken where no folder can be created", async () => {
    writeFileSync(join(folder, "file"), "");
    await expect(takeLock(join(folder, "file", "account"))).rejects.toThrow(LockUnusable);
  });
});

describe("processes that take a lock", () => {
  let script: Awaited<ReturnType<typeof bundledScript>>;
  beforeAll(async () => {
    script = await bundledScript("test/support/locker.ts");
  });
  afterAll(() => script.remove());

  it("get it one at a time, of several that find the lock of a dead one at the same moment", async () => {
    const paths = Array.from({ length: 100 }, (_, index) => join(folder, String(index)));
    const dead = deadProcess();
    for (const each of paths) {
      mkdirSync(`${each}.lock`);
      writeFileSync(join(`${each}.lock`, `0000000001.${dead}.abc`), "");
    }
    const options = { paths, begin: Date.now() + 1000 };
    const runs = Array.from({ length: 4 }, () => script.start(options));
    try {
      await waitFor(() => runs.every((run) => run.lines.length === paths.length), "all have tried", 20_000);
      const holders = paths.map((_, index) => runs.filter((run) => run.lines[index] === "held").length);
      expect(holders).toEqual(paths.map(() => 1));
    } finally {
      for (const run of runs) run.process.kill("SIGKILL");
      await Promise.all(runs.map((run) => run.ended));
    }
  });

  it("get it one at a time in two pid namespaces, where both have the same process id", async ({ skip }) => {
    const unshare = ["--pid", "--fork", "--kill-child", "--mount-proc"];
    if (spawnSync("unshare", [...unshare, "true"]).status !== 0)
      return skip("pid namespaces are for root on Linux only");
    const file = await bundle("test/support/locker.ts", folder);
    const started: { child: ChildProcess; said: string }[] = [];
    const start = () => {
      const args = [...unshare, process.execPath, file, JSON.stringify({ paths: [path] })];
      const child = spawn("unshare", args, { stdio: ["ignore", "pipe", "inherit"] });
      const run = { child, said: "" };
      child.stdout.on("data", (chunk: Buffer) => {
        run.said += chunk;
      });
      started.push(run);
      return run;
    };
    try {
      const first = start();
      await waitFor(() => first.said !== "", "the first one has it", 10_000);
      const second = start();
      await waitFor(() => second.said !== "", "the second one has tried", 10_000);
      expect([first.said, second.said]).toEqual(["held\n", "busy\n"]);
      first.child.kill("SIGKILL");
      const third = start();
      await waitFor(() => third.said !== "", "the third one has it", 10_000);
      expect(third.said).toBe("held\n");
    } finally {
      for (const { child } of started) child.kill("SIGKILL");
    }
  });
});
