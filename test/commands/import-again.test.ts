import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { program } from "../support/cli.ts";
import { openPty } from "../support/pty.ts";
import { onPostgres } from "../support/service.ts";
import { type Deckhand, deckhand } from "../support/world.ts";

type Card = { readonly id: string; readonly content: string; readonly name?: string };

const cardsOf = async (d: Deckhand): Promise<Card[]> =>
  JSON.parse(await d.ok(["cards", "list", "-o", "json"]));
const contents = async (d: Deckhand) => (await cardsOf(d)).map(({ content }) => content).toSorted();

/** A collection with two cards in a deck below another. */
async function filled(): Promise<Deckhand> {
  const d = await deckhand();
  await d.ok(["decks", "create", "A"]);
  await d.ok(["decks", "create", "B", "--parent", "A"]);
  for (const front of ["one", "two"]) await d.ok(["add", front, "back", "--deck", "B", "--tag", "t"]);
  return d;
}

describe("an import of what the account has", () => {
  for (const format of ["ndjson", "mochi", "markdown"])
    test(`from ${format} of the same account doubles nothing, and changes only what changed in the file`, async () => {
      const d = await filled();
      const path = join(d.home, `x.${format}`);
      await d.ok(["export", path, "--format", format]);
      const run = (...how: string[]) => d.run(["import", path, "--yes", ...how]);
      const before = await contents(d);
      expect(await run()).toMatchObject({
        code: 0,
        stderr: expect.stringContaining("All 2 cards are there already; nothing to do."),
      });
      const plan = JSON.parse((await run("--dry-run", "-o", "json")).stdout);
      expect(plan).toMatchObject({ decks: 0, cards: 0, there: { same: 2, changed: 0, differs: 0 } });
      expect((await run("--update")).code).toBe(0);
      expect(await contents(d)).toEqual(before);
      // An older file after an edit on the service: the edit stays.
      const [one] = await cardsOf(d);
      await d.ok(["cards", "update", one?.id ?? "", "--content", "edited on the service"]);
      const left = await run("--update");
      expect(left).toMatchObject({ code: 9 });
      expect(JSON.parse((await run("-o", "json")).stdout)).toMatchObject({ unchanged: 1, left: 1 });
      expect(left.stderr).toContain(`(${one?.id}): it is different in the collection`);
      expect(await contents(d)).toContain("edited on the service");
      expect((await run("--overwrite")).code).toBe(0);
      expect(await contents(d)).toEqual(before);
      expect((await run("--duplicate")).code).toBe(0);
      expect(await contents(d)).toEqual([...before, ...before].toSorted());
      expect((await d.ok(["decks", "list", "-o", "id"])).trim().split("\n")).toHaveLength(2);
    });

  for (const format of ["mochi", "csv", "markdown", "apkg"])
    test(`from ${format} with an attachment that the account has creates nothing and succeeds`, async () => {
      const d = await filled();
      const [one] = await cardsOf(d);
      const picture = join(d.home, "map.png");
      writeFileSync(picture, "a picture");
      await d.ok(["attach", "add", one?.id ?? "", picture]);
      await d.ok(["cards", "update", one?.id ?? "", "--content", "one ![](@media/map.png)\n---\nback"]);
      const path = join(d.home, `x.${format}`);
      await d.ok(["export", path, "--format", format]);
      const before = readdirSync(d.home);
      const run = await d.run(["import", path]);
      expect(run).toMatchObject({ code: 0 });
      expect(run.stderr).toContain("All 2 cards are there already; nothing to do.");
      expect(run.stderr).not.toContain("attachment");
      expect(readdirSync(d.home).filter((name) => name !== "state")).toEqual(
        before.filter((name) => name !== "state"),
      );
      const plan = JSON.parse((await d.run(["import", path, "--dry-run", "-o", "json"])).stdout);
      expect(plan).toMatchObject({ decks: 0, cards: 0, attachments: 0, there: { same: 2 } });
    });

  for (const format of ["mochi", "ndjson", "markdown", "apkg"])
    test(`from ${format} replaces a picture that is another file in the account only with --overwrite`, async () => {
      const d = await filled();
      const [one] = await cardsOf(d);
      const id = one?.id ?? "";
      const picture = join(d.home, "map.png");
      const put = async (bytes: string) => {
        writeFileSync(picture, bytes);
        await d.ok(["attach", "add", id, picture]);
      };
      const stored = async () => JSON.parse(await d.ok(["attach", "list", id, "-o", "json"]))[0]?.size;
      await put("old");
      await d.ok(["cards", "update", id, "--content", "one ![](@media/map.png)\n---\nback"]);
      const path = join(d.home, `x.${format}`);
      await d.ok(["export", path, "--format", format]);
      await put("edited");
      const run = (...args: string[]) => d.run(["import", path, "--yes", ...args]);

      const update = await run("--update");
      expect(update).toMatchObject({ code: 9 });
      expect(update.stderr).toContain(
        "Left without --overwrite: 1 attachment that is another file in the collection",
      );
      expect(update.stderr).toContain(`(${id}): map.png: it is another file in the collection`);
      expect(await stored()).toBe(6);

      const overwrite = await run("--overwrite");
      expect(overwrite).toMatchObject({ code: 0 });
      expect(overwrite.stderr).toContain("To replace: 1 attachment");
      expect(await stored()).toBe(3);
      // An undo does not take away what was there before.
      await d.run(["import", "undo", "--yes"]);
      expect(await stored()).toBe(3);
    });

  test("finds cards of a spreadsheet whose front is empty by their backs", async () => {
    const d = await deckhand();
    const file = join(d.home, "x.csv");
    writeFileSync(file, 'front,back\n,lonely\n"{{cloze}}",\nasks,\n');
    const run = (...how: string[]) => d.run(["import", file, "-d", "N", "--create-deck", "--yes", ...how]);
    await run();
    expect(await run("--update")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("All 3 cards are there already; nothing to do."),
    });
    writeFileSync(file, "front,back\n,lonely\n,alone\n");
    expect((await run("--update")).stderr).toContain("In the collection already: 1 card (1 equal)");
    expect(await cardsOf(d)).toHaveLength(4);
  });

  test("is named in the plan as cards to update", async () => {
    const d = await filled();
    const file = join(d.home, "x.ndjson");
    await d.ok(["export", file]);
    writeFileSync(file, readFileSync(file, "utf8").replace("one\\n", "one of the file\\n"));
    const plan = (...how: string[]) => d.ok(["import", file, "--dry-run", ...how]);
    expect(await plan("--update")).toMatch(/^To update: 1 card\n/);
    expect(await plan()).not.toContain("To update");
    const [, two] = await cardsOf(d);
    await d.ok(["cards", "update", two?.id ?? "", "--content", "edited on the service"]);
    expect(await plan("--update")).toMatch(/^To update: 1 card\n/);
    expect(await plan("--overwrite")).toMatch(/^To update: 2 cards\n/);
  });

  test("updates a card whose file was edited, keeps its reviews, and can be undone", async () => {
    const d = await filled();
    const folder = join(d.home, "cards");
    await d.ok(["export", folder]);
    const [one] = await cardsOf(d);
    const id = one?.id ?? "";
    await d.ok(["api", "POST", `/cards/${id}/reviews`, "--input", "-"], { input: '{"remembered?":true}' });
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const file = join(folder, files.find((each) => each.endsWith(`-${id}.md`)) ?? "");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace("back", "another back"));
    writeFileSync(join(folder, "A", "B", "new.md"), "---\nid: brandnew1\n---\nthree\n---\nnew\n");
    const ran = await d.run(["import", folder, "--yes", "--update", "-o", "json"]);
    expect(ran.code).toBe(0);
    const { id: made, ...summary } = JSON.parse(ran.stdout);
    expect(summary).toMatchObject({ cards: 1, updated: 1, unchanged: 1, failed: 0, decks: 0 });
    const got = JSON.parse(await d.ok(["cards", "get", id, "-o", "json"]));
    expect(got).toMatchObject({ content: "one\n---\nanother back", tags: ["t"], "new?": false });
    // The same once more: the last import counts, not the export.
    writeFileSync(file, text.replace("back", "a third back"));
    expect((await d.run(["import", folder, "--update"])).code).toBe(0);
    await d.ok(["import", "undo", folder, "--yes"]);
    expect(await contents(d)).toContain("one\n---\nanother back");
    expect(await d.ok(["import", "undo", made, "--dry-run"])).toBe(
      "Delete 1 card that the import created, change 1 card that it updated back to what it was\n",
    );
    await d.ok(["import", "undo", made, "--yes"]);
    expect(await contents(d)).toEqual(["one\n---\nback", "two\n---\nback"]);
    expect(await d.run(["import", "undo", made, "--yes"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("was undone already"),
    });
  });

  test("recognises the cards of another account by their ids there, and equal fronts in the deck", async () => {
    const [from, d] = [await filled(), await deckhand()];
    const file = join(from.home, "x.ndjson");
    await from.ok(["export", file]);
    await d.ok(["import", file, "--yes"]);
    for (const { id } of await cardsOf(from)) await from.ok(["cards", "update", id, "--add-tag", "more"]);
    const newer = join(from.home, "newer.ndjson");
    await from.ok(["export", newer]);
    expect((await d.run(["import", newer, "--yes", "--update", "-o", "json"])).stdout).toContain(
      '"updated": 2',
    );

    const sheet = join(d.home, "x.csv");
    writeFileSync(sheet, "front,back\none,back\ntwo,something else\nthree,x\nthree,y\n");
    const run = (...how: string[]) => d.run(["import", sheet, "--deck", "A/B", "--yes", ...how]);
    expect((await run()).stderr).toContain("(1 equal, 1 differs in the collection)");
    const left = await run("--update");
    expect(left).toMatchObject({ code: 9 });
    expect(left.stderr).toContain("it is different in the collection");
    expect(await contents(d)).toEqual(["one\n---\nback", "three\n---\nx", "three\n---\ny", "two\n---\nback"]);
    // A front that several cards have is never updated.
    writeFileSync(sheet, "front,back\nthree,z\n");
    expect((await run("--overwrite")).stderr).toContain("several cards have the same front");
    expect(await contents(d)).toHaveLength(4);
  });
});

describe("an import of a file after its cards were edited in the account", () => {
  for (const format of ["csv", "apkg", "mochi", "ndjson", "markdown"])
    test(`keeps the edits where the file has not changed, and lists them where it has: ${format}`, async () => {
      const [from, d] = [await filled(), await deckhand()];
      const file = join(from.home, `x.${format}`);
      const write = async () => {
        const rows = (await cardsOf(from)).map(({ content }) => content.replace("\n---\n", ","));
        if (format === "csv") writeFileSync(file, ["front,back", ...rows, ""].join("\n"));
        else await from.ok(["export", file, "--format", format, "--yes"]);
      };
      const run = (...how: string[]) => {
        const deck = format === "csv" ? ["--deck", "B", "--create-deck"] : [];
        return d.run(["import", file, ...deck, "--yes", ...how]);
      };
      await write();
      const first = await run("-o", "json");
      expect(first.code).toBe(0);
      const find = async (of: Deckhand, text: string) =>
        (await cardsOf(of)).find(({ content }) => content.includes(text))?.id ?? "";
      const [one, two] = [await find(d, "one"), await find(d, "two")];
      await d.ok(["cards", "update", one, "--content", "one\n---\nmy back"]);
      await d.ok(["cards", "update", two, "--content", "my front\n---\nback"]);
      const edited = ["my front\n---\nback", "one\n---\nmy back"];
      const again = await run("--update");
      expect(again).toMatchObject({ code: 0, stderr: expect.not.stringContaining("left:") });
      expect(again.stderr).toContain("All 2 cards are there already; nothing to do.");
      expect(await contents(d)).toEqual(edited);
      // Beside a new card.
      await from.ok(["add", "three", "back", "--deck", "B"]);
      await write();
      expect(JSON.parse((await run("--update", "-o", "json")).stdout)).toMatchObject({
        cards: 1,
        unchanged: 2,
        left: 0,
      });
      expect(await contents(d)).toEqual([...edited, "three\n---\nback"]);
      // The file has another back now, too.
      await from.ok(["cards", "update", await find(from, "one"), "--content", "one\n---\nnew back"]);
      await write();
      expect(await run("--update")).toMatchObject({ code: 9 });
      expect(await run("--update")).toMatchObject({ code: 9 });
      expect(await contents(d)).toEqual([...edited, "three\n---\nback"]);
      expect((await run("--overwrite")).code).toBe(0);
      expect(await contents(d)).toEqual(["one\n---\nnew back", "three\n---\nback", "two\n---\nback"]);
    });

  test("lists them where the import that read the same was taken back", async () => {
    const [from, d] = [await filled(), await deckhand()];
    const file = join(from.home, "x.apkg");
    await from.ok(["export", file]);
    await d.ok(["import", file, "--yes"]);
    const [card] = await cardsOf(from);
    await from.ok(["cards", "update", card?.id ?? "", "--content", "one\n---\nnew back"]);
    await from.ok(["export", file, "--yes"]);
    const { id: made } = JSON.parse(await d.ok(["import", file, "--yes", "--update", "-o", "json"]));
    await d.ok(["import", "undo", made, "--yes"]);
    const there = (await cardsOf(d)).find(({ content }) => content.startsWith("one"));
    await d.ok(["cards", "update", there?.id ?? "", "--content", "one\n---\nmy back"]);
    expect(await d.run(["import", file, "--yes", "--update"])).toMatchObject({ code: 9 });
  });
});

test("an import says of cards that are only in the trash or archived that they are, and how they come back", async () => {
  const d = await filled();
  const file = join(d.home, "x.ndjson");
  await d.ok(["export", file]);
  const [one, two] = (await cardsOf(d)).map(({ id }) => id);
  await d.ok(["cards", "trash", one ?? ""]);
  await d.ok(["cards", "archive", two ?? ""]);
  const run = async (...how: string[]) => {
    const { code, stderr } = await d.run(["import", file, "--yes", ...how]);
    return { code, text: stderr.replaceAll(/\s+/g, " ") };
  };
  for (const how of [[], ["--update"]]) {
    const { code, text } = await run(...how);
    expect(code).toBe(9);
    expect(text).toContain("2 cards (2 differ in the collection)");
    expect(text).toContain(`(${one}): it is in the trash: deckhand cards restore ${one}`);
    expect(text).toContain(`(${two}): it is archived: deckhand cards unarchive ${two}`);
  }
  expect(await run("--overwrite")).toMatchObject({ code: 0 });
  expect((await run()).text).toContain("All 2 cards are there already");
  // One that was also edited may have a newer text.
  await d.ok(["cards", "update", one ?? "", "--back", "newer"]);
  await d.ok(["cards", "trash", one ?? ""]);
  expect((await run()).text).toContain("All 2 cards are there already");
});

describe("import undo", () => {
  test("deletes what an import created, and leaves what was changed since", async () => {
    const d = await deckhand();
    const file = join(d.home, "x.csv");
    writeFileSync(file, "front,back,deck\na,b,New/Below\nc,d,New\n");
    const { id: made } = JSON.parse(await d.ok(["import", file, "--yes", "-o", "json"]));
    const [first] = (await cardsOf(d)).filter(({ content }) => content.startsWith("a"));
    await d.ok(["cards", "update", first?.id ?? "", "--add-tag", "mine"]);
    const undo = await d.run(["import", "undo", made, "--yes"]);
    expect(undo).toMatchObject({ code: 9 });
    expect(undo.stderr).toContain(`left: ${first?.id}: it was changed since the import`);
    expect(await cardsOf(d)).toHaveLength(1);
    await d.ok(["import", "undo", made, "--yes", "--overwrite"]);
    expect(await cardsOf(d)).toEqual([]);
    expect(await d.ok(["decks", "list"])).toBe("");
    const input = await d.run(["import", "undo", file, "--yes"]);
    expect(input).toMatchObject({ code: 2 });
    expect(input.stderr).toContain("was undone already");
    // It can be imported again.
    const again = JSON.parse(await d.ok(["import", file, "--yes", "-o", "json"]));
    expect(await cardsOf(d)).toHaveLength(2);
    await d.ok(["add", "mine", "x", "--deck", "New"]);
    const kept = await d.run(["import", "undo", again.id, "--yes"]);
    expect([kept.code, kept.stderr]).toEqual([9, expect.stringContaining("the deck is not empty")]);
    expect(kept.stderr).not.toContain("--overwrite");
  });
});

test("an import after an undo finds the account as the first one did", async () => {
  const d = await filled();
  const sheet = join(d.home, "all.csv");
  await d.ok(["export", sheet]);
  writeFileSync(sheet, readFileSync(sheet, "utf8").replaceAll(/(one|two),back/g, "$1,another back"));
  const [edited] = await cardsOf(d);
  await d.ok(["cards", "update", edited?.id ?? "", "--add-tag", "mine"]);
  const there = async () => JSON.parse(await d.ok(["import", sheet, "--dry-run", "-o", "json"])).there;
  const first = await there();
  expect(first).toMatchObject({ same: 0, changed: 1, differs: 1 });
  for (let time = 1; time <= 2; time++) {
    const { id: made } = JSON.parse(await d.ok(["import", sheet, "--overwrite", "--yes", "-o", "json"]));
    expect(await there()).toMatchObject({ same: 2 });
    await d.ok(["import", "undo", made, "--yes"]);
    expect(await there()).toEqual(first);
  }
});

test("card files that are added to an exported folder are new cards of its decks", async () => {
  const d = await filled();
  const folder = join(d.home, "notes");
  await d.ok(["export", folder]);
  writeFileSync(join(folder, "README.md"), "What this folder is\n");
  const run = async (...how: string[]) => {
    const { code, stderr } = await d.run(["import", folder, "--yes", "--update", ...how]);
    return { code, text: stderr.replaceAll(/\s+/g, " ") };
  };
  const besides = await run();
  expect(besides.text).toContain("All 2 cards are there already");
  expect(besides.text).toContain("files (1): they have no id and are in no folder of a deck");
  writeFileSync(join(folder, "A", "B", "new.md"), "N? ![](n.png)\n---\ny\n");
  writeFileSync(join(folder, "A", "B", "n.png"), "png");
  const added = await run();
  expect(added).toMatchObject({ code: 0 });
  expect(added.text).toContain("To create: 1 card, 1 attachment (3 B) (markdown)");
  expect(added.text).toContain("In the collection already: 2 cards (2 equal)");
  expect(await contents(d)).toEqual(["N? ![](@media/n.png)\n---\ny", "one\n---\nback", "two\n---\nback"]);
  expect((await run()).text).toContain("All 3 cards are there already");
});

test("files without an id in a folder that is synced are left to the sync, which the import names", async () => {
  const d = await filled();
  const folder = join(d.home, "notes");
  await d.ok(["sync", folder, "--yes"]);
  writeFileSync(join(folder, "A", "B", "new.md"), "N?\n---\ny\n");
  const { stderr } = await d.run(["import", folder, "--yes"]);
  expect(stderr.replaceAll(/\s+/g, " ")).toContain("they have no id: `deckhand sync` makes cards of them");
  expect(await contents(d)).toHaveLength(2);
});

test("import undo leaves a card that was reviewed or given a file since, and takes back one in the trash", async () => {
  const d = await deckhand();
  const file = join(d.home, "x.ndjson");
  const review = { date: "2026-01-02T03:04:05.000Z", "remembered?": true };
  const cards = [
    { card: { id: "reviewed", content: "reviewed", reviews: [review] } },
    { card: { id: "studied1", content: "studied", reviews: [review] } },
    { card: { id: "trashed1", content: "trashed", "trashed?": "2026-02-01T00:00:00.000Z" } },
    { card: { id: "pictured", content: "pictured" } },
    { card: { id: "withfile", content: "with a file of the import" } },
    { attachment: { "card-id": "withfile", "file-name": "a.txt", size: 1 } },
    { bytes: "YQ==" },
  ];
  writeFileSync(file, cards.map((each) => `${JSON.stringify(each)}\n`).join(""));
  const { id: made } = JSON.parse(
    await d.ok(["import", file, "--deck", "New", "--create-deck", "--yes", "-o", "json"]),
  );
  const idOf = async (text: string) => (await cardsOf(d)).find(({ content }) => content === text)?.id ?? "";
  const [studied, pictured] = [await idOf("studied"), await idOf("pictured")];
  await d.ok(["attach", "add", pictured, file]);
  await d.ok(["api", "POST", `/cards/${studied}/reviews`, "--input", "-"], { input: '{"remembered?":true}' });
  expect(await d.ok(["import", "undo", made, "--dry-run"])).toContain(
    "Delete 5 cards that the import created, ",
  );
  const undo = await d.run(["import", "undo", made, "--yes"]);
  expect(undo).toMatchObject({ code: 9 });
  expect(undo.stderr).toContain(`left: ${studied}: it was reviewed since the import`);
  expect(undo.stderr).toContain(`left: ${pictured}: it was given files since the import`);
  expect((await contents(d)).sort()).toEqual(["pictured", "studied"]);
});

test("references lead to cards that the same import creates, and to those that it leaves", async () => {
  const d = await deckhand();
  const [v1, v2] = [join(d.home, "v1.ndjson"), join(d.home, "v2.ndjson")];
  const write = (path: string, cards: Readonly<Record<string, string>>) =>
    writeFileSync(
      path,
      Object.entries(cards)
        .map(([id, content]) => `${JSON.stringify({ card: { id, content } })}\n`)
        .join(""),
    );
  write(v1, { changed01: "changed", edited001: "edited" });
  await d.ok(["import", v1, "--deck", "New", "--create-deck", "--yes"]);
  const idOf = async (begin: string) =>
    (await cardsOf(d)).find(({ content }) => content.startsWith(begin))?.id ?? "";
  const edited = await idOf("edited");
  await d.ok(["cards", "update", edited, "--content", "edited here"]);
  write(v2, {
    changed01: "changed, see [[brandnew1]]",
    edited001: "edited in the file",
    brandnew1: "new, see [[edited001]]",
  });
  expect((await d.run(["import", v2, "--deck", "New", "--update", "--yes"])).code).toBe(9);
  expect(await contents(d)).toEqual([
    `changed, see [[${await idOf("new")}]]`,
    "edited here",
    `new, see [[${edited}]]`,
  ]);
});

test("rows of a spreadsheet that are equal to each other are each recognised", async () => {
  const d = await deckhand();
  const file = join(d.home, "x.csv");
  writeFileSync(file, "front,back\na,b\na,b\n");
  await d.ok(["import", file, "--deck", "New", "--create-deck", "--yes"]);
  expect(await d.run(["import", file, "--deck", "New", "--yes"])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("All 2 cards are there already; nothing to do."),
  });
});

test("an import names a note of Anki that it leaves by its text, once", async () => {
  const d = await deckhand();
  const id = (await d.ok(["add", "**首都** of Norway?", "Oslo", "--deck", "G", "--create-deck"])).trim();
  const file = join(d.home, "x.apkg");
  await d.ok(["export", file]);
  await d.ok(["cards", "update", id, "--back", "Oslo!"]);
  const { code, stderr } = await d.run(["import", file, "--update", "--yes"]);
  expect(code).toBe(9);
  expect(stderr.replace(/note \d+/, "note 1")).toContain(
    `left: x.apkg, note 1 ("首都 of Norway?") (${id}): it is different in the collection`,
  );
});

test("the plan of an import takes cards with different pictures of one name for different ones", async () => {
  const d = await deckhand();
  const folder = join(d.home, "vault");
  for (const [name, text] of Object.entries({ "1": "<svg>1</svg>", "2": "<svg>2</svg>" })) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, "mask.svg"), text);
  }
  const cards = ["1/mask.svg", "2/mask.svg", "1/mask.svg"].map((path) => `![](${path})\n?\nsee`);
  writeFileSync(join(folder, "a.md"), `#flashcards/A\n\n${cards.join("\n\n")}\n`);
  const { stderr } = await d.run(["import", folder, "--yes"]);
  expect(stderr).not.toContain("Warning");
  expect(stderr).toContain("Imported 3 cards");
});

test("what the plan leaves out is not named once more while it is carried out", async () => {
  const d = await deckhand();
  const file = join(d.home, "x.csv");
  writeFileSync(file, "front,back,other\na,b,c\n");
  const { stderr } = await d.run(["import", file, "--deck", "New", "--create-deck", "--yes"]);
  expect(stderr.match(/column "other"/g)).toHaveLength(1);
});

test("an import reads standard input, and creates its deck", async () => {
  const d = await deckhand();
  const input = "front,back\na,b\n";
  const args = ["import", "-", "--format", "csv", "--deck", "New/Below", "--yes"];
  expect(await d.run(args, { input })).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("--create-deck creates it"),
  });
  await d.ok([...args, "--create-deck"], { input });
  expect(await contents(d)).toEqual(["a\n---\nb"]);
  expect(await d.ok(["decks", "list", "--tree"])).toMatch(/New[\s\S]*Below/);
  expect(await d.run(args, { input })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("The card is there already; nothing to do."),
  });
});

// The program on the terminal uses the local collection.
test.skipIf(onPostgres)(
  "import undo without an argument offers the last imports on a terminal, wherever they were run from",
  async () => {
    const d = await filled();
    writeFileSync(join(d.home, "x.csv"), "front,back\nthree,3\n");
    await d.ok(["import", join(d.home, "x.csv"), "--deck", "B", "--yes"]);
    const undo = () => {
      const terminal = openPty({
        command: process.execPath,
        args: [program, "import", "undo"],
        cwd: tmpdir(),
        env: { DECKHAND_HOME: d.home, DECKHAND_PROFILE: "local", TERM: "xterm" },
      });
      onTestFinished(() => terminal.close());
      return terminal;
    };
    const refused = undo();
    const screen = await refused.until("Which import?");
    expect(screen.replaceAll(/\s+/g, " ")).toMatch(/x\.csv \(\d{4}-/);
    refused.press("\r");
    await refused.until("It cannot be undone.");
    refused.press("n");
    expect((await refused.ended).code).toBe(2);
    expect(await contents(d)).toHaveLength(3);
    const confirmed = undo();
    await confirmed.until("Which import?");
    confirmed.press("\r");
    await confirmed.until("It cannot be undone.");
    confirmed.press("y");
    expect((await confirmed.ended).code).toBe(0);
    expect(await contents(d)).toHaveLength(2);
    // By the number that the import itself named.
    let named = "";
    for (const name of ["four", "five", "six"]) {
      writeFileSync(join(d.home, "x.csv"), `front,back\n${name},1\n`);
      const { stderr } = await d.run(["import", join(d.home, "x.csv"), "--deck", "B", "--yes"]);
      if (name === "four") named = /import undo (\d+)/.exec(stderr)?.[1] ?? "";
    }
    const numbered = undo();
    await numbered.until("Which import?");
    numbered.press(`${named}\r`);
    await numbered.until("It cannot be undone.");
    numbered.press("y");
    expect((await numbered.ended).code).toBe(0);
    expect((await contents(d)).join(" ")).toMatch(/five/);
    expect((await contents(d)).join(" ")).not.toMatch(/four/);
  },
);

test("an import says off a terminal what it did and how it is undone, and import list and undo name it", async () => {
  const d = await filled();
  expect(await d.run(["import", "undo"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("there is no import to undo"),
  });
  const ran = await d.run(["import", "-", "--deck", "B"], { input: "front,back\nthree,3\n" });
  expect(ran).toMatchObject({ code: 0, stdout: "" });
  expect(ran.stderr).toMatch(/Imported 1 card\b/);
  expect(ran.stderr).toContain("To take the import back: deckhand import undo 1\n");
  const listed = await d.run(["import", "undo"]);
  expect(listed.code).toBe(2);
  expect(listed.stderr.replace(/\s+/g, " ")).toMatch(
    /deckhand import undo 1: - \(\d{4}-\d\d-\d\d \d\d:\d\d\)/,
  );
  expect(await d.ok(["import", "list"])).toMatch(/^1\t\S+\tfinished\t-\n$/);
  expect(await d.run(["import", "undo", "7", "--yes"])).toMatchObject({ code: 2 });
  await d.ok(["import", "undo", "1", "--yes"]);
  expect(await contents(d)).toHaveLength(2);
  expect(await d.ok(["import", "list"])).toContain("undone");
  expect((await d.run(["import", "undo"])).stderr).toContain("there is no import to undo");
  // What changes nothing leaves no record.
  expect((await d.run(["import", "-", "--deck", "B"], { input: "front,back\none,back\n" })).code).toBe(0);
  expect(await d.ok(["import", "list", "-o", "id"])).toBe("1\n");
});

// The program on the terminal uses the local collection.
test.skipIf(onPostgres)(
  "an edited answer of a spreadsheet is updated, and an edit in the account is not, unless --overwrite says so",
  async () => {
    const d = await deckhand();
    const sheet = join(d.home, "own.csv");
    const write = (oslo: string) => writeFileSync(sheet, `front,back\nNorway,${oslo}\nKenya,Nairobi\n`);
    const run = (...how: string[]) => d.run(["import", sheet, "--deck", "World", "--yes", ...how]);
    write("Olso");
    await run("--create-deck");
    for (const answer of ["Oslo", "Oslo!"]) {
      write(answer);
      expect((await run()).stderr).toContain("(1 equal, 1 changed in the file)");
      expect(await run("--update")).toMatchObject({ code: 0 });
      expect(await contents(d)).toEqual(["Kenya\n---\nNairobi", `Norway\n---\n${answer}`]);
    }
    // Taking the last import back leaves what the one before it wrote.
    await d.ok(["import", "undo", sheet, "--yes"]);
    expect(await contents(d)).toContain("Norway\n---\nOslo");
    expect(await run("--update")).toMatchObject({ code: 0 });
    expect(await contents(d)).toContain("Norway\n---\nOslo!");

    const norway = (await cardsOf(d)).find(({ content }) => content.startsWith("Norway"))?.id ?? "";
    await d.ok(["cards", "update", norway, "--add-tag", "mine"]);
    write("Oslo.");
    const before = await d.ok(["import", "list"]);
    // Nothing is to be done, so nothing is asked, and no backup or record is written.
    for (const how of [[], ["--update"]]) {
      const left = await d.run(["import", sheet, "--deck", "World", ...how]);
      expect(left).toMatchObject({ code: 9, stdout: "" });
      expect(left.stderr).toContain("Left without --overwrite: 1 whose text in the collection may be newer");
      expect(left.stderr).toContain(`left: own.csv, line 2, "Norway" (${norway}): `);
      expect(left.stderr).toContain("1 card left as it is in the collection");
    }
    expect(await contents(d)).toContain("Norway\n---\nOslo!");
    expect(await d.ok(["import", "list"])).toBe(before);
    const onTerminal = (...how: string[]) => {
      const terminal = openPty({
        command: process.execPath,
        args: [program, "import", sheet, "--deck", "World", ...how],
        env: { DECKHAND_HOME: d.home, DECKHAND_PROFILE: "local", TERM: "xterm" },
      });
      onTestFinished(() => terminal.close());
      return terminal;
    };
    const refused = async (...how: string[]) => {
      const terminal = onTerminal(...how);
      await terminal.until("(y/N)");
      terminal.press("n\r");
      expect(await terminal.ended).toMatchObject({ code: 2 });
      return terminal.text().replaceAll(/\s+/g, " ").trim();
    };
    const overwriting = await refused("--overwrite");
    expect(overwriting).toContain("To replace: 1 whose text in the collection may be newer");
    expect(overwriting).toContain("Update 1 card?");
    // What creates only is not asked about, unless it is wanted.
    writeFileSync(sheet, "front,back\nNorway,Oslo.\nKenya,Nairobi\nPeru,Lima\n");
    expect(await refused("--ask")).toContain("Import 1 card?");
    expect(await contents(d)).toHaveLength(2);
    expect(await onTerminal().ended).toMatchObject({ code: 9 });
    expect(await contents(d)).toContain("Peru\n---\nLima");
    expect(await run("--overwrite")).toMatchObject({ code: 0 });
    expect(await contents(d)).toContain("Norway\n---\nOslo.");
  },
);

test("import undo deletes the decks that --create-deck created, unless they hold other cards", async () => {
  const d = await deckhand();
  const sheet = join(d.home, "x.csv");
  writeFileSync(sheet, "front,back\na,b\n");
  const run = async () => {
    const args = ["import", sheet, "--deck", "World/Far", "--create-deck", "--yes", "-o", "json"];
    const { id: made } = JSON.parse(await d.ok(args));
    return (): Promise<string> => d.ok(["import", "undo", made, "--yes", "-o", "json"]);
  };
  expect(JSON.parse(await (await run())())).toMatchObject({ deleted: 1, decks: 2 });
  expect(await d.ok(["decks", "list", "-o", "id"])).toBe("");
  await d.ok(["decks", "create", "World"]);
  expect(JSON.parse(await (await run())())).toMatchObject({ deleted: 1, decks: 1 });
  expect(await d.ok(["decks", "list", "--tree"])).toMatch(/^\S* ?World/);
});

test("a card without a deck needs none where it is there, and gets one where it is new", async () => {
  const [d, other] = [await filled(), await deckhand()];
  await d.ok(["decks", "create", "Gone"]);
  await d.ok(["add", "three", "back", "--deck", "Gone"]);
  await d.ok(["decks", "delete", "Gone", "--yes", "--orphan"]);
  const sheet = join(d.home, "all.csv");
  await d.ok(["export", sheet]);
  expect(await d.run(["import", sheet, "--yes"])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("All 3 cards are there already; nothing to do."),
  });
  const run = await other.run(["import", sheet, "--yes"]);
  expect(run).toMatchObject({ code: 0 });
  expect(run.stderr).toContain("Into the deck Cards without a deck: 1 card\n");
  expect(await contents(other)).toEqual(await contents(d));
  expect(await other.ok(["cards", "list", "--deck", "Cards without a deck", "--columns", "name"])).toBe(
    "three\n",
  );
  expect((await other.run(["import", sheet, "--yes"])).stderr).toContain("All 3 cards are there already");
  // Where no row has a deck, the user names it.
  const text = readFileSync(sheet, "utf8").split("\n");
  writeFileSync(sheet, [text[0], ...text.filter((line) => line.includes("three"))].join("\n"));
  expect((await d.run(["import", sheet, "--yes"])).stderr).toContain("The card is there already");
  expect(await (await deckhand()).run(["import", sheet, "--yes"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("which deck do the cards go to? Name it with --deck"),
  });
});

test("an export of a deck below another leads back to it, and elsewhere creates those above it, too", async () => {
  const [d, other] = [await filled(), await deckhand()];
  const path = join(d.home, "b.csv");
  await d.ok(["export", path, "--deck", "A/B"]);
  expect(await d.run(["import", path, "--yes"])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("All 2 cards are there already; nothing to do."),
  });
  expect(JSON.parse(await d.ok(["import", path, "--dry-run", "-o", "json"]))).toMatchObject({ decks: 0 });
  await other.ok(["import", path, "--yes"]);
  expect(await other.ok(["decks", "list", "--tree"])).toMatch(/A[\s\S]*B/);
});

test("a card that was edited here is listed where only its picture changed in the file", async () => {
  const d = await deckhand();
  const sheet = join(d.home, "x.csv");
  writeFileSync(sheet, "front,back,picture\na,b,a.png\n");
  writeFileSync(join(d.home, "a.png"), "small");
  const run = () => d.run(["import", sheet, "--deck", "D", "--create-deck"]);
  expect(await run()).toMatchObject({ code: 0 });
  const [card] = await cardsOf(d);
  await d.ok(["cards", "update", card?.id ?? "", "--add-tag", "mine", "--back", "edited"]);
  expect(await run()).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("The card is there already"),
  });
  writeFileSync(join(d.home, "a.png"), "a larger picture");
  expect(await run()).toMatchObject({ code: 9, stderr: expect.stringContaining("it is different") });
});

test("a card that was edited here keeps its own pictures, and goes without those that it lost", async () => {
  const d = await deckhand();
  const sheet = join(d.home, "x.csv");
  const picture = join(d.home, "a.png");
  writeFileSync(sheet, "front,back,picture\na,b,a.png\n");
  writeFileSync(picture, "small");
  const run = () => d.run(["import", sheet, "--deck", "D", "--create-deck"]);
  expect(await run()).toMatchObject({ code: 0 });
  const [{ id } = { id: "" }] = await cardsOf(d);
  const stored = async () => JSON.parse(await d.ok(["attach", "list", id, "-o", "json"]));
  await d.ok(["cards", "update", id, "--back", "edited"]);
  const own = join(d.home, "own", "a.png");
  mkdirSync(join(d.home, "own"));
  writeFileSync(own, "a larger picture");
  await d.ok(["attach", "add", id, own]);
  expect(await run()).toMatchObject({ code: 0 });
  expect(await stored()).toMatchObject([{ size: 16 }]);
  await d.ok(["attach", "remove", id, "a.png", "--yes"]);
  expect(await run()).toMatchObject({ code: 0 });
  expect(await stored()).toEqual([]);
});
