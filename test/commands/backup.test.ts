import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { expired } from "../../src/service/backup/kept.ts";
import { type Cli, cli } from "../support/cli.ts";
import { type Deckhand, deckhand } from "../support/world.ts";

describe("deckhand backup", () => {
  let home: Deckhand;
  let target: string;
  beforeEach(async () => {
    home = await deckhand();
    target = join(home.home, "cards.tar");
    await home.ok(["add", "Lisbon", "Portugal", "--deck", "Capitals", "--create-deck"]);
    await home.ok(["config", "set", "timeout", "5s"]);
  });

  test("writes a private file, prints its path, and verifies it", async () => {
    expect(await home.ok(["backup", target])).toBe(`${target}\n`);
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(await home.run(["import", target, "--deck", "D"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("this is no file that can be imported"),
    });
    expect(await home.ok(["backup", "verify", target])).toContain("is whole: written 20");
    expect(JSON.parse(await home.ok(["backup", "verify", target, "-o", "json"]))).toMatchObject({
      attachments: 0,
      parts: ["config.json", "store.sqlite"],
    });
    expect(JSON.parse(await home.ok(["backup", target, "-o", "json"]))).toMatchObject({ damaged: [] });
  });

  test.each([
    ["a base URL and a key", { DECKHAND_PROFILE: "", DECKHAND_API_KEY: "0123456789abcdef" }],
    ["a base URL without a key", { DECKHAND_PROFILE: "" }],
  ])("and check say that they are about the local collection where there is %s", async (_, env) => {
    const options = { env: { ...env, DECKHAND_BASE_URL: "https://cards.example.org" } };
    const local = (await home.run(["backup", target])).stderr;
    expect(local).not.toContain("local collection");
    const ran = [await home.run(["backup", target], options), await home.run(["check"], options)];
    const collection = `the local collection in ${join(home.home, "data")}, not the account that is chosen`;
    expect(ran).toMatchObject([{ code: 0 }, { code: 0 }]);
    const hosted = "the account in use is hosted: `deckhand export` saves that one";
    expect(ran[0]?.stderr).toMatch(new RegExp(`^${hosted}\\. Backing up`));
    expect(ran[0]?.stderr).toContain(`Backing up ${collection}\n`);
    expect(ran[1]?.stderr).toContain(`Checking ${collection}\n`);
    const given = await home.run(["backup", target, "--data", join(home.home, "data")], options);
    expect(given.stderr).not.toContain("not the account");
  });

  test("and check name no other account where CI is set and none is configured", async () => {
    const options = { env: { DECKHAND_PROFILE: "", CI: "1" } };
    for (const args of [["backup", target], ["check"]]) {
      const { code, stderr } = await home.run(args, options);
      expect(code).toBe(0);
      expect(stderr).not.toContain("local collection");
    }
  });

  test("restores with counts, and says how to use another folder", async () => {
    await home.ok(["backup", target]);
    const folder = join(home.home, "elsewhere");
    const { code, stderr } = await home.run(["backup", "restore", target, "--data", folder]);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^Restored 1 card in 1 deck, 0 reviews and 0 attachments of the backup of 20.* into .*elsewhere$/m,
    );
    expect(stderr).toContain(`To use the collection: deckhand serve --data ${folder}\n`);
    const again = ["backup", "restore", target, "--data", join(home.home, "third"), "-o", "json"];
    expect(JSON.parse(await home.ok(again))).toMatchObject({
      cards: 1,
      decks: 1,
      reviews: 0,
      attachments: 0,
    });
  });

  test("has no key of a hosted account in it", async () => {
    const key = "k3y-that-must-not-be-in-a-backup";
    const credentials = JSON.stringify({ work: { origin: "https://example.org", key } });
    writeFileSync(join(home.home, "config", "credentials.json"), credentials, { mode: 0o600 });
    await home.ok(["backup", target]);
    expect(readFileSync(target, "latin1")).not.toContain(key);
  });

  test("exits with 9 for a damaged backup, and with 2 for what is none or missing", async () => {
    await home.ok(["backup", target]);
    const bytes = readFileSync(target);
    bytes[5000] = (bytes[5000] ?? 0) ^ 1;
    writeFileSync(target, bytes);
    const { code, stderr } = await home.run(["backup", "verify", target]);
    expect([code, stderr]).toEqual([9, expect.stringContaining("is damaged")]);
    expect((await home.run(["backup", "restore", target, "--replace", "--yes"])).code).toBe(9);
    expect(existsSync(join(home.home, "data", "set-aside"))).toBe(false);
    expect((await home.run(["backup", "verify", join(home.home, "missing")])).code).toBe(2);
  });

  test("replaces no file that is not a backup, and needs a folder and a collection", async () => {
    writeFileSync(target, "mine");
    expect((await home.run(["backup", target])).code).toBe(2);
    expect(readFileSync(target, "utf8")).toBe("mine");
    const { code, stderr } = await home.run(["backup", home.home]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("is a folder")]);
    expect((await home.run(["backup", join(home.home, "none", "cards.tar")])).code).toBe(2);
    const empty = await deckhand();
    expect((await empty.run(["backup", join(empty.home, "cards.tar")])).code).toBe(4);
    const nowhere = join(home.home, "nowhere");
    const none = await home.run(["backup", target, "--data", nowhere]);
    expect([none.code, none.stderr]).toEqual([4, expect.stringContaining(`no collection in ${nowhere}`)]);
    expect(existsSync(nowhere)).toBe(false);
  });

  test.each([["key", "list"], ["key", "remove", "anna"], ["migrate"]])(
    "serve %s %s fails, too, for a folder without a collection, and creates none",
    async (...args) => {
      const nowhere = join(home.home, "nowhere");
      const { code, stderr } = await home.run(["serve", ...args, "--data", nowhere]);
      expect([code, stderr]).toEqual([4, expect.stringContaining(`no collection in ${nowhere}`)]);
      const from = ["serve", "copy", "--from", nowhere, "--database", "postgres://127.0.0.1:1/none"];
      expect((await home.run(from)).code).toBe(4);
      expect(existsSync(nowhere)).toBe(false);
    },
  );

  test("replaces an earlier backup", async () => {
    await home.ok(["backup", target]);
    await home.ok(["add", "Oslo", "Norway", "--deck", "Capitals"]);
    const before = statSync(target).ino;
    await home.ok(["backup", target]);
    expect(statSync(target).ino).not.toBe(before);
  });

  test.each([
    ["text", Buffer.from("hello\n")],
    ["random bytes", Buffer.alloc(5000, 7)],
    ["an empty file", Buffer.alloc(0)],
    ["a compressed file", gzipSync("text")],
    ["a zip archive", Buffer.from("PK\x03\x04".padEnd(900, "x"))],
  ])("says of %s that it is not a backup, and restores nothing", async (_, bytes) => {
    writeFileSync(target, bytes);
    const restore = ["restore", target, "--data", join(home.home, "new")];
    for (const args of [["verify", target], restore]) {
      const { code, stderr } = await home.run(["backup", ...args]);
      expect([code, stderr]).toEqual([2, expect.stringContaining("is not a backup of deckhand")]);
      expect(stderr).not.toContain("damaged");
    }
    expect(existsSync(join(home.home, "new"))).toBe(false);
  });

  test("says of another tar archive, a folder and a missing file what they are", async () => {
    const file = join(home.home, "notes.txt");
    writeFileSync(file, "mine");
    execFileSync("tar", ["-cf", target, "-C", home.home, "notes.txt"]);
    expect((await home.run(["backup", "verify", target])).stderr).toContain("is not a backup of deckhand");
    expect((await home.run(["backup", "verify", home.home])).stderr).toContain("it is a folder");
    const missing = await home.run(["backup", "verify", join(home.home, "missing")]);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("there is no such file")]);
  });

  test("is damaged where its first key has a wrong bit", async () => {
    await home.ok(["backup", target]);
    const whole = readFileSync(target);
    whole[512] = (whole[512] ?? 0) ^ 1;
    writeFileSync(target, whole);
    const { code, stderr } = await home.run(["backup", "verify", target]);
    expect([code, stderr]).toEqual([9, expect.stringContaining("is damaged")]);
  });

  test("a dry run writes nothing", async () => {
    await home.ok(["backup", target, "--dry-run"]);
    expect(existsSync(target)).toBe(false);
  });

  test("is made before an import that updates cards", async () => {
    const file = join(home.home, "cards.csv");
    for (const day of [1, 2, 3, 4, 5]) {
      writeFileSync(file, `front,back\nLisbon,Portugal ${day}\n`);
      const args = ["import", file, "--deck", "Capitals", "--update", "--overwrite", "--yes"];
      const ran = await home.run(args, { now: () => Date.UTC(2027, 10, day) });
      expect(ran.code, ran.stderr).toBeLessThanOrEqual(9);
      if (!ran.stderr.includes("A backup of the collection")) expect(ran.stdout).not.toContain("updated");
    }
    const backups = readdirSync(join(home.home, "data", "backups"));
    expect(backups.length).toBeGreaterThan(0);
    for (const name of backups) {
      expect(name).toMatch(/^before-import-\d{8}T\d{6}Z\.tar$/);
      await home.ok(["backup", "verify", join(home.home, "data", "backups", name)]);
    }
  });
});

describe("what a restore takes besides cards", () => {
  test("of the settings only those of learning, shown first: no program, address or account", async () => {
    const [theirs, mine] = [await deckhand(), await deckhand()];
    await theirs.ok(["add", "Lisbon", "Portugal", "--deck", "Capitals", "--create-deck"]);
    for (const [name, value] of [
      ["review.player", "touch /tmp/ran"],
      ["review.autoplay", "true"],
      ["review.new-per-day", "7"],
      ["review.day-starts-at", "03:00"],
    ])
      await theirs.ok(["config", "set", name ?? "", value ?? "", "--profile", "local"]);
    const target = join(theirs.home, "cards.tar");
    await theirs.ok(["backup", target]);
    await mine.ok(["config", "set", "review.player", "mpv"]);
    const { code, stderr } = await mine.run(["backup", "restore", target, "--replace", "--yes"]);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("review.new-per-day 7");
    expect(await mine.ok(["config", "get", "review.player"])).toBe("mpv\n");
    expect(await mine.ok(["config", "get", "review.autoplay"])).toBe("false\n");
    expect(await mine.ok(["config", "get", "review.new-per-day"])).toBe("7\n");
    expect(await mine.ok(["config", "get", "review.day-starts-at"])).toBe("03:00\n");
  });
});

describe("automatic backups", () => {
  const on = { DECKHAND_BACKUP_AUTOMATIC: "" };
  const at = (day: number, hour = 12) => ({ env: on, now: () => Date.UTC(2026, 10, day, hour) });
  const names = async (home: Deckhand) => (await home.ok(["backup", "list", "-o", "id"])).trim().split("\n");

  test("are made once a day after a command, and only where something was written since", async () => {
    const home = await deckhand();
    await home.ok(["add", "Lisbon", "Portugal", "--deck", "Capitals", "--create-deck"], at(1));
    await home.ok(["add", "Oslo", "Norway", "--deck", "Capitals"], at(1, 18));
    expect(await names(home)).toEqual(["daily-20261101T120000Z"]);
    expect(await home.ok(["doctor", "-o", "tsv"])).toContain("daily-20261101T120000Z, written");
    await home.ok(["backup", "verify", join(home.home, "data/backups/daily-20261101T120000Z.tar")]);
    await home.ok(["config", "set", "backup.automatic", "off"]);
    await home.ok(["add", "Rome", "Italy", "--deck", "Capitals"], at(5));
    expect(await names(home)).toHaveLength(1);
  });

  test("restore by their name with the attachments that were deleted since", async () => {
    const home = cli({ DECKHAND_PROFILE: "local" });
    onTestFinished(() => home.remove());
    const file = join(home.home, "map.txt");
    writeFileSync(file, "a map");
    const add = ["add", "Lisbon", "Portugal", "--deck", "Capitals", "--create-deck"];
    const id = (await home.ok(add)).trim();
    await home.ok(["attach", "add", id, file], { env: on });
    await home.ok(["cards", "delete", id, "--yes"]);
    const name = (await home.ok(["backup", "list", "-o", "id"])).trim();
    await home.ok(["backup", "restore", name, "--replace", "--yes"]);
    const copy = join(home.home, "copy.txt");
    await home.ok(["attach", "get", id, "map.txt", "--output-file", copy]);
    expect(readFileSync(copy, "utf8")).toBe("a map");
    expect((await home.run(["check"])).code).toBe(0);
  });

  test("keep all of two days, one a day for two weeks, one a month for a year", () => {
    const hour = 3_600_000;
    const now = Date.UTC(2026, 10, 24, 12);
    const backups = Array.from({ length: 500 * 4 }, (_, index) => {
      const instant = now - index * 6 * hour;
      return { name: `daily-${index}`, path: "", at: instant };
    });
    const gone = new Set(expired(backups, now));
    const kept = backups.filter((backup) => !gone.has(backup));
    const ages = kept.map((backup) => (now - backup.at) / (24 * hour));
    expect(ages.filter((age) => age <= 2)).toHaveLength(9);
    expect(ages.filter((age) => age > 2 && age <= 14)).toHaveLength(13);
    expect(ages.filter((age) => age > 14)).toHaveLength(13);
    expect(Math.max(...ages)).toBeLessThanOrEqual(366);
  });
});

describe("deckhand backup restore, as the documentation has it", () => {
  const place = async (work: (home: Cli) => Promise<void>) => {
    const home = cli({ DECKHAND_PROFILE: "local" });
    try {
      await work(home);
    } finally {
      home.remove();
    }
  };

  test("restores into an empty collection, and over another one only with --replace", async () => {
    await place(async (home) => {
      const target = join(home.home, "cards.tar");
      await home.ok(["add", "Lisbon", "Portugal", "--deck", "Capitals", "--create-deck"]);
      await home.ok(["backup", target]);
      await home.ok(["add", "Oslo", "Norway", "--deck", "Capitals"]);
      expect((await home.run(["backup", "restore", target])).code).toBe(5);
      expect((await home.run(["backup", "restore", target, "--replace"])).code).toBe(2);
      const { code, stderr } = await home.run(["backup", "restore", target, "--replace", "--yes"]);
      expect(code, stderr).toBe(0);
      const aside = /The collection that was there is in (\S+)/.exec(stderr)?.[1] ?? "";
      const fronts = async (args: readonly string[]) =>
        (await home.ok(["cards", "list", "-o", "tsv", "--columns", "name", ...args])).trim().split("\n");
      expect(await fronts([])).toEqual(["Lisbon"]);
      expect((await home.ok(["check"])).trim()).toBe("");
      expect((await home.run(["check", "--data", aside])).code).toBe(0);
      const other = join(home.home, "other");
      await home.ok(["backup", "restore", target, "--data", other]);
      expect((await home.run(["check", "--data", other])).code).toBe(0);
    });
  });
});
