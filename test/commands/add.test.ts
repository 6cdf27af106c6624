import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { program } from "../support/cli.ts";
import { openPty } from "../support/pty.ts";
import { type Deckhand, deckhand } from "../support/world.ts";

/** `deckhand add` on a terminal, in the local collection. */
function addOn(d: Deckhand, ...args: readonly string[]) {
  const terminal = openPty({
    command: process.execPath,
    args: [program, "add", ...args],
    cwd: d.home,
    env: { DECKHAND_HOME: d.home, DECKHAND_PROFILE: "local", TERM: "xterm" },
  });
  onTestFinished(() => terminal.close());
  return terminal;
}

/** The cards that there are, as `front/back`. */
async function sidesOfAll(d: Deckhand): Promise<string[]> {
  const cards = JSON.parse(await d.ok(["cards", "list", "--all", "-o", "json"]));
  return cards.map(({ content }: { content: string }) => content.replace("\n---\n", "/")).toSorted();
}

describe("add", () => {
  test("puts a card with two sides into the deck of --deck, else of the setting", async () => {
    const d = await deckhand();
    const [a, b] = [await d.ok(["decks", "create", "A"]), await d.ok(["decks", "create", "B"])];
    await d.ok(["config", "set", "deck", "A"]);
    const first = (await d.ok(["add", "Q", "multi\nline", "--tag", "#x"])).trim();
    expect(JSON.parse(await d.ok(["cards", "get", first]))).toMatchObject({
      content: "Q\n---\nmulti\nline",
      "deck-id": a.trim(),
      tags: ["x"],
    });
    for (const deck of [
      ["--deck", "b"],
      ["--deck-id", b.trim()],
    ]) {
      const id = (await d.ok(["add", "--", "-q", "-a"].toSpliced(1, 0, ...deck))).trim();
      expect(JSON.parse(await d.ok(["cards", "get", id]))).toMatchObject({
        content: "-q\n---\n-a",
        "deck-id": b.trim(),
      });
    }
  });

  test("needs no back where the front has a cloze", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "A"]);
    const id = (await d.ok(["add", "The {{capital}} of Peru", "--deck", "A"])).trim();
    expect(JSON.parse(await d.ok(["cards", "get", id]))).toMatchObject({
      content: "The {{capital}} of Peru",
    });
    expect(await d.run(["add", "`{{not}}` one", "--deck", "A"])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/missing argument "back"[\s\S]*cards\s+create\s+--content/),
    });
  });

  test("warns of an empty side, such as that of an empty variable of a shell", async () => {
    const d = await deckhand();
    const add = async (front: string, back: string) => {
      const { code, stdout, stderr } = await d.run(["add", front, back, "--deck", "D", "--create-deck"]);
      expect(code).toBe(0);
      return stderr.replace(stdout.trim(), "ID");
    };
    expect(await add("Q", "")).toBe("deckhand: warning: card ID has an empty back\n");
    expect(await add(" ", "A")).toBe("deckhand: warning: card ID has an empty front\n");
    expect(await add("A {{cloze}}", "")).toBe("");
    const content = ["cards", "create", "--deck", "D", "--content"];
    expect((await d.run([...content, "Q\n---\n"])).stderr).toContain("has an empty back");
    expect((await d.run([...content, "Q"])).stderr).toContain("has no answer");
    expect((await d.run(["add", "", "", "--deck", "D"])).code).toBe(2);
  });

  test("says how to choose a deck where none is", async () => {
    const d = await deckhand();
    const { code, stdout, stderr } = await d.run(["add", "Q", "A"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("deckhand config set deck");
    expect(await d.run(["add", "Q"])).toMatchObject({ code: 2 });
  });

  test("creates the deck with --create-deck, and says so in the error without it", async () => {
    const d = await deckhand();
    const args = ["add", "Q", "A", "--deck", "Geography/Africa"];
    expect((await d.run(args)).stderr).toContain("--create-deck creates it.");
    await d.ok([...args, "--create-deck"]);
    expect(await d.ok(["cards", "list", "--deck", "Geography/Africa", "--count"])).toBe("1\n");
  });

  test("puts a picture that no side shows below the front, and stores it", async () => {
    const d = await deckhand();
    const [flag, map] = [join(d.home, "a flag.png"), join(d.home, "map.png")];
    for (const file of [flag, map]) writeFileSync(file, "x");
    const add = async (front: string, back: string) =>
      (
        await d.ok(["add", front, back, "--deck", "G", "--create-deck", "--attach", flag, "--attach", map])
      ).trim();
    const card = await add("Whose flag?", "Norway: ![](@media/map.png)");
    expect(await d.ok(["cards", "get", card, "--raw"])).toBe(
      "Whose flag?\n\n![](@media/a%20flag.png)\n---\nNorway: ![](@media/map.png)\n",
    );
    expect(await d.ok(["attach", "list", card, "--columns", "file-name"])).toBe("a flag.png\nmap.png\n");
    expect(await d.run(["add", "--attach", flag], { terminal: true })).toMatchObject({ code: 2 });
  });

  test("shows no picture again that a side shows, however it names the file", async () => {
    const d = await deckhand();
    const map = join(d.home, "a map.png");
    writeFileSync(map, "x");
    for (const front of [
      '<img src="a map.png" width="200">',
      "![a map](a%20map.png) q",
      "q ![with a title](<a map.png> 'title')",
      "1. ![](@media/a%20map.png)",
    ]) {
      const id = (await d.ok(["add", front, "x", "--deck", "G", "--create-deck", "--attach", map])).trim();
      expect(await d.ok(["cards", "get", id, "--raw"])).toBe(`${front}\n---\nx\n`);
    }
  });

  test("takes --review-reverse for a card that is asked in both directions", async () => {
    const d = await deckhand();
    const id = (
      await d.ok(["add", "cat", "katt", "--deck", "N", "--create-deck", "--review-reverse"])
    ).trim();
    expect(JSON.parse(await d.ok(["cards", "get", id]))).toMatchObject({ "review-reverse?": true });
  });

  test("takes tags with commas between them, and names those that are in the text", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "C"]);
    const add = async (...args: string[]) =>
      (await d.run(["add", ...args, "x", "--deck", "C"], { terminal: true })).stderr;
    expect(await add("What does #include do?")).toMatch(/^Created \w+ in C, tagged include\n$/);
    expect(await add("What does \\#define do?", "--tag", "one, #two")).toMatch(
      /^Created \w+ in C, tagged one, two\n$/,
    );
    expect(await add("The #new one", "--tag", "one")).toMatch(/^Created \w+ in C, tagged one, new\n$/);
    expect(await d.ok(["tags", "list"])).toBe("include\t1\nnew\t1\none\t2\ntwo\t1\n");
    expect(await d.run(["add", "x", "x", "--deck", "C", "--tag", "one,"])).toMatchObject({ code: 2 });
  });

  test("refuses a deck with a blank name in its path before a card is typed, and creates no deck above it", async () => {
    const d = await deckhand();
    const blank = 'cannot create the deck "Fresh/": a name in the path is blank';
    await d.ok(["decks", "create", "Old"]);
    for (const more of [["Q", "A", "--create-deck"], ["--create-deck"]]) {
      const ran = await d.run(["add", ...more, "--deck", "Fresh/"], { terminal: true, columns: 200 });
      expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(blank) });
    }
    expect(await d.ok(["decks", "list", "--columns", "name"])).toBe("Old\n");
  });

  test("names a deck that it creates by its whole path", async () => {
    const d = await deckhand();
    const args = ["add", "Q", "A", "--deck", "Geography/Europe", "--create-deck"];
    const { stdout, stderr } = await d.run(args, { terminal: true });
    expect(stdout + stderr).toMatch(/^Created deck Geography\/Europe$/m);
    expect(stdout + stderr).not.toMatch(/^Created deck (?:Geography|Europe)$/m);
  });

  test("asks on a terminal which deck a card goes into", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "Geography"]);
    const terminal = addOn(d, "H2O?", "water");
    await terminal.until(/Geography[\s\S]*Choose a deck, then press a\./);
    terminal.press("a");
    await terminal.until(/Add to Geography[\s\S]*H2O\?[\s\S]*water/);
    terminal.press("\x13");
    await terminal.until("Added “H2O?”.");
    terminal.press("\x03");
    expect((await terminal.ended).code).toBe(0);
    expect(await sidesOfAll(d)).toEqual(["H2O?/water"]);
  });

  test("opens the screen that adds cards where there is nothing to add yet, with the options of the command", async () => {
    const d = await deckhand();
    const terminal = addOn(d, "--deck", "Norsk", "--create-deck", "--tag", "dyr", "--review-reverse");
    await terminal.until(/Add to Norsk[\s\S]*Front[\s\S]*ctrl-s save/);
    terminal.press("cat\tkatt\x13");
    await terminal.until("Added “cat”.");
    terminal.press("\u001b");
    await terminal.until(/Norsk +0 +1 +1/);
    terminal.press("q");
    expect((await terminal.ended).code).toBe(0);
    const [card] = JSON.parse(await d.ok(["cards", "list", "--all", "-o", "json"]));
    expect(card).toMatchObject({ content: "cat\n---\nkatt", tags: ["dyr"], "review-reverse?": true });
  });

  test("opens it with the front that was given, and asks for the deck where none is named", async () => {
    const d = await deckhand();
    for (const name of ["Geography", "History"]) await d.ok(["decks", "create", name]);
    const terminal = addOn(d, "Who was the first?");
    await terminal.until(/History[\s\S]*Choose a deck, then press a\./);
    terminal.press("ja");
    await terminal.until(/Add to History[\s\S]*Who was the first\?/);
    terminal.press("Harald\x13");
    await terminal.until("Added “Who was the first?”.");
    terminal.press("\x03");
    expect((await terminal.ended).code).toBe(0);
    expect(await d.ok(["cards", "list", "--deck", "History", "--count"])).toBe("1\n");
    expect(await sidesOfAll(d)).toEqual(["Who was the first?/Harald"]);
  });
});

describe("add -", () => {
  test("adds a card for each line of standard input, and reports those without a back", async () => {
    const d = await deckhand();
    const input = "sol\tsun\r\n\nmar\tsea\nbad\nThe {{Volga}} flows\n";
    const added = await d.run(["add", "-", "--deck", "Spanish", "--create-deck", "--tag", "t"], { input });
    expect(added).toMatchObject({
      code: 9,
      stderr: expect.stringContaining('no tab between front and back: "bad"'),
    });
    expect(added.stdout.trim().split("\n")).toHaveLength(3);
    expect((await sidesOfAll(d)).length).toBe(3);
    expect(await d.ok(["tags", "list"])).toBe("t\t3\n");
  });

  test("asks on a terminal for the fields of a template", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "Words"]);
    const fields = ["--field", "name=Word", "--field", "note=Note"];
    await d.ok(["templates", "create", "Word", "--content", "<< Word >>\n---\n<< Note >>", ...fields]);
    async function* typed() {
      yield "sol\n";
      yield "sun\n";
    }
    const run = await d.run(["add", "--template", "Word", "--deck", "Words"], {
      terminal: true,
      input: typed,
    });
    expect(run.code).toBe(0);
    const [card] = JSON.parse(await d.ok(["cards", "list", "-o", "json"]));
    expect(card.fields).toMatchObject({ name: { value: "sol" }, note: { value: "sun" } });
    expect(await d.run(["add", "--template", "Word", "--deck", "Words"])).toMatchObject({ code: 2 });
  });
});

test("a card is named by its whole front where one card has it, and a card without an answer is warned of", async () => {
  const d = await deckhand();
  const id = (await d.ok(["add", "Capital of Norway?", "Oslo", "--deck", "G", "--create-deck"])).trim();
  expect(JSON.parse(await d.ok(["cards", "get", "Capital of Norway?"])).id).toBe(id);
  expect(await d.ok(["due", "answer", "Capital of Norway?", "remembered"])).toBe(`${id}\n`);
  expect(await d.ok(["cards", "archive", "Capital of Norway?"])).toBe(`${id}\n`);
  const second = (await d.ok(["add", "Capital of Norway?", "Oslo!", "--deck", "G"])).trim();
  const twice = await d.run(["cards", "get", "Capital of Norway?"]);
  expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining("is the front of 2 cards") });
  for (const each of [id, second]) expect(twice.stderr).toContain(each);
  expect(await d.run(["cards", "get", "Capital of Peru?"])).toMatchObject({ code: 4 });
  const alone = await d.run(["cards", "create", "--deck", "G", "--content", "alone"]);
  expect(alone.stderr).toContain("has no answer");
});
