import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { changeConfig } from "../../src/config/change-config.ts";
import { readConfig } from "../../src/config/config-file.ts";
import { changeCredential, readCredentials } from "../../src/config/credentials.ts";
import { ImportRecords } from "../../src/transfer/import/undo-record.ts";
import { cli, program } from "../support/cli.ts";
import { examine, nothingPromised } from "../support/crash.ts";
import { temporaryFolder } from "../support/folder.ts";
import { figure } from "../support/soak.ts";
import { deckhand } from "../support/world.ts";

/** Locks leave an empty file, and the name of the last that held them. */
const isNoLock = (name: string) => !/\.(?:lockfile|holder)$/.test(name);

/** A folder on a file system of so many bytes; undefined where this user or machine cannot make one. */
function smallDisk(bytes: number): string | undefined {
  const folder = join(temporaryFolder(), "disk");
  mkdirSync(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync("umount", ["-l", folder], { stdio: "ignore" }));
  return folder;
}

test("a full disk is told as such, and loses nothing that was done before", async ({ skip }) => {
  const disk = smallDisk(12 * 1024 * 1024);
  if (disk === undefined) return skip("a small file system can be mounted by root on Linux only");
  const filler = join(disk, "filler");
  writeFileSync(filler, Buffer.alloc(1024 * 1024));
  const home = await deckhand({ DECKHAND_PROFILE: "local", DECKHAND_HOME: disk, DECKHAND_RETRIES: "0" });
  const promised = nothingPromised();
  const deck = (await home.ok(["decks", "create", "Geography"])).trim();
  promised.decks.add(deck);
  const card = (await home.ok(["cards", "create", "--deck-id", deck, "--content", "first"])).trim();
  const files = new Map<string, string>();
  promised.cards.set(card, { files, reviews: new Set() });

  const large = join(home.home, "large.bin");
  writeFileSync(large, Buffer.alloc(16 * 1024 * 1024));
  const attached = await home.run(["attach", "add", card, large]);
  expect(attached.code).toBe(7);
  expect(attached.stderr).toContain("there is no space left");

  const documents = Array.from({ length: 8000 }, (_, i) =>
    JSON.stringify({ content: `card ${i} ${"x".repeat(2000)}`, "deck-id": deck }),
  );
  const filled = await home.run(["cards", "create", "--from", "-", "-o", "id"], {
    input: documents.join("\n"),
  });
  // What a run remembers of its creations is on the same disk: either may be what finds it full.
  expect([filled.code, filled.stderr]).toEqual([
    expect.toBeOneOf([1, 7]),
    expect.stringMatching(
      /(?:there is no space left for the collection; nothing was changed|is full)[\s\S]*Free space/,
    ),
  ]);
  const ids = filled.stdout.trim().split("\n");
  for (const id of ids) promised.cards.set(id, { files: new Map(), reviews: new Set() });
  expect(ids.length).toBeGreaterThan(10);
  expect(ids.length).toBeLessThan(8000);

  // Reading still works, and with some room everything does.
  expect((await home.ok(["decks", "list"])).split("\t")[0]).toBe(deck);
  truncateSync(filler, 0);
  await examine(join(disk, "data"), promised);
  const after = (await home.ok(["cards", "create", "--deck-id", deck, "--content", "last"])).trim();
  promised.cards.set(after, { files: new Map(), reviews: new Set() });
  await examine(join(disk, "data"), promised);
  figure("disk full", {
    acknowledged: ids.length,
    store: statSync(join(disk, "data", "service", "store.sqlite")).size,
  });
  rmSync(filler);
}, 60_000);

test("a collection on a disk without a byte to spare is told as such, not as a fault of the disk", async ({
  skip,
}) => {
  const disk = smallDisk(2 * 1024 * 1024);
  if (disk === undefined) return skip("a small file system can be mounted by root on Linux only");
  const home = cli({ DECKHAND_PROFILE: "local", DECKHAND_HOME: disk });
  onTestFinished(() => home.remove());
  const deck = (await home.ok(["decks", "create", "Geography"])).trim();
  const filler = join(disk, "filler");
  const { bfree, bsize } = statfsSync(disk);
  writeFileSync(filler, Buffer.alloc(bfree * bsize));
  for (const asked of [
    ["decks", "list"],
    ["add", "front", "back", "--deck-id", deck],
  ]) {
    const full = await home.run(asked);
    expect({ code: full.code, stdout: full.stdout }).toEqual({ code: 7, stdout: "" });
    expect(full.stderr).toContain("there is no space left for the collection in");
    expect(full.stderr).toContain("Free space on the disk.");
  }
  rmSync(filler);
  expect((await home.ok(["decks", "list", "-o", "id"])).trim()).toBe(deck);
}, 60_000);

test("an export that finds the disk full says so, and is whole when there is room again", async ({
  skip,
}) => {
  const size = 16 * 1024 * 1024;
  const disk = smallDisk(size);
  if (disk === undefined) return skip("a small file system can be mounted by root on Linux only");
  const home = await deckhand({ DECKHAND_PROFILE: "local" });
  const deck = (await home.ok(["decks", "create", "Geography"])).trim();
  const documents = Array.from({ length: 600 }, (_, i) =>
    JSON.stringify({ content: `card ${i} ${noise(i)}`, "deck-id": deck }),
  );
  await home.ok(["cards", "create", "--from", "-", "-q"], { input: documents.join("\n") });
  const filler = join(disk, "filler");
  writeFileSync(filler, Buffer.alloc(size - 100 * 1024));
  const target = join(disk, "cards.tar");
  expect(await home.run(["backup", target])).toMatchObject({
    code: 2,
    stderr: `deckhand: could not write ${target}: no space is left on the device\nFree space on the disk.\n`,
  });
  for (const name of ["cards.ndjson", "cards.csv", "cards.mochi", "folder"]) {
    writeFileSync(filler, Buffer.alloc(size - 100 * 1024));
    const full = await home.run(["export", join(disk, name), "--yes"]);
    expect(full.code).toBe(2);
    expect(full.stderr).toContain(`${name}: it can't be written: no space is left on the device`);
    if (name !== "folder") expect(readdirSync(disk)).toEqual(["filler"]);
    rmSync(filler);
    await home.ok(["export", join(disk, name), "--yes"]);
    expect(readdirSync(disk)).toEqual([name]);
    rmSync(join(disk, name), { recursive: true });
  }
}, 60_000);

test("a disk on which no more than half a file fits keeps the old settings and keys, and says why", async ({
  skip,
}) => {
  const disk = smallDisk(128 * 1024);
  if (disk === undefined) return skip("a small file system can be mounted by root on Linux only");
  const config = join(disk, "config");
  const key = (name: string) => ({ origin: "https://cards.example", key: name.repeat(20_000) });
  await changeCredential(config, process.platform, "work", key("a"));
  await changeConfig(config, (now) => ({ ...now, a: "a".repeat(20_000) }));
  const { bfree, bsize } = statfsSync(disk);
  writeFileSync(join(disk, "filler"), Buffer.alloc((bfree - 3) * bsize));
  await expect(changeCredential(config, process.platform, "home", key("b"))).rejects.toThrow(/no space/);
  await expect(changeConfig(config, (now) => ({ ...now, b: "b" }))).rejects.toThrow(/no space/);
  expect(readCredentials(config, process.platform).keys).toEqual(new Map([["work", key("a")]]));
  expect(Object.keys(readConfig(config).config).sort()).toEqual(["a", "profiles"]);
  expect(readdirSync(config).filter(isNoLock).sort()).toEqual(["config.json", "credentials.json"]);
});

test("the record of an import that finds the disk full leaves nothing in the way of the next run", async ({
  skip,
}) => {
  const disk = smallDisk(256 * 1024);
  if (disk === undefined) return skip("a small file system can be mounted by root on Linux only");
  const records = new ImportRecords(join(disk, "imports.db"), "a");
  onTestFinished(() => records.close());
  const { bfree, bsize } = statfsSync(disk);
  const filler = join(disk, "filler");
  writeFileSync(filler, Buffer.alloc(bfree * bsize));
  const header = { name: "a.csv", origin: "/a.csv", at: 0 };
  const full = records.writer(header);
  expect(() => full.note({ deck: "d" })).toThrow("the record of the import cannot be written");
  rmSync(filler);
  const next = records.writer(header);
  next.note({ deck: "d" });
  next.finish();
  expect(records.list()).toMatchObject([{ finished: true }]);
});

/** A thousand characters that no format makes smaller. */
const noise = (seed: number) =>
  Array.from({ length: 24 }, (_, i) => createHash("sha256").update(`${seed} ${i}`).digest("base64")).join("");

test("a restore that has no room says so, changes nothing, and works when there is some", async ({
  skip,
}) => {
  const disk = smallDisk(1024 * 1024);
  if (disk === undefined) return skip("a small file system can be mounted by root on Linux only");
  const home = await deckhand();
  const card = (await home.ok(["add", "Lisbon", "Portugal", "--deck", "Capitals", "--create-deck"])).trim();
  const large = join(home.home, "large.bin");
  writeFileSync(large, Buffer.alloc(2 * 1024 * 1024, "x"));
  await home.ok(["attach", "add", card, large]);
  const backup = join(home.home, "cards.tar");
  await home.ok(["backup", backup]);
  const restore = ["backup", "restore", backup, "--data", join(disk, "data")];
  const { code, stderr } = await home.run(restore);
  expect([code, stderr]).toEqual([2, expect.stringContaining("could not write")]);
  expect(stderr).toContain("no space is left");
  expect(readdirSync(join(disk, "data")).filter(isNoLock)).toEqual([]);
  const written = await home.run(["backup", join(disk, "cards.tar")]);
  expect([written.code, written.stderr]).toEqual([2, expect.stringContaining("no space is left")]);
  expect(readdirSync(disk)).toEqual(["data"]);
  execFileSync("mount", ["-o", "remount,size=16m", disk]);
  await home.ok(restore);
  expect((await home.run(["check", "--data", join(disk, "data")])).code).toBe(0);
});

test.skipIf(process.platform === "win32")(
  "what cannot be written or read is named, and is no damage",
  async () => {
    const home = cli({ DECKHAND_PROFILE: "local" });
    onTestFinished(() => home.remove());
    await home.ok(["add", "Lisbon", "Portugal", "--deck", "Capitals", "--create-deck"]);
    const backup = join(home.home, "cards.tar");
    await home.ok(["backup", backup]);
    // Root may read and write everything.
    const other = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const change = (mode: number) => {
      for (const name of [
        home.home,
        ...readdirSync(home.home, { recursive: true }).map((each) => join(home.home, String(each))),
      ]) {
        const executable = statSync(name).isDirectory() ? mode | 0o111 : mode;
        if (other.uid !== undefined) chownSync(name, other.uid, other.gid);
        chmodSync(name, name === backup ? 0 : executable);
      }
    };
    change(0o444);
    const run = (...args: string[]) => {
      const options = { ...other, env: home.env, cwd: "/", encoding: "utf8" } as const;
      const { status, stderr } = spawnSync(process.execPath, [program, ...args], options);
      return [status, stderr];
    };
    expect(run("check")).toEqual([3, expect.stringContaining("cannot open the collection")]);
    expect(run("backup", join(home.home, "new.tar"))).toEqual([
      2,
      expect.stringContaining("permission denied"),
    ]);
    for (const args of [["verify", backup], ["restore", backup], [backup]])
      expect(run("backup", ...args)).toEqual([2, expect.stringContaining("permission denied")]);
    change(0o644);
    expect(existsSync(join(home.home, "new.tar"))).toBe(false);
  },
);
