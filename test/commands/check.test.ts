import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { withChecksum } from "../../src/files/checksum.ts";
import { using } from "../../src/service/backup/snapshot.ts";
import { bin, withCollection } from "../support/collection.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type Deckhand, deckhand } from "../support/world.ts";

const line = (value: object) => `${withChecksum(JSON.stringify(value))}\n`;

describe("deckhand check", () => {
  let home: Deckhand;
  let card: string;
  beforeEach(async () => {
    home = await deckhand();
    card = (await home.ok(["add", "Lisbon", "Portugal", "--deck", "Capitals", "--create-deck"])).trim();
    const file = join(home.home, "a.txt");
    writeFileSync(file, "content");
    await home.ok(["attach", "add", card, file]);
  });

  const path = (...names: string[]) => join(home.home, ...names);
  const store = (statement: string) =>
    using(path("data/service/store.sqlite"), (database) => database.exec(statement));
  const check = async (...args: string[]) => {
    const { code, stdout } = await home.run(["check", ...args]);
    return [code, ...stdout.replace(/\n$/, "").split("\n")];
  };
  /** Repairs a copy, in a process of its own: here statements may still hold the file (the drop-in of older Nodes). */
  const repairCopy = () => {
    const copy = temporaryFolder();
    cpSync(home.home, copy, { recursive: true });
    const env = { ...process.env, DECKHAND_HOME: copy, DECKHAND_BACKUP_AUTOMATIC: "off" };
    const run = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
        env,
        encoding: "utf8",
      });
      return { code: status, stdout, stderr };
    };
    const repaired = run("check", "--repair", "--yes");
    expect(run("check")).toMatchObject({ code: 0, stdout: "" });
    return { ...repaired, names: run("cards", "list", "--columns", "name").stdout };
  };
  const attachment = () => {
    const folder = path("data/service/attachments");
    const [name = ""] = readdirSync(folder, { recursive: true })
      .map(String)
      .filter((each) => each.length > 60);
    return join(folder, name);
  };

  test("prints nothing and ends with 0 for a whole collection", async () => {
    expect(await check()).toEqual([0, ""]);
  });

  test("without a collection checks the other files, says so, and creates nothing", async () => {
    rmSync(path("data"), { recursive: true });
    const { code, stdout, stderr } = await home.run(["check"]);
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toContain(`There is no collection in ${path("data")} yet`);
    expect(existsSync(path("data"))).toBe(false);
  });

  test("fails where --data names a folder without a collection, says what to do, and creates nothing", async () => {
    const { code, stderr } = await home.run(["check", "--data", path("elsewhere")]);
    expect(code).toBe(4);
    expect(stderr).toContain(`there is no collection in ${path("elsewhere")}`);
    expect(stderr).toContain("deckhand backup restore <file>");
    expect(existsSync(path("elsewhere"))).toBe(false);
    expect((await home.run(["check", "--data", path("data/service")])).code).toBe(4);
    expect(existsSync(path("data/service/service"))).toBe(false);
  });

  test("names a damaged attachment with the card that has it, and a file that no card has", async () => {
    writeFileSync(attachment(), "contenu");
    mkdirSync(path("data/service/attachments/00"));
    writeFileSync(path("data/service/attachments/00", "0".repeat(62)), "x");
    const [code, first, second] = await check();
    expect(code).toBe(9);
    expect(first).toBe(`attachments\ta.txt (ed7002b439e9)\tits file is missing or damaged\t${card} Lisbon`);
    expect(second).toMatch(/^attachments\tattachments\/00\/0+\tno card names this file\t$/);
    rmSync(attachment());
    expect((await check())[1]).toBe(first);
  });

  test.each([
    ["a wrong letter in a document", "update card set document = replace(document, 'Portugal', 'Portugol')"],
    [
      "another key in its document",
      "update card set document = replace(document, 'template-id', 'tempo-id')",
    ],
    ["facts that cannot be parsed", "update card set facts = '{'"],
    ["another position", "update card set pos = x'00620031'"],
    ["no checksum", "update card set checksum = null"],
    ["a document that cannot be parsed", "update card set document = substr(document, 2)"],
    ["another type of a file", "update attachment set type = 'text/html'"],
    [
      "a review that the document lacks",
      "insert into review (account, card_id, date, due, remembered, duration, due_given) select account, id, 1, 2, 1, null, 0 from card",
    ],
  ])("finds a card with %s, and repairs it after a backup", async (_, statement) => {
    store(statement);
    const [code, found, ...more] = await check();
    expect(code).toBe(9);
    expect(found).toMatch(new RegExp(`^cards\tcard ${card}\t.+\t${card}`));
    expect(more).toEqual([]);
    const refused = await home.run(["check", "--repair"]);
    expect(refused.code).toBe(2);
    expect((await check())[0]).toBe(9);
    const repaired = await home.run(["check", "--repair", "--yes"]);
    expect(repaired.code, repaired.stderr).toBe(0);
    expect(repaired.stderr).toMatch(/A backup before the repair: .*before-repair-.*\.tar/);
    const aside = /What was damaged is in (.*)/.exec(repaired.stderr)?.[1] ?? "";
    expect(readFileSync(join(aside, "damaged.ndjson"), "utf8")).toContain(`"id":"${card}"`);
    expect(await check()).toEqual([0, ""]);
  });

  test("repairs nothing where the backup before it cannot be written", async () => {
    store("update card set checksum = null");
    rmSync(path("data/backups"), { recursive: true, force: true });
    writeFileSync(path("data/backups"), "");
    const whole = readFileSync(path("data/service/store.sqlite"));
    const { code, stderr } = await home.run(["check", "--repair", "--yes"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`could not write ${path("data/backups")}`)]);
    expect(stderr).not.toContain("repaired");
    expect(readFileSync(path("data/service/store.sqlite")).equals(whole)).toBe(true);
    expect((await check())[0]).toBe(9);
  });

  test("a damaged card is left out of lists, exports and due, and named, with exit 9 and what to do", async () => {
    const other = (await home.ok(["add", "Oslo", "Norway", "--deck", "Capitals"])).trim();
    store(
      `update card set document = replace(document, '"content":"Lisbon', '"content":#Lisbon') where id = '${card}'`,
    );
    const lists = [
      ["cards", "list", "-o", "ndjson"],
      ["cards", "list", "--all", "-o", "ndjson"],
      ["due", "list", "-o", "ndjson"],
      ["export", path("out.ndjson")],
    ];
    for (const args of lists) {
      const { code, stdout, stderr } = await home.run(args);
      expect([code, stderr], args.join(" ")).toEqual([9, expect.stringContaining(card)]);
      expect(stderr).toContain("deckhand check");
      expect(stderr).not.toContain("base URL");
      expect(args[0] === "export" ? readFileSync(path("out.ndjson"), "utf8") : stdout).toContain(other);
    }
    const got = await home.run(["cards", "get", card]);
    expect([got.code, got.stderr]).toEqual([7, expect.stringContaining("deckhand check --repair")]);
    // Trying again or later would not help.
    expect(got.stderr).not.toMatch(/tried|later/);
    expect((await home.run(["check", "--repair", "--yes"])).code).toBe(0);
    expect(await home.ok(["cards", "list", "-o", "ndjson"])).toContain(card);
  });

  test("a card whose document is no JSON any more keeps its text, its place and its files", async () => {
    store("update card set document = substr(document, 2)");
    const { code, stderr } = await home.run(["check", "--repair", "--yes"]);
    expect([code, stderr]).toEqual([0, expect.stringContaining("look at its text")]);
    const { content, name, attachments } = JSON.parse(await home.ok(["cards", "get", card, "-o", "json"]));
    expect({ content, name }).toEqual({ content: "Lisbon\n---\nPortugal", name: "Lisbon" });
    expect(Object.keys(attachments)).toEqual(["a.txt"]);
    expect(await home.ok(["cards", "list", "--deck", "Capitals", "-o", "id"])).toBe(`${card}\n`);
    expect(await check()).toEqual([0, ""]);
  });

  test("rescues what is on whole pages into a new database, sets the old one aside, and says what it has", async () => {
    await home.ok(["add", "Oslo", "Norway", "--deck", "Capitals"]);
    store("pragma wal_checkpoint(truncate)");
    const file = path("data/service/store.sqlite");
    const bytes = readFileSync(file);
    const top = using(file, (database) =>
      (
        database.prepare("select rootpage from sqlite_schema where name = 'card'").all() as {
          rootpage: number;
        }[]
      ).at(0),
    );
    // The first byte of the page at the top of the table: no row can be read by SQLite any more.
    const at = (Number(top?.rootpage) - 1) * 4096;
    bytes.writeUInt8(bytes.readUInt8(at) ^ 64, at);
    writeFileSync(file, bytes);
    const listed = await home.run(["cards", "list"]);
    expect([listed.code, listed.stderr]).toEqual([
      expect.any(Number),
      expect.stringContaining("deckhand check"),
    ]);
    expect(listed.stderr).not.toContain("base URL");
    const { code, stderr, names } = repairCopy();
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(
      "what can be read is in a new one: cards: 2, decks: 1, reviews: 0, attachments: 1",
    );
    const aside = /What was damaged is in (.*)/.exec(stderr)?.[1] ?? "";
    expect(readFileSync(join(aside, "store.sqlite")).equals(bytes)).toBe(true);
    expect(names).toContain("Lisbon");
  });

  test("a damaged database that cannot be backed up is kept whole, and what is repaired after it is backed up", async () => {
    store("update card set checksum = null");
    store("pragma wal_checkpoint(truncate)");
    const file = path("data/service/store.sqlite");
    const bytes = readFileSync(file);
    const [top] = using(file, (database) =>
      database.prepare("select rootpage from sqlite_schema where name = 'card'").all(),
    ) as { rootpage: number }[];
    const at = (Number(top?.rootpage) - 1) * 4096;
    bytes.writeUInt8(bytes.readUInt8(at) ^ 64, at);
    writeFileSync(file, bytes);
    const { code, stderr } = repairCopy();
    expect(code, stderr).toBe(0);
    const [kept, rescued, backup, mended] = [
      "The database cannot be backed up: all of it is kept",
      "repaired: store.sqlite",
      "A backup before the repair",
      `repaired: card ${card}`,
    ].map((text) => stderr.indexOf(text));
    expect(kept).toBeGreaterThan(-1);
    expect(rescued).toBeGreaterThan(Number(kept));
    expect(backup).toBeGreaterThan(Number(rescued));
    expect(mended).toBeGreaterThan(Number(backup));
  });

  test("a jq expression that fails on what was repaired ends with 9, an invalid one repairs nothing", async () => {
    store("update card set checksum = null");
    const repair = (filter: string) => home.run(["check", "--repair", "--yes", "--jq", filter]);
    expect((await repair(".[")).code).toBe(2);
    expect((await check())[0]).toBe(9);
    expect(await repair('error("no")')).toMatchObject({
      code: 9,
      stderr: expect.stringContaining("; the command was carried out\n"),
    });
    expect(await check()).toEqual([0, ""]);
  });

  test.each([["remembered"], ["due_given"]])(
    "finds a review whose %s is no number, and repairs it",
    async (column) => {
      await withCollection(path("data"), (client) =>
        client.reviews.create(card, { date: "2026-01-02T03:04:05Z", "remembered?": false }),
      );
      expect(await check()).toEqual([0, ""]);
      store(`update review set ${column} = x''`);
      const [code, found] = await check();
      expect([code, found]).toEqual([9, expect.stringContaining("its reviews differ from its document")]);
      expect((await home.run(["check", "--repair", "--yes"])).code).toBe(0);
      expect(await check()).toEqual([0, ""]);
    },
  );

  test.each([
    ["decks", "update deck set document = replace(document, 'Capitals', 'Capitols')"],
    ["decks", "update deck set document = '{'"],
    ["decks", "update deck set live = 0"],
    ["decks", "update deck set parent_id = id"],
    ["templates", "insert into template values ('default', 't', x'0061', '{}', 7)"],
    [
      "database",
      "pragma foreign_keys = off; insert into review (account, card_id, date, due, remembered, duration, due_given) values ('default', 'gone', 1, 2, 1, null, 0)",
    ],
  ])("finds damage in %s: %s", async (part, statement) => {
    store(statement);
    const [code, found] = await check();
    expect(code).toBe(9);
    expect(found).toMatch(new RegExp(`^${part}\t`));
    if (part === "database") {
      expect(repairCopy()).toMatchObject({ code: 0 });
      return;
    }
    expect((await home.run(["check", "--repair", "--yes"])).code).toBe(0);
    expect(await check()).toEqual([0, ""]);
  });

  test("names the folder of what it moved also with --quiet", async () => {
    writeFileSync(attachment(), "contenu");
    const { code, stderr } = await home.run(["check", "--repair", "--yes", "--quiet"]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^What was damaged is in .*set-aside.*\n$/)]);
  });

  test("moves a damaged attachment to a folder that it names, and the card has it no more", async () => {
    writeFileSync(attachment(), "contenu");
    const { code, stderr } = await home.run(["check", "--repair", "--yes"]);
    expect(code, stderr).toBe(0);
    const moved = /it was moved to (\S+),/.exec(stderr)?.[1] ?? "";
    expect(readFileSync(moved, "utf8")).toBe("contenu");
    expect(await home.ok(["attach", "list", card])).toBe("");
    expect(await check()).toEqual([0, ""]);
  });

  test("finds damaged lines of the review log; a repair blanks them in place", async () => {
    for (const [folder, name, part] of [["data/reviews", "local.jsonl", "logs"]] as const) {
      mkdirSync(path(folder), { recursive: true });
      const good = [line({ type: "sent", id: "a" }), line({ type: "sent", id: "b" })];
      const wrong = line({ type: "sent", "card-id": card, id: "c" }).replace("sent", "tent");
      writeFileSync(path(folder, name), good[0] + wrong + good[1]);
      const [code, found, ...more] = await check();
      expect(code).toBe(9);
      expect(found).toBe(`${part}\t${path(folder, name)}, line 2\tthe line is damaged\t${card}`);
      expect(more).toEqual([]);
      const { ino } = statSync(path(folder, name));
      expect((await home.run(["check", "--repair", "--yes"])).code).toBe(0);
      expect(statSync(path(folder, name)).ino).toBe(ino);
      expect(readFileSync(path(folder, name), "utf8")).toBe(
        `${good[0]}${" ".repeat(wrong.length - 1)}\n${good[1]}`,
      );
      expect(await check()).toEqual([0, ""]);
    }
  });

  test("lines without a checksum are whole before the first with one, and damaged after it", async () => {
    mkdirSync(path("data/reviews"));
    const log = path("data/reviews/local.jsonl");
    writeFileSync(log, `{"type":"sent","id":"a"}\n${line({ type: "sent", id: "b" })}`);
    expect(await check()).toEqual([0, ""]);
    appendFileSync(log, '{"type":"sent","id":"c"}\n');
    expect((await check())[0]).toBe(9);
  });

  test("finds a row that differs from its index", async () => {
    const copy = path("data/service/store.sqlite");
    store("pragma wal_checkpoint(truncate)");
    const bytes = readFileSync(copy);
    const at = bytes.lastIndexOf(Buffer.from(card));
    // An id may begin with any letter.
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    writeFileSync(copy, bytes);
    const [code, found] = await check();
    expect(code).toBe(9);
    expect(found).toMatch(/^(?:database|cards)\t/);
  });

  test("--dry-run repairs nothing, and --data is checked in place of the local collection", async () => {
    store("update card set checksum = 1");
    expect((await home.run(["check", "--repair", "--yes", "--dry-run"])).code).toBe(9);
    expect((await check("--data", path("data")))[0]).toBe(9);
  });
});
