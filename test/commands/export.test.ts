import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { program } from "../support/cli.ts";
import { fakeService, sendJson } from "../support/fake-service.ts";
import { openPty } from "../support/pty.ts";
import { onPostgres } from "../support/service.ts";
import { deckhand } from "../support/world.ts";

const jsonLines = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("export", () => {
  test("refuses a path in a folder that does not exist, and creates nothing", async () => {
    const d = await deckhand();
    for (const name of ["x.csv", "cards"]) {
      const ran = await d.run(["export", join(d.home, "nodir", name)]);
      expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining("there is no folder") });
    }
    expect(existsSync(join(d.home, "nodir"))).toBe(false);
    expect(await d.run(["export", ""])).toMatchObject({ code: 2, stderr: "deckhand: the path is empty\n" });
  });

  test.skipIf(onPostgres)("includes the cards in the trash and says how many they are", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "Old"]);
    for (const name of ["Below", "Kept"])
      await d.ok(["decks", "create", name, ...(name === "Below" ? ["--parent", "Old"] : [])]);
    await d.ok(["add", "below", "x", "--deck", "Old/Below"]);
    for (const front of ["kept", "trashed"]) await d.ok(["add", front, "x", "--deck", "Kept"]);
    const [last] = JSON.parse(await d.ok(["cards", "list", "--deck", "Kept", "-o", "json"]));
    await d.ok(["cards", "trash", last.id]);
    await d.ok(["decks", "trash", "Old"]);
    const terminal = openPty({
      command: process.execPath,
      args: [program, "export", "x.ndjson"],
      cwd: d.home,
      env: { DECKHAND_HOME: d.home, DECKHAND_PROFILE: "local", TERM: "xterm" },
    });
    onTestFinished(() => terminal.close());
    await terminal.until("Exported 3 cards (1 of them in the trash), 3 decks");
    const again = await d.ok(["export", join(d.home, "x.csv"), "-o", "json"]);
    expect(JSON.parse(again)).toMatchObject({ cards: 3, trashed: 1 });
    expect(await d.ok(["export", "--help"])).toContain("Cards in the trash are exported, too");
  });

  test("leaves a pipe alone", async () => {
    const d = await deckhand();
    const pipe = join(d.home, "pipe");
    execFileSync("mkfifo", [pipe]);
    expect(await d.run(["export", pipe, "--format", "ndjson", "--yes"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("neither a file nor a folder"),
    });
    expect(statSync(pipe).isFIFO()).toBe(true);
  });

  test("says what is wrong with a place that cannot be written", async () => {
    const d = await deckhand();
    writeFileSync(join(d.home, "file"), "");
    for (const target of [join(d.home, "file", "cards.ndjson"), join(d.home, "file", "x", "cards.csv")])
      expect(await d.run(["export", target])).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("it can't be written: part of its path is a file"),
      });
  });

  test("writes the file that a link names, and keeps the link", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const [file, link] = [join(d.home, "file"), join(d.home, "link.ndjson")];
    writeFileSync(file, "old");
    symlinkSync(file, link);
    await d.ok(["export", link, "--yes"]);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, "utf8")).toContain('"name":"G"');
  });

  test("does not put nothing in the place of a file for an id that names no deck", async () => {
    const d = await deckhand();
    const deck = (await d.ok(["decks", "create", "G"])).trim();
    await d.ok(["cards", "create", "--deck-id", deck, "--content", "x"]);
    const file = join(d.home, "backup.ndjson");
    writeFileSync(file, "old");
    const run = (id: string) => d.run(["export", file, "--deck-id", id, "--yes"]);
    expect(await run("nosuch")).toMatchObject({
      code: 4,
      stderr: "deckhand: there is no deck nosuch\n",
    });
    expect(readFileSync(file, "utf8")).toBe("old");
  });

  test("of a deck has the decks under it and the templates of its cards only", async () => {
    const d = await deckhand();
    for (const args of [["A"], ["B", "--parent", "A"], ["C"]]) await d.ok(["decks", "create", ...args]);
    for (const name of ["used", "unused"])
      await d.ok(["templates", "create", name, "--content", "<< F >>", "--field", "name=F"]);
    await d.ok(["cards", "create", "--deck", "B", "--template", "used", "--field", "F=x"]);
    await d.ok(["add", "other", "x", "--deck", "C"]);
    const file = join(d.home, "a.ndjson");
    await d.ok(["export", file, "--deck", "A"]);
    const lines = jsonLines(readFileSync(file, "utf8"));
    expect(lines.map((line) => Object.keys(line)[0])).toEqual(["deck", "deck", "card", "template"]);
    expect(await d.run(["export", file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--yes"),
    });
    expect(await d.run(["export", join(d.home, "dry.ndjson"), "-n"])).toEqual({
      code: 0,
      stdout: "",
      stderr: `Would export everything to ${join(d.home, "dry.ndjson")} as ndjson\n`,
    });
    expect(existsSync(join(d.home, "dry.ndjson"))).toBe(false);
    await d.ok(["export", file, "--yes"]);
    expect(jsonLines(readFileSync(file, "utf8"))).toHaveLength(7);
    expect(await d.run(["export", join(d.home, "x.docx")])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("which format"),
    });
  });

  test.skipIf(onPostgres)(
    "does without a file that is damaged on the service, says so, and keeps the one it had",
    async () => {
      const d = await deckhand();
      await d.ok(["decks", "create", "D"]);
      for (const name of ["a", "b"]) {
        writeFileSync(join(d.home, `${name}.txt`), name);
        await d.ok([
          "cards",
          "create",
          "--deck",
          "D",
          "--content",
          name,
          "--attach",
          join(d.home, `${name}.txt`),
        ]);
      }
      const [file, folder] = [join(d.home, "x.ndjson"), join(d.home, "x")];
      await d.ok(["export", folder]);
      const stored = join(d.home, "data", "service", "attachments");
      const sha = createHash("sha256").update("a").digest("hex");
      rmSync(join(stored, sha.slice(0, 2), sha.slice(2)));
      for (const target of [file, folder]) {
        const { code, stderr } = await d.run(["export", target, "--retries", "0"]);
        expect(stderr).toMatch(/missing: attachment a\.txt of card \w+: the service fails to give it/);
        expect(stderr).toContain(`1 attachment could not be fetched; all else is in ${target}`);
        expect(code).toBe(9);
      }
      const read = jsonLines(readFileSync(file, "utf8")).flatMap(({ attachment }) => attachment ?? []);
      const [missing, there] = read.toSorted((a) => (JSON.stringify(a).includes("a.txt") ? -1 : 1));
      expect(missing).toMatchObject({ "file-name": "a.txt", missing: expect.anything() });
      expect(missing).not.toHaveProperty("failed");
      expect(there).toMatchObject({ "file-name": "b.txt", size: 1 });
      const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
        name.endsWith(".txt"),
      );
      expect(files.map((name) => readFileSync(join(folder, name), "utf8")).toSorted()).toEqual(["a", "b"]);
    },
  );

  test.skipIf(onPostgres)(
    "does not put a file without what could not be fetched in the place of the last that has it",
    async () => {
      const d = await deckhand();
      await d.ok(["decks", "create", "D"]);
      const attached = join(d.home, "a.txt");
      writeFileSync(attached, "a");
      const create = ["cards", "create", "--deck", "D", "--content", "x", "--attach", attached, "-o", "id"];
      const card = (await d.ok(create)).trim();
      const files = ["ndjson", "mochi", "csv"].map((format) => join(d.home, `x.${format}`));
      for (const file of files) await d.ok(["export", file]);
      const [ndjson = "", mochi = "", csv = ""] = files;
      const before = [ndjson, mochi].map((file) => readFileSync(file));
      await d.ok(["cards", "create", "--deck", "D", "--content", "later"]);
      const sha = createHash("sha256").update("a").digest("hex");
      rmSync(join(d.home, "data", "service", "attachments", sha.slice(0, 2), sha.slice(2)));

      const again = (file: string) => d.run(["export", file, "--yes", "--retries", "0"]);
      for (const file of [ndjson, mochi]) {
        const { code, stdout, stderr } = await again(file);
        expect({ code, stdout }).toEqual({ code: 9, stdout: "" });
        expect(stderr).toContain(`1 attachment could not be fetched: ${file} was left as it is`);
        expect(stderr).toContain("give another name, or move that file away");
      }
      expect([ndjson, mochi].map((file) => readFileSync(file))).toEqual(before);
      expect(readdirSync(d.home).filter((name) => name.endsWith(".tmp"))).toEqual([]);
      // What holds no attachments anyway, and what holds nothing yet, is written.
      expect((await again(csv)).code).toBe(0);
      expect(readFileSync(csv, "utf8")).toContain("later");
      writeFileSync(mochi, "");
      expect(await again(mochi)).toMatchObject({
        code: 9,
        stderr: expect.stringContaining(`all else is in ${mochi}`),
      });
      expect(statSync(mochi).size).toBeGreaterThan(0);

      await d.ok(["attach", "add", card, attached]);
      expect((await again(ndjson)).code).toBe(0);
      expect(readFileSync(ndjson, "utf8")).toContain("later");
    },
  );

  test("writes to standard output with -, only when all of it is there", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    await d.ok(["add", "a", "b", "--deck", "G"]);
    const file = join(d.home, "a.ndjson");
    await d.ok(["export", file]);
    expect(await d.ok(["export", "-", "--format", "ndjson"])).toBe(readFileSync(file, "utf8"));
    for (const args of [[], ["--format", "markdown"]])
      expect(await d.run(["export", "-", ...args])).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("Name one file format with --format"),
      });
  });

  test("leaves a folder that is an export of something else, or of another account", async () => {
    const [one, other] = [await deckhand(), await deckhand()];
    for (const d of [one, other])
      for (const deck of ["A", "B"]) {
        await d.ok(["decks", "create", deck]);
        await d.ok(["add", `in ${deck}`, "x", "--deck", deck]);
      }
    const target = join(one.home, "cards");
    const files = () => readdirSync(target, { recursive: true }).toSorted();
    await one.ok(["export", target]);
    const before = files();
    const refused = (what: string) => ({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining(`${target} is an export of ${what}`),
    });
    expect(await one.run(["export", target, "--deck", "A", "--yes"])).toMatchObject(
      refused("something else"),
    );
    expect(await other.run(["export", target, "--yes"])).toMatchObject(refused("another account"));
    expect(files()).toEqual(before);
    rmSync(target, { recursive: true });
    await one.ok(["export", target, "--deck", "A"]);
    expect(readdirSync(target).toSorted()).toEqual([".deckhand", "A", "deckhand.yaml"]);
    await one.ok(["export", target, "--deck", "A"]);
    const edited = join(target, "A", readdirSync(join(target, "A"))[1] ?? "");
    writeFileSync(edited, "mine");
    const { stderr } = await one.run(["export", target, "--deck", "A"]);
    expect(stderr).toContain(
      `1 file edited since the last export: moved to ${join(target, ".deckhand", "trash")}`,
    );
    const notes = join(one.home, "notes");
    mkdirSync(notes);
    writeFileSync(join(notes, "mine.txt"), "x");
    expect(await one.run(["export", notes])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("holds no export"),
    });
  });

  test.each([
    ["--format", "markdown"],
    ["--format", "markdown", "--dry-run"],
  ])("into a folder that is synced is refused (%s %s %s), and the sync goes on", async (...how) => {
    const d = await deckhand();
    await d.ok(["add", "a", "b", "--deck", "D", "--create-deck"]);
    const folder = join(d.home, "notes");
    await d.ok(["sync", folder, "--yes"]);
    const refused = async () => {
      const { code, stdout, stderr } = await d.run(["export", folder, "--yes", ...how]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain("is kept by `deckhand sync`");
    };
    const marker = readFileSync(join(folder, "deckhand.yaml"), "utf8");
    await refused();
    expect(readFileSync(join(folder, "deckhand.yaml"), "utf8")).toBe(marker);
    await d.ok(["sync", folder, "--yes"]);
    // As in a checkout of a commit before the first sync: the copy in .deckhand names it.
    rmSync(join(folder, "deckhand.yaml"));
    await refused();
    expect(existsSync(join(folder, "deckhand.yaml"))).toBe(false);
  });

  test("leaves nothing beside the target where it fails, and keeps fields that the schema does not know", async () => {
    const cards = Array.from({ length: 150 }, (_, index) => ({
      id: `c${index}`,
      content: `card ${index} ![](@media/a.png)`,
      "deck-id": "d",
      strange: { kept: [index] },
    }));
    let broken = true;
    const service = await fakeService(({ url }, response) => {
      const { pathname, searchParams } = new URL(url, "http://x");
      if (pathname === "/decks") return sendJson(response, 200, { docs: [{ id: "d", name: "D", sort: 0 }] });
      if (pathname === "/decks/d") return sendJson(response, 200, { id: "d", name: "D", extra: true });
      if (pathname === "/templates") return sendJson(response, 200, { docs: [] });
      if (pathname !== "/cards") return sendJson(response, 404, { errors: ["no"] });
      const from = Number(searchParams.get("bookmark") ?? 0);
      if (from === 100 && broken) return sendJson(response, 403, { errors: ["not now"] });
      sendJson(response, 200, { docs: cards.slice(from, from + 100), bookmark: String(from + 100) });
    });
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "key-of-a-test",
    });
    const file = join(d.home, "out", "a.ndjson");
    mkdirSync(join(d.home, "out"));
    expect(await d.run(["export", file])).toMatchObject({ code: 3 });
    expect(readdirSync(join(d.home, "out"))).toEqual([]);
    broken = false;
    const ran = await d.run(["export", file, "-o", "json"]);
    await service.close();
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain(
      "missing: attachment a.png of card c0: the service does not let attachments be read",
    );
    expect(JSON.parse(ran.stdout)).toMatchObject({ cards: 150, attachments: 0 });
    const lines = jsonLines(readFileSync(file, "utf8"));
    expect(lines[0]).toEqual({ deck: { id: "d", name: "D", sort: 0, extra: true } });
    expect(lines.filter((line) => "card" in line).map(({ card }) => card)).toEqual(cards);
  });
});

describe("a spreadsheet", () => {
  test("has a column for each side and each field, and is defused on demand", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    await d.ok([
      "templates",
      "create",
      "T",
      "--content",
      "<< Word >>",
      "--field",
      "name=Word",
      "--field",
      "t=tags",
    ]);
    await d.ok(["add", "=1+1", "-2", "--deck", "G", "--tag", "a b", "--tag", "c"]);
    await d.ok([
      "cards",
      "create",
      "--deck",
      "G",
      "--template",
      "T",
      "--field",
      "Word=w",
      "--field",
      "tags=x",
    ]);
    const read = async () => {
      const text = await d.ok(["export", "-", "--format", "csv"]);
      return text.split("\r\n").map((line) => line.split(",").slice(1).join(","));
    };
    const header = "deck,template,front,back,Word,field:tags,tags,due,pos,archived?,review-reverse?,trashed?";
    const [names, first, second] = await read();
    expect(names).toBe(`${header},updated-at,content,fields`);
    expect(first).toMatch(/^G,,=1\+1,-2,,,"a b, c",/);
    expect(second).toMatch(/^G,T,,,w,x,,/);
  });

  test("names the reviews, the layouts and the attachments that it has no place for", async () => {
    const d = await deckhand();
    const review = (day: number) => ({ date: `2026-03-0${day}T10:00:00.000Z`, "remembered?": true });
    const template = { id: "t", name: "T", content: "<< Back >>\n---\n<< Word >>", fields: {} };
    const unused = { ...template, id: "u", name: "U" };
    const cards = [
      { id: "a", content: "x\n---\ny", "deck-id": "d", reviews: [review(1), review(2)] },
      { id: "b", content: "z", "deck-id": "d", "template-id": "t", reviews: [review(3)] },
    ];
    const lines = [{ deck: { id: "d", name: "D" } }, { template }, { template: unused }];
    const file = join(d.home, "in.ndjson");
    writeFileSync(
      file,
      [...lines, ...cards.map((card) => ({ card }))].map((x) => JSON.stringify(x)).join("\n"),
    );
    await d.ok(["import", file, "--yes"]);
    const csv = (...how: string[]) => d.run(["export", join(d.home, "x.csv"), "--yes", ...how]);
    const note = (what: string) => `csv has no room for ${what} and the settings of decks`;
    const { stderr, stdout } = await csv("-o", "json");
    expect(stderr).toContain(note("reviews (3), layouts of templates (1)"));
    expect(JSON.parse(stdout)["left-out"]).toEqual([
      { what: "reviews", count: 3 },
      { what: "layouts of templates", count: 1 },
    ]);
    const [one] = JSON.parse(await d.ok(["cards", "list", "-o", "json"]));
    await d.ok(["attach", "add", one.id, file]);
    expect((await csv()).stderr).toContain(note("attachments (1), reviews (3), layouts of templates (1)"));
  });
});

test("counts an attachment for each card, also where the format stores equal files once", async () => {
  const d = await deckhand();
  const flag = join(d.home, "flag.png");
  writeFileSync(flag, "one picture");
  for (const front of ["a", "b"])
    await d.ok(["add", front, "x", "--deck", "D", "--create-deck", "--attach", flag]);
  for (const name of ["a.ndjson", "a.mochi", "a.apkg"])
    expect(JSON.parse(await d.ok(["export", join(d.home, name), "-o", "json"])), name).toMatchObject({
      attachments: 2,
    });
  // A backup is of the local collection.
  if (onPostgres) return;
  await d.ok(["backup", join(d.home, "a.tar")]);
  expect(await d.ok(["backup", "verify", join(d.home, "a.tar")])).toContain(
    " 1 attachment file (equal ones are stored once), ",
  );
});
