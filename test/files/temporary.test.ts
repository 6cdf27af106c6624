import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { makeTemporaryFolder, removeLeftOver, temporaryBeside } from "../../src/files/temporary.ts";
import { temporaryFolder } from "../support/folder.ts";

const [, own = "", host = ""] = /((\w+)-\d+)-\w+\.tmp$/.exec(temporaryBeside("a")) ?? [];
const dead = () => `${host}-${spawnSync(process.execPath, ["--version"]).pid}`;
const elsewhere = `0123456789-${process.pid}`;
const left = (folder: string) => readdirSync(folder).sort();
const old = Date.now() / 1000 - 90_000;

test("the temporary files of a dead process beside a file are removed, those of living ones are not", () => {
  const folder = temporaryFolder();
  const path = join(folder, "map.png");
  const mine = temporaryBeside(path);
  const lost = mine.replace(own, dead());
  const other = temporaryBeside(join(folder, "map.png.jpg")).replace(own, dead());
  for (const file of [mine, lost, `${lost}.tmp-0123456789abcdef`, other, path, join(folder, ".map.png.swp")])
    writeFileSync(file, "");
  removeLeftOver(path, Date.now());
  expect(left(folder)).toEqual([basename(mine), ".map.png.swp", basename(other), "map.png"].sort());
});

test("the temporary files of another host are removed when they are a day old", () => {
  const folder = temporaryFolder();
  const path = join(folder, "a");
  const names = ["1", "2"].map(() => temporaryBeside(path).replace(own, elsewhere));
  for (const name of names) writeFileSync(name, "");
  utimesSync(names[0] ?? "", old, old);
  removeLeftOver(path, Date.now());
  expect(left(folder)).toEqual([basename(names[1] ?? "")]);
});

test("a temporary name fits where the file's own name does, whatever its alphabet", () => {
  for (const name of ["日".repeat(85), "🗺".repeat(63), "a".repeat(255)]) {
    const folder = temporaryFolder();
    const path = join(folder, name);
    writeFileSync(temporaryBeside(path).replace(own, dead()), "");
    removeLeftOver(path, Date.now());
    expect(left(folder)).toEqual([]);
  }
});

test("nothing fails where there is no folder", () => {
  removeLeftOver(join(temporaryFolder(), "not", "there"), Date.now());
});

test("a temporary folder is private, and making one removes those of dead processes", async () => {
  const first = await makeTemporaryFolder("deckhand-test-");
  const lost = join(tmpdir(), `deckhand-test-${dead()}-abc`);
  const foreign = join(tmpdir(), "deckhand-test-notes");
  for (const folder of [lost, foreign]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(lost, "collection.anki2"), "x");
  const second = await makeTemporaryFolder("deckhand-test-");
  expect([first, second, lost, foreign].map(existsSync)).toEqual([true, true, false, true]);
  for (const folder of [first, second, foreign]) rmSync(folder, { recursive: true });
});
