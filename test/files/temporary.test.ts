import { spawnSync } from "node:child_process";
import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { removeLeftOver, temporaryBeside } from "../../src/files/temporary.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startZombie } from "../support/zombie.ts";

const deadPid = () => spawnSync(process.execPath, ["--version"]).pid;
const left = (folder: string) => readdirSync(folder).sort();

test("what a dead process has left beside a file is removed, what a living one writes is not", () => {
  const folder = temporaryFolder();
  const path = join(folder, "map.png");
  const mine = temporaryBeside(path);
  const [begin, end] = mine.split(`-${process.pid}-`);
  const theirs = `${begin}-${deadPid()}-${end}`;
  const other = temporaryBeside(join(folder, "map.png.jpg")).replace(`-${process.pid}-`, `-${deadPid()}-`);
  for (const file of [mine, theirs, other, path, join(folder, ".map.png.swp")]) writeFileSync(file, "");
  removeLeftOver(path, Date.now());
  expect(left(folder)).toEqual([basename(mine), ".map.png.swp", basename(other), "map.png"].sort());
});

test("what another machine has left in a shared folder is removed when it is a day old", () => {
  const folder = temporaryFolder();
  const names = [".a.elsewhere-1-a.tmp", ".a.elsewhere-1-b.tmp"];
  for (const name of names) writeFileSync(join(folder, name), "");
  const old = Date.now() / 1000 - 90_000;
  utimesSync(join(folder, names[0] ?? ""), old, old);
  removeLeftOver(join(folder, "a"), Date.now());
  expect(left(folder)).toEqual([names[1]]);
});

test("what a process of the same number has left, as containers have them, is removed when it is a day old", () => {
  const folder = temporaryFolder();
  const path = join(folder, "map.png");
  const [earlier, mine] = [temporaryBeside(path), temporaryBeside(path)];
  for (const file of [earlier, mine]) writeFileSync(file, "");
  const old = Date.now() / 1000 - 90_000;
  utimesSync(earlier, old, old);
  removeLeftOver(path, Date.now());
  expect(left(folder)).toEqual([basename(mine)]);
});

test.skipIf(process.platform !== "linux")(
  "what a killed process has left is removed though nobody took note of its end",
  async () => {
    const folder = temporaryFolder();
    const path = join(folder, "map.png");
    const ended = await startZombie();
    try {
      writeFileSync(temporaryBeside(path).replace(`-${process.pid}-`, `-${ended.pid}-`), "");
      removeLeftOver(path, Date.now());
      expect(left(folder)).toEqual([]);
    } finally {
      ended.release();
    }
  },
);

test("a temporary name fits where the file's own name does, whatever its alphabet", () => {
  for (const name of ["日".repeat(85), "🗺".repeat(63), "a".repeat(255)]) {
    const folder = temporaryFolder();
    const path = join(folder, name);
    writeFileSync(temporaryBeside(path).replace(`-${process.pid}-`, `-${deadPid()}-`), "");
    removeLeftOver(path, Date.now());
    expect(left(folder)).toEqual([]);
  }
});

test("where there is no folder, nothing is removed and nothing fails", () => {
  removeLeftOver(join(temporaryFolder(), "not", "there"), Date.now());
});
