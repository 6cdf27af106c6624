import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockFile, unlockFile } from "../../src/transfer/import/pid-lock.ts";
import { bundledScript } from "../support/script.ts";
import { waitFor } from "../support/wait-for.ts";
import { startZombie } from "../support/zombie.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "deckhand-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

/** The number of a process that has ended. */
const deadProcess = () => spawnSync(process.execPath, ["--version"]).pid;

test("of several processes that find the lock of a dead one at the same moment, one gets it", async () => {
  const [processes, count] = [4, 100];
  const dead = deadProcess();
  for (let index = 0; index < count; index++) writeFileSync(join(folder, `${index}.lock`), `${dead} 1`);
  const script = await bundledScript("test/support/locker.ts");
  const options = { folder, count, begin: Date.now() + 1000 };
  const runs = Array.from({ length: processes }, () => script.start(options));
  try {
    await waitFor(() => runs.every((run) => run.lines.length === count), "all have tried", 20_000);
    const winners = Array.from({ length: count }, (_, index) =>
      runs.filter((run) => run.lines[index] === "true"),
    );
    expect(winners.map(({ length }) => length)).toEqual(Array.from({ length: count }, () => 1));
    expect(readdirSync(folder)).toHaveLength(count);
  } finally {
    for (const run of runs) run.process.kill("SIGKILL");
    await Promise.all(runs.map((run) => run.ended));
    script.remove();
  }
});

test.skipIf(process.platform !== "linux")(
  "the lock of a process that was killed is taken over though nobody took note of its end",
  async () => {
    const path = join(folder, "journal");
    const ended = await startZombie();
    try {
      writeFileSync(`${path}.lock`, `${ended.pid} 1`);
      lockFile(path, "it");
      expect(readFileSync(`${path}.lock`, "utf8")).toMatch(`${process.pid} `);
      unlockFile(path);
      writeFileSync(`${path}.lock`, `${ended.parent} 1`);
      expect(() => lockFile(path, "it")).toThrow(`another process (${ended.parent}) is using it`);
    } finally {
      ended.release();
    }
  },
);

test("a lock that does not say yet whose it is belongs to someone, for a while", () => {
  const path = join(folder, "journal");
  writeFileSync(`${path}.lock`, "");
  expect(() => lockFile(path, "it")).toThrow("another process is using it");
  const past = Date.now() / 1000 - 60;
  utimesSync(`${path}.lock`, past, past);
  lockFile(path, "it");
  expect(readFileSync(`${path}.lock`, "utf8")).toMatch(`${process.pid} `);
  unlockFile(path);
  expect(existsSync(`${path}.lock`)).toBe(false);
});

test("the lock of an earlier process with the same number, as containers have, is taken over", () => {
  const path = join(folder, "journal");
  writeFileSync(`${path}.lock`, `${process.pid} 12345.6`);
  lockFile(path, "it");
  expect(() => lockFile(path, "it")).toThrow(`another process (${process.pid}) is using it`);
});
