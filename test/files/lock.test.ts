import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isLocked, LockUnusable, takeLock, withLock } from "../../src/files/lock.ts";
import { bundledScript, type ScriptRun } from "../support/script.ts";
import { waitFor } from "../support/wait-for.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "deckhand-lock-"));
  path = join(folder, "below", "account");
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

describe("the lock between processes", () => {
  it("is held by one at a time", async () => {
    const first = await takeLock(path);
    let waitsFor = "";
    const second = takeLock(path, { onWait: (holder) => (waitsFor = holder) });
    await waitFor(() => waitsFor !== "", "the second one waits");
    expect(waitsFor).toContain(`(process ${process.pid})`);
    first.release();
    const held = await second;
    first.release();
    expect(isLocked(path)).toBe(true);
    held.release();
    expect(isLocked(path)).toBe(false);
  });

  it("is held while something is done, also where that fails", async () => {
    expect(isLocked(path)).toBe(false);
    await withLock(path, () => expect(isLocked(path)).toBe(true));
    await expect(withLock(path, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(isLocked(path)).toBe(false);
  });

  it("stops waiting when the signal is aborted", async () => {
    const held = await takeLock(path);
    const controller = new AbortController();
    const waiting = takeLock(path, { signal: controller.signal, onWait: () => controller.abort("enough") });
    await expect(waiting).rejects.toBe("enough");
    held.release();
    expect(isLocked(path)).toBe(false);
  });

  it("leaves files that only their owner reads", async () => {
    (await takeLock(path)).release();
    for (const file of [`${path}.lockfile`, `${path}.holder`]) expect(statSync(file).mode & 0o077).toBe(0);
    expect(statSync(`${path}.lockfile`).size).toBe(0);
  });

  it("cannot be taken where no folder can be created", async () => {
    writeFileSync(join(folder, "file"), "");
    await expect(takeLock(join(folder, "file", "account"))).rejects.toThrow(LockUnusable);
    expect(existsSync(join(folder, "file"))).toBe(true);
  });

  it("cannot be taken where something else is in its place, and says so", async () => {
    writeFileSync(join(folder, "a.lockfile"), "text".repeat(1000));
    await expect(takeLock(join(folder, "a"))).rejects.toThrow(LockUnusable);
  });
});

describe("processes that take a lock", () => {
  let script: Awaited<ReturnType<typeof bundledScript>>;
  const runs: ScriptRun[] = [];
  beforeAll(async () => {
    script = await bundledScript("test/support/locker.ts");
  });
  afterEach(async () => {
    for (const run of runs) run.process.kill("SIGKILL");
    await Promise.all(runs.splice(0).map((run) => run.ended));
  });
  afterAll(() => script.remove());
  const start = (options: object) => {
    const run = script.start(options);
    runs.push(run);
    return run;
  };

  it("get it one at a time, of several that want it at the same moment", async () => {
    const paths = Array.from({ length: 100 }, (_, index) => join(folder, String(index)));
    for (let count = 0; count < 4; count++) start({ paths, begin: Date.now() + 1000 });
    await waitFor(() => runs.every((run) => run.lines.length === paths.length), "all have tried", 20_000);
    const holders = paths.map((_, index) => runs.filter((run) => run.lines[index] === "held").length);
    expect(holders).toEqual(paths.map(() => 1));
  });

  it("get it as soon as its holder was killed", async () => {
    const holder = start({ paths: [path] });
    await waitFor(() => holder.lines.length === 1, "it is held");
    expect(isLocked(path)).toBe(true);
    holder.process.kill("SIGKILL");
    await holder.ended;
    expect(isLocked(path)).toBe(false);
  });

  it("cannot take it from one that is stopped, and are told which one that is", async () => {
    const holder = start({ paths: [path] });
    await waitFor(() => holder.lines.length === 1, "it is held");
    holder.process.kill("SIGSTOP");
    const clock = { now: () => Date.now() + 3_600_000, wait: async () => {} };
    let looks = 0;
    let waitsFor = "";
    const wait = async () => {
      if (++looks === 500) throw new Error("looked 500 times");
    };
    const onWait = (who: string) => (waitsFor = who);
    await expect(takeLock(path, { clock: { ...clock, wait }, onWait })).rejects.toThrow("looked 500 times");
    expect(waitsFor).toBe(`deckhand (process ${holder.process.pid})`);
  });

  it("have no lock that outlives them in a child that they started", async () => {
    const held = await takeLock(path);
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    held.release();
    expect(isLocked(path)).toBe(false);
    child.kill("SIGKILL");
  });
});
