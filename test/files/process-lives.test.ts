import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { processLives } from "../../src/files/process-lives.ts";
import { startZombie } from "../support/zombie.ts";

test("a process lives until it has ended", () => {
  expect(processLives(process.pid)).toBe(true);
  expect(processLives(spawnSync(process.execPath, ["--version"]).pid)).toBe(false);
});

test("what is the number of no process names none that lives", () => {
  // To the system 0 and what is below it are groups of processes.
  for (const pid of [0, -1, -process.pid, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 40])
    expect(processLives(pid)).toBe(false);
});

test.skipIf(process.platform !== "linux")(
  "a process that has ended does not live though its number stands",
  async () => {
    const ended = await startZombie();
    try {
      expect([ended.pid, ended.parent].map(processLives)).toEqual([false, true]);
    } finally {
      ended.release();
    }
  },
);
