import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fakeService, sendJson } from "../support/fake-service.ts";
import { startTestServer } from "../support/service.ts";
import { deckhand } from "../support/world.ts";

describe("import", () => {
  test("shows in its plan which side the pictures of a column go to", async () => {
    const d = await deckhand();
    writeFileSync(join(d.home, "a.png"), "x");
    const plan = async (header: string) => {
      const file = join(d.home, "pictures.csv");
      writeFileSync(file, `${header}\nq,a.png,r\n`);
      return d.ok(["import", file, "--deck", "New", "--create-deck", "--dry-run"]);
    };
    expect(await plan("front,picture,back")).toContain("front: q ![](@media/a.png), back: r\n");
    const back = await plan("front,back,photo");
    expect(back).toMatch(/front: q, back: a\.png/);
    expect(back).toContain("The deck New is new\n");
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

  test("shows its plan, imports off a terminal without a question, and leaves nothing beside the input", async () => {
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
      skipped: [{ what: "rows without content", count: 1 }, { what: "columns" }],
    });
    expect(await d.ok(["import", file, "--dry-run", "--jq", ".cards"])).toBe("2\n");
    // Decks that are there are used, not made.
    expect(plan).toContain("To create: 1 deck, 2 cards (csv)\nDecks: G/H\n");
    expect(await d.ok(["import", file, "--dry-run", "--deck", "G"])).toContain(
      "To create in G: 2 decks, 2 cards (csv)\nDecks: G, G/H\n",
    );
    expect(plan).toContain(
      'Not carried over: columns (1): they are no side, field, tags or deck; --front, --back, --tags and --deck-column take a column (x.csv, column "other")',
    );
    expect(plan).toContain("rows without content (1): the cells that make up the card are empty");
    expect(await d.run(["import", file, "--ask"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("--yes"),
    });
    expect(await d.ok(["cards", "list", "-o", "id"])).toBe("");

    const ran = await d.run(["import", file, "-o", "json"]);
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ decks: 1, cards: 2, failed: 0 });
    expect(ran.stderr).toMatch(/rows without content \(1\): .* \(x\.csv, line 4\)/);
    expect(readdirSync(d.home).filter((name) => name.startsWith("x.csv"))).toEqual(["x.csv"]);
    const again = await d.run(["import", file, "--yes"]);
    expect(again).toMatchObject({ code: 0, stdout: "" });
    expect(again.stderr).toContain("All 2 cards are there already; nothing to do.");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, `${text}e,f,G,\n`);
    const more = await d.run(["import", file]);
    writeFileSync(file, text);
    expect(more).toMatchObject({ code: 0 });
    expect(more.stderr).toContain("In the collection already: 2 cards (2 equal)");
    expect((await d.ok(["cards", "list", "-o", "id"])).trim().split("\n")).toHaveLength(3);
    expect((await d.ok(["decks", "list", "-o", "id"])).trim().split("\n")).toHaveLength(2);
  });

  test("lists the cards that differ, and says what --update and --overwrite would do", async () => {
    const d = await deckhand();
    let file = join(d.home, "x.csv");
    const rows = (back: string, count: number) =>
      Array.from({ length: count }, (_, index) => `Question ${index}?,${index}${back}`);
    writeFileSync(file, ["front,back", ...rows("", 5), ""].join("\n"));
    await d.ok(["decks", "create", "X"]);
    await d.ok(["import", file, "--deck", "X"]);
    writeFileSync(file, ["front,back", ...rows(" changed", 2), ""].join("\n"));
    const changed = await d.run(["import", file, "--deck", "X"]);
    expect(changed).toMatchObject({ code: 9, stderr: expect.stringContaining("it changed in the file") });
    expect(changed.stderr).toContain("--update changes those that only the file changed.");
    // Another file, of which nothing is known.
    file = join(d.home, "y.csv");
    writeFileSync(file, ["front,back", ...rows(" changed", 5), "new,card", ""].join("\n"));
    const { code, stderr } = await d.run(["import", file, "--deck", "X"]);
    expect(code).toBe(9);
    expect(stderr.match(/^left: /gm)).toHaveLength(5);
    expect(stderr).toContain("--overwrite takes what the file says");
    expect(stderr).not.toContain("--update changes");
    expect(await d.ok(["cards", "search", "new", "--count"])).toBe("1\n");
    expect((await d.run(["import", file, "--deck", "X", "--overwrite"])).code).toBe(0);
    expect(await d.ok(["cards", "search", "changed", "--count"])).toBe("5\n");
  });

  test("that is run again after its decks were renamed puts the rest where it put the first", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "Lang"]);
    const file = join(d.home, "x.csv");
    writeFileSync(file, "front,back,deck\na,b,Mine\nc,d,Mine/New\n");
    await d.ok(["import", file]);
    await d.ok(["decks", "update", "Mine/New", "--name", "Newer"]);
    await d.ok(["decks", "update", "Mine", "--name", "Tongues"]);
    await d.ok(["decks", "create", "Mine"]);
    writeFileSync(file, `${readFileSync(file, "utf8")}e,f,Mine\ng,h,Mine/New\n`);
    await d.ok(["import", file]);
    const names = async (deck: string) =>
      (
        await d.ok(["cards", "list", "--no-recursive", "--deck", deck, "--columns", "name", "-o", "tsv"])
      ).trim();
    expect(await names("Tongues")).toBe("a\ne");
    expect(await names("Tongues/Newer")).toBe("c\ng");
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
    // Whether it is in the trash.
    expect(service.requests.filter(({ url }) => url === "/decks/elsewhere")).toHaveLength(1);
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

  test("goes on after an attachment that the service refuses", async () => {
    const { url, key } = await startTestServer({ limits: { attachment: 12 } });
    const d = await deckhand({ DECKHAND_PROFILE: "", DECKHAND_BASE_URL: url, DECKHAND_API_KEY: key });
    const file = join(d.home, "x.csv");
    writeFileSync(file, "front,back,picture\na,b,1.png\nc,d,2.png\ne,f,3.png\n");
    for (const name of ["1.png", "2.png", "3.png"]) writeFileSync(join(d.home, name), `bytes ${name}`);
    writeFileSync(join(d.home, "2.png"), "more bytes than allowed");
    const { code, stderr } = await d.run(["import", file, "--deck", "D", "--create-deck", "--yes"]);
    expect(code).toBe(9);
    expect(stderr).toMatch(
      /2.png: could not store the attachment on the card: the file may be at most 12 bytes/,
    );
    expect(stderr).toContain("Imported 3 cards, 2 attachments, 1 failed");
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

  test.skipIf(process.platform === "win32")("reads files only", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const pipe = join(d.home, "pipe");
    execFileSync("mkfifo", [pipe]);
    expect(await d.run(["import", pipe, "--deck", "G", "--yes"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("pipe: it is neither a file nor a folder"),
    });
    expect(await d.ok(["cards", "list", "-o", "id"])).toBe("");
  });

  test("puts decks of an archive below the deck that is named, and says what is broken", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "Top"]);
    await d.ok(["import", "test/fixtures/apkg/anki-apkg-export.apkg", "--deck", "Top", "--yes"]);
    expect(await d.ok(["decks", "list", "--tree"])).toMatch(/Top[\s\S]*Geography[\s\S]*Capitals/);
    writeFileSync(join(d.home, "cut.apkg"), readFileSync("test/fixtures/apkg/mkanki.apkg").subarray(0, 2000));
    const ran = await d.run(["import", join(d.home, "cut.apkg"), "--yes"]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toMatch(/^deckhand: cut\.apkg: the archive is damaged or cut off/);
  });
});
