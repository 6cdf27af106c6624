import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fakeService, sendJson } from "../support/fake-service.ts";
import { startTestServer } from "../support/service.ts";
import { deckhand } from "../support/world.ts";

describe("import", () => {
  test("says in its plan which side the pictures of a column go to", async () => {
    const d = await deckhand();
    writeFileSync(join(d.home, "a.png"), "x");
    const plan = async (header: string) => {
      const file = join(d.home, "pictures.csv");
      writeFileSync(file, `${header}\nq,a.png,r\n`);
      return d.ok(["import", file, "--deck", "New", "--create-deck", "--dry-run"]);
    };
    expect(await plan("front,picture,back")).toContain('Pictures of the column "picture" go to the front\n');
    const back = await plan("front,picture,answer").then(() => plan("question,back,photo"));
    expect(back).toContain('Pictures of the column "photo" go to the back; a column before that of the back');
    expect(back).toContain("The deck New will be created\n");
  });

  test("shows in its plan how the first card is read", async () => {
    const d = await deckhand();
    await d.ok(["templates", "create", "T", "--content", "<< front >>", "--field", "front", "--field", "b"]);
    const file = join(d.home, "x.csv");
    writeFileSync(file, `back,front,b\nOslo,"Norway\n\u001b[31m",x\nNairobi,Kenya,y\n`);
    const plan = (...how: string[]) =>
      d.ok(["import", file, "--deck", "New", "--create-deck", "--dry-run", ...how]);
    expect(await plan()).toContain("The first card: front: Norway ␛[31m, back: Oslo\n");
    expect(await plan("--template", "T")).toContain("The first card: fields: Norway ␛[31m | x\n");
    writeFileSync(file, `front\n${"long ".repeat(50)}\n`);
    expect(await plan()).toMatch(/The first card: front: (?:long ){5,9}lo?n?g?…\n/);
  });

  test("shows in its plan the first card that is to be created", async () => {
    const d = await deckhand();
    await d.ok(["add", "q1", "a1", "--deck", "R", "--create-deck"]);
    await d.ok(["add", "q2", "a2", "--deck", "R"]);
    const file = join(d.home, "i.csv");
    writeFileSync(file, "front,back\nq1,other\nq2,a2\nq9,a9\nq8,a8\n");
    const plan = await d.ok(["import", file, "--deck", "R", "--update", "--dry-run"]);
    expect(plan).toContain("The first card: front: q9, back: a9\n");
  });

  test("shows its plan, asks for --yes off a terminal, keeps a journal beside the input, and continues from it", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const file = join(d.home, "x.csv");
    writeFileSync(file, "front,back,deck,other\na,b,G,\nc,d,G/H,x\n,,,\n");
    const plan = await d.ok(["import", file, "--dry-run"]);
    expect(JSON.parse(await d.ok(["import", file, "--dry-run", "-o", "json"]))).toMatchObject({
      decks: 1,
      templates: 0,
      cards: 2,
      "attachment-bytes": 0,
      skipped: [{ what: "columns" }, { what: "rows without content", count: 1 }],
    });
    expect(await d.ok(["import", file, "--dry-run", "--jq", ".cards"])).toBe("2\n");
    // Decks that are there are used, not made.
    expect(plan).toContain("To create: 1 deck, 2 cards (csv)\nDecks: G/H\n");
    expect(await d.ok(["import", file, "--dry-run", "--deck", "G"])).toContain(
      "To create in G: 2 decks, 2 cards (csv)\nDecks: G, G/H\n",
    );
    expect(plan).toContain(
      'Not carried over: columns (1): no option names them (--tags, --deck-column) (x.csv, column "other")',
    );
    expect(plan).toContain("rows without content (1): the cells that make up the card are empty");
    expect(await d.run(["import", file])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("--yes"),
    });
    expect(await d.ok(["cards", "list", "-o", "id"])).toBe("");

    const ran = await d.run(["import", file, "--yes", "-o", "json"]);
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ decks: 1, cards: 2, failed: 0 });
    expect(ran.stderr).toMatch(/rows without content \(1\): .* \(x\.csv, line 4\)/);
    expect(readdirSync(d.home).filter((name) => name.endsWith(".journal"))).toHaveLength(1);
    const again = await d.run(["import", file, "--yes"]);
    expect(again).toMatchObject({ code: 0, stdout: "" });
    expect(again.stderr).toContain("All 2 cards are there already; nothing to do.");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, `${text}e,f,G,\n`);
    const more = await d.run(["import", file, "--yes"]);
    writeFileSync(file, text);
    expect(more.stderr).toContain("In the collection already: 2 cards (2 equal)");
    expect(more).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(
        "--update changes those that only the file changed and adds the new ones; --duplicate",
      ),
    });
    expect((await d.run(["import", file, "--yes", "--update"])).code).toBe(0);
    expect((await d.ok(["cards", "list", "-o", "id"])).trim().split("\n")).toHaveLength(2);
    expect((await d.ok(["decks", "list", "-o", "id"])).trim().split("\n")).toHaveLength(2);
  });

  test("names the first cards that differ, and says what --update and --overwrite would do", async () => {
    const d = await deckhand();
    let file = join(d.home, "x.csv");
    const rows = (back: string, count: number) =>
      Array.from({ length: count }, (_, index) => `Question ${index}?,${index}${back}`);
    writeFileSync(file, ["front,back", ...rows("", 5), ""].join("\n"));
    await d.ok(["decks", "create", "X"]);
    await d.ok(["import", file, "--deck", "X", "--yes"]);
    // Another file, whose journal does not know the cards.
    file = join(d.home, "y.csv");
    writeFileSync(file, ["front,back", ...rows(" changed", 5), "new,card", ""].join("\n"));
    const { code, stderr } = await d.run(["import", file, "--deck", "X"]);
    expect(code).toBe(5);
    expect(stderr).toContain("5 cards differ: Question 0?, Question 1?, Question 2?, and 2 more\n");
    expect(stderr).toContain(
      "--overwrite also replaces the 5 cards whose text in the collection may be newer;",
    );
    expect((await d.run(["import", file, "--deck", "X", "--overwrite", "--yes"])).code).toBe(0);
    expect(await d.ok(["cards", "search", "changed", "--count"])).toBe("5\n");
  });

  test("says how many cards are left where an earlier run is continued", async () => {
    const d = await deckhand();
    const file = join(d.home, "x.csv");
    const run = ["import", file, "--journal", join(d.home, "j"), "--yes"];
    writeFileSync(file, "front,back,deck\na,b,X\nc,d,X\n");
    await d.ok(run);
    writeFileSync(file, `${readFileSync(file, "utf8")}e,f,X\n`);
    expect(await d.ok([...run, "--dry-run"])).toContain("To create: 1 of 3 cards (2 are done) (csv)\n");
    expect((await d.run(run)).stderr).toContain("Imported 1 card;");
  });

  test("counts in the plan of a run that continues what is left of attachments and reviews, too", async () => {
    const [from, d] = [await deckhand(), await deckhand()];
    const picture = join(from.home, "a.png");
    writeFileSync(picture, "picture");
    for (const front of ["a", "b", "c"]) {
      const card = [
        "cards",
        "create",
        "--deck",
        "D",
        "--create-deck",
        "--content",
        `${front} ![](@media/a.png)`,
      ];
      const id = (await from.ok([...card, "--attach", picture, "-o", "id"])).trim();
      await from.ok(["api", "POST", `/cards/${id}/reviews`, "--input", "-"], {
        input: '{"remembered?":true}',
      });
    }
    const file = join(from.home, "x.ndjson");
    await from.ok(["export", file]);
    const journal = join(d.home, "j");
    const run = ["import", file, "--journal", journal, "--yes"];
    await d.ok(run);
    // As if it had been killed before the second card's history.
    const lines = readFileSync(journal, "utf8").split("\n");
    const end = lines.findIndex((line) => line.includes('"card 2 reviews"'));
    writeFileSync(journal, `${lines.slice(0, end).join("\n")}\n`);
    expect(await d.ok([...run, "--dry-run"])).toContain(
      "To create: 1 of 3 cards (2 are done), 1 attachment (7 B), 2 reviews (ndjson)\n",
    );
  });

  test("that is run again after its decks were renamed puts the rest where it put the first", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "Lang"]);
    const file = join(d.home, "x.csv");
    writeFileSync(file, "front,back,deck\na,b,Lang\nc,d,Lang/New\n");
    const run = ["import", file, "--yes", "--journal", join(d.home, "j")];
    await d.ok(run);
    await d.ok(["decks", "update", "Lang/New", "--name", "Newer"]);
    await d.ok(["decks", "update", "Lang", "--name", "Tongues"]);
    await d.ok(["decks", "create", "Lang"]);
    writeFileSync(file, `${readFileSync(file, "utf8")}e,f,Lang\ng,h,Lang/New\n`);
    await d.ok(run);
    const names = async (deck: string) =>
      (await d.ok(["cards", "list", "--deck", deck, "--columns", "name", "-o", "tsv"])).trim();
    expect(await names("Tongues")).toBe("a\ne");
    expect(await names("Tongues/Newer")).toBe("c\ng");
    expect((await d.ok(["decks", "list", "-o", "id"])).trim().split("\n")).toHaveLength(3);
  });

  test("that continues adds nothing to a deck that was trashed or deleted since", async () => {
    const d = await deckhand();
    for (const deck of ["X", "Y"]) await d.ok(["decks", "create", deck]);
    const x = (await d.ok(["decks", "get", "X", "-o", "id"])).trim();
    const file = join(d.home, "x.csv");
    const rows = (...more: string[]) =>
      writeFileSync(file, ["front,back,deck", "a,b,X", "c,d,X/P", ...more, ""].join("\n"));
    const run = () => d.run(["import", file, "--yes", "--journal", join(d.home, "x.csv.journal")]);
    const fronts = async () =>
      (await d.ok(["cards", "list", "--columns", "name", "-o", "tsv"]))
        .trim()
        .split("\n")
        .toSorted()
        .join("");
    rows();
    expect((await run()).code).toBe(0);
    await d.ok(["decks", "trash", "X"]);
    rows("e,f,Y");
    // Nothing new goes there: that it is in the trash hinders nothing.
    expect((await run()).code).toBe(0);
    for (const deck of ["X", "X/P", "X/Q"]) {
      rows("e,f,Y", `g,h,${deck}`);
      const { code, stderr } = await run();
      expect({ deck, code }).toEqual({ deck, code: 2 });
      expect(stderr).toMatch(/the deck "[XP]" that an earlier run used is in the trash/);
      expect(stderr).toContain(`deckhand decks restore ${x}`);
      expect(stderr).not.toContain("Run it again");
    }
    await d.ok(["decks", "restore", x]);
    expect((await run()).code).toBe(0);
    expect(await fronts()).toBe("aceg");

    await d.ok(["decks", "delete", "X", "--yes"]);
    for (const deck of ["X", "X/R"]) {
      rows("e,f,Y", "g,h,X/Q", `i,j,${deck}`);
      const { code, stderr } = await run();
      expect({ deck, code }).toEqual({ deck, code: 2 });
      expect(stderr).toContain('the deck "X" that an earlier run used is not there any more');
      expect(stderr).toMatch(/Name another deck for it, or .* another --journal or remove .*x\.csv\.journal/);
    }
    rows("e,f,Y", "g,h,X/Q", "i,j,Y");
    expect((await run()).code).toBe(0);
    expect(await fronts()).toBe("acegi");
  });

  test("adds nothing to a named deck that is in the trash, also when it continues", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "Parent"]);
    const id = (await d.ok(["decks", "create", "Named", "--parent", "Parent", "-o", "id"])).trim();
    const file = join(d.home, "x.csv");
    writeFileSync(file, "front,back,deck\na,b,\n");
    const run = (...named: string[]) =>
      d.run(["import", file, ...named, "--yes", "--journal", join(d.home, "j")]);
    expect((await run("--deck-id", id)).code).toBe(0);
    await d.ok(["decks", "trash", "Parent"]);
    // All is there already.
    expect((await run("--deck-id", id)).code).toBe(0);
    for (const row of ["c,d,", "c,d,Below"])
      for (const named of [
        ["--deck-id", id],
        ["--deck", "Parent/Named"],
      ]) {
        writeFileSync(file, `front,back,deck\na,b,\n${row}\n`);
        const { code, stderr } = await run(...named);
        expect(code).toBe(2);
        expect(stderr).toContain('the deck "Named" is in the trash with "Parent"');
      }
    await d.ok(["decks", "restore", "Parent"]);
    expect((await run("--deck-id", id)).code).toBe(0);
    expect((await d.ok(["cards", "list", "-o", "id"])).trim().split("\n")).toHaveLength(2);
  });

  test("refuses a named deck that is in the trash before it asks, also in a dry run", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "Parent"]);
    await d.ok(["decks", "create", "Named", "--parent", "Parent"]);
    const file = join(d.home, "x.csv");
    writeFileSync(file, "front,back\na,b\n");
    const run = (...how: string[]) => d.run(["import", file, "--deck", "Named", ...how]);
    const problem = 'the deck "Parent/Named" is in the trash: nothing new is put there\n';
    const refusal = `deckhand: ${problem}Restore it, or the deck above it`;
    await d.ok(["decks", "trash", "Parent"]);
    for (const how of ["--dry-run", "--yes"])
      expect(await run(how)).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining(refusal),
      });
    expect(await d.ok(["cards", "list", "-o", "id"])).toBe("");
    await d.ok(["decks", "restore", "Parent"]);
    expect((await run("--yes")).code).toBe(0);
    await d.ok(["decks", "trash", "Parent"]);
    // Nothing of it is new.
    expect(await run("--dry-run")).toMatchObject({ code: 0, stderr: "" });
    expect(await run("--yes", "--update")).toMatchObject({ code: 0 });
  });

  test("requests a named deck once where the list lacks it, and leaves the check to the service", async () => {
    let cards = 0;
    const service = await fakeService(({ method }, response) =>
      method === "POST"
        ? sendJson(response, 200, { id: `c${++cards}` })
        : sendJson(response, 404, { errors: [] }),
    );
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "a-key-for-this-test",
    });
    const file = join(d.home, "x.csv");
    writeFileSync(file, "front,back\na,b\nc,d\ne,f\n");
    await d.ok(["import", file, "--deck-id", "elsewhere", "--yes"]);
    await service.close();
    expect(cards).toBe(3);
    // Whether it is in the trash, and how many cards it holds.
    expect(service.requests.filter(({ url }) => url === "/decks/elsewhere")).toHaveLength(2);
  });

  test("continues in a deck that it trashed itself", async () => {
    const d = await deckhand();
    const file = join(d.home, "in.ndjson");
    const lines = (contents: readonly string[]) =>
      [
        { deck: { id: "d", name: "D", "trashed?": "2026-01-01T00:00:00.000Z" } },
        ...contents.map((content, index) => ({ card: { id: `c${index}`, content, "deck-id": "d" } })),
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join("");
    writeFileSync(file, lines(["a"]));
    await d.ok(["import", file, "--yes"]);
    writeFileSync(file, lines(["a", "b"]));
    await d.ok(["import", file, "--yes", "--update"]);
    expect((await d.ok(["cards", "list", "-o", "id"])).trim().split("\n")).toHaveLength(2);
  });

  test("whose deck is refused asks to correct it, and continues then", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "D"]);
    const file = join(d.home, "x.csv");
    writeFileSync(file, "front,back,deck\na,b,X\n");
    expect(await d.run(["import", file, "--deck-id", "nowhere", "--yes"])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("Correct that, and run it again to continue"),
    });
    await d.ok(["import", file, "--deck", "D", "--yes"]);
    expect((await d.ok(["cards", "list", "--deck", "D/X", "-o", "id"])).trim()).not.toBe("");
  });

  test("does not advise running it again where the service refuses something for good", async () => {
    const d = await deckhand();
    const file = join(d.home, "in.ndjson");
    const lines = [
      { deck: { id: "d", name: "D" } },
      { card: { id: "c", content: "x", "deck-id": "d" } },
      { attachment: { "card-id": "c", "file-name": "a.png", size: 7, type: "image/png" } },
      { bytes: "AA==" },
    ];
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const { code, stderr } = await d.run(["import", file, "--yes"]);
    expect(code).toBe(9);
    expect(stderr).toContain("1 item failed");
    expect(stderr).not.toContain("un it again");
  });

  test("goes on after an attachment that the account has no room for", async () => {
    const { url, key } = await startTestServer({ limits: { storage: 12 } });
    const d = await deckhand({ DECKHAND_PROFILE: "", DECKHAND_BASE_URL: url, DECKHAND_API_KEY: key });
    const file = join(d.home, "x.csv");
    writeFileSync(file, "front,back,picture\na,b,1.png\nc,d,2.png\ne,f,3.png\n");
    for (const name of ["1.png", "2.png", "3.png"]) writeFileSync(join(d.home, name), `bytes ${name}`);
    const { code, stderr } = await d.run(["import", file, "--deck", "D", "--create-deck", "--yes"]);
    expect(code).toBe(9);
    expect(stderr).toMatch(/2.png: the attachments of this account may have at most 12 bytes \(403\)/);
    expect(stderr).toContain("Imported 3 cards, 1 attachment; 2 failed");
    expect(stderr).not.toContain("un it again");
  });

  test("of a csv file needs a deck, and accepts a template", async () => {
    const d = await deckhand();
    const file = join(d.home, "x.csv");
    writeFileSync(file, "country,capital\nNorway,Oslo\n");
    expect((await d.run(["import", file, "--front", "country", "--yes"])).stderr).toMatch(
      /which deck do the cards go to/,
    );
    await d.ok(["decks", "create", "G"]);
    await d.ok([
      "templates",
      "create",
      "Capital",
      "--content",
      "<< Country >>",
      "--field",
      "name=Country",
      "--field",
      "c=Capital",
    ]);
    await d.ok(["import", file, "--deck", "G", "--template", "Capital", "--yes"]);
    expect(JSON.parse(await d.ok(["cards", "list", "-o", "json"]))).toMatchObject([
      { name: "Norway", fields: { name: { value: "Norway" }, c: { value: "Oslo" } } },
    ]);
  });

  test("refuses options that would say nothing, and a delimiter that is none", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    await d.ok(["templates", "create", "T", "--content", "<< front >>", "--field", "front"]);
    const [csv, md] = [join(d.home, "x.csv"), join(d.home, "x.md")];
    writeFileSync(csv, "front;back\na;b\n");
    writeFileSync(md, "a\n");
    const refused = async (path: string, options: string[], message: string) =>
      expect(await d.run(["import", path, "--deck", "G", "--dry-run", ...options])).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining(message),
      });
    for (const option of ["--no-header", "--no-quotes"])
      await refused(md, [option], `${option} goes with csv and tsv only, and this is markdown`);
    for (const option of ["--front", "--back", "--tags", "--deck-column", "--delimiter", "--template"])
      await refused(md, [option, "T"], `${option} goes with csv and tsv only`);
    await refused(csv, ["--separator", "***"], "--separator goes with markdown only, and this is csv");
    for (const option of ["--encoding", "--separator", "--front"])
      await refused(d.home, [option, "x"], `${option} goes with files only, and this is a folder`);
    await refused(csv, ["--template", "T", "--back", "back"], "--back and a template cannot be combined");
    for (const delimiter of ["", '"', ";;"])
      await refused(csv, ["--delimiter", delimiter], "It must be one character");
    expect(await d.ok(["import", csv, "--deck", "G", "--dry-run", "--delimiter", ";"])).toContain("1 card");
  });

  test.skipIf(process.platform === "win32")("reads files, and journals in files, only", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const [pipe, csv] = [join(d.home, "pipe"), join(d.home, "x.csv")];
    execFileSync("mkfifo", [pipe]);
    writeFileSync(csv, "front\na\n");
    expect(await d.run(["import", pipe, "--deck", "G", "--yes"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("pipe: it is neither a file nor a folder"),
    });
    for (const journal of [pipe, "/dev/zero"])
      expect(await d.run(["import", csv, "--deck", "G", "--yes", "--journal", journal])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`${journal}: a journal is a file, and this is none`),
      });
    expect(await d.ok(["cards", "list", "-o", "id"])).toBe("");
  });

  test("puts decks of an archive below the deck that is named, and says what is broken", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "Top"]);
    await d.ok([
      "import",
      "test/fixtures/apkg/anki-apkg-export.apkg",
      "--deck",
      "Top",
      "--yes",
      "--journal",
      join(d.home, "j"),
    ]);
    expect(await d.ok(["decks", "list", "--tree"])).toMatch(/Top[\s\S]*Geography[\s\S]*Capitals/);
    writeFileSync(join(d.home, "cut.apkg"), readFileSync("test/fixtures/apkg/mkanki.apkg").subarray(0, 2000));
    const ran = await d.run(["import", join(d.home, "cut.apkg"), "--yes"]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toMatch(/^deckhand: cut\.apkg: the archive is damaged or cut off/);
  });
});
