import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type DeckhandError, NetworkError, ServiceError, UsageError } from "../../src/errors.ts";
import { Journal } from "../../src/transfer/import/journal.ts";
import { Ledger } from "../../src/transfer/import/ledger.ts";
import { fakeService, sendJson } from "../support/fake-service.ts";
import { temporaryFolder } from "../support/service.ts";
import { deckhand } from "../support/world.ts";

const jsonLines = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("cards create --from", () => {
  test("creates documents in order, supplies the deck, and tells each line's outcome", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const input =
      '{"content":"a","tags":["t"]}\n\n{"content":5}\n{"content":"b","nonsense":1,"trashed?":"2026-01-02T00:00:00Z"}\n';
    const ran = await d.run(["cards", "create", "--from", "-", "--deck", "G"], { input });
    expect(ran.code).toBe(9);
    expect(jsonLines(ran.stdout)).toMatchObject([
      { line: 1, id: expect.any(String) },
      { line: 3, error: { code: "usage", message: "content must be a string" } },
      { line: 4, id: expect.any(String) },
    ]);
    expect(ran.stderr).toContain("line 3: content must be a string");
    expect(ran.stderr).toContain('line 4: the API has no field "nonsense"; it is not sent');
    const cards = JSON.parse(await d.ok(["cards", "list", "-o", "json"])) as Record<string, unknown>[];
    expect(cards).toMatchObject([
      { content: "a", tags: ["t"], "trashed?": null },
      { content: "b", "trashed?": "2026-01-02T00:00:00.000Z" },
    ]);
  });

  test("creates no card whose trashed? would be refused after it", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const input = '{"content":"a","trashed?":"yesterday"}\n{"content":"b","trashed?":true}\n';
    const ran = await d.run(["cards", "create", "--from", "-", "--deck", "G"], { input });
    expect(ran.code).toBe(2);
    expect(jsonLines(ran.stdout)).toMatchObject(
      [1, 2].map((line) => ({ line, error: { message: "trashed? must be an ISO 8601 timestamp" } })),
    );
    expect(await d.ok(["cards", "list"])).toBe("");
  });

  test("prints only ids with -o id, and no line for what was refused", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const input = '{"content":5}\n{"content":"a"}\n';
    const ran = await d.run(["cards", "create", "--from", "-", "--deck", "G", "-o", "id"], { input });
    expect(ran).toMatchObject({
      code: 9,
      stderr: expect.stringContaining("line 1: content must be a string"),
    });
    expect(ran.stdout).toBe(await d.ok(["cards", "list", "-o", "id"]));
  });

  test("stops at the first failure with --fail-fast, and says so", async () => {
    const d = await deckhand();
    const input = '{"id":"x","content":"a"}\n{"id":"y","content":"b"}\n';
    const ran = await d.run(["cards", "update", "--from", "-", "--fail-fast"], { input });
    expect(ran).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("1 of 1 failed; what comes after was not tried"),
    });
    expect(jsonLines(ran.stdout)).toHaveLength(1);
  });

  test("takes what cards list gives, and a JSON array", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    await d.ok(["cards", "create", "--deck", "G", "--content", "x #inline", "--tag", "own", "--archived"]);
    const listed = await d.ok(["cards", "list", "-o", "json"]);
    expect(jsonLines(await d.ok(["cards", "create", "--from", "-"], { input: listed }))).toHaveLength(1);
    const cards = JSON.parse(await d.ok(["cards", "list", "-o", "json"])) as Record<string, unknown>[];
    expect(cards).toHaveLength(2);
    expect(cards[1]).toMatchObject({ content: "x #inline", tags: cards[0]?.["tags"], "archived?": true });
  });

  test("goes on with a journal: done lines are skipped, failed ones tried again, changed ones refused", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const journal = join(d.home, "j");
    const create = (input: string) =>
      d.run(["cards", "create", "--from", "-", "--deck", "G", "--journal", journal], { input });
    expect((await create('{"content":"a"}\n{"content":1}\n')).code).toBe(9);
    const again = await create('{"content":"a"}\n{"content":"b"}\n{"content":"c"}\n');
    expect(again).toMatchObject({ code: 0 });
    expect(jsonLines(again.stdout)).toMatchObject([{ line: 1, "before?": true }, { line: 2 }, { line: 3 }]);
    expect((await d.ok(["cards", "list", "-o", "id"])).trim().split("\n")).toHaveLength(3);
    const changed = await create('{"content":"other"}\n');
    expect(changed).toMatchObject({ code: 2, stdout: "" });
    expect(changed.stderr).toMatch(/line 1 is not what it was/);
    expect(
      (await d.run(["decks", "create", "--from", "-", "--journal", journal], { input: "{}" })).stderr,
    ).toMatch(/the journal is of "cards create", not of "decks create"/);
  });

  test("tells documents apart that stand on one line, equal ones too, and goes on between them", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const journal = join(d.home, "j");
    const create = (...contents: unknown[]) =>
      d.run(["cards", "create", "--from", "-", "--deck", "G", "--journal", journal], {
        input: JSON.stringify(contents.map((content) => ({ content }))),
      });
    // A run that was broken off after the first of them.
    expect((await create("a")).code).toBe(0);
    const rest = await create("a", "a", "b", 1);
    expect(rest.stderr).toMatch(/^deckhand: line 1, document 4: content must be/m);
    expect(jsonLines(rest.stdout)).toMatchObject([{ "before?": true }, {}, {}, { error: {} }]);
    const again = await create("a", "a", "b", "c");
    expect(again.code).toBe(0);
    expect(jsonLines(again.stdout).map((line) => line["before?"] ?? false)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    const cards = JSON.parse(await d.ok(["cards", "list", "-o", "json"])) as Record<string, unknown>[];
    expect(cards.map(({ content }) => content)).toEqual(["a", "a", "b", "c"]);
  });

  test("does not take a line that was done, or may have been, for another one", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const journal = join(d.home, "j");
    const create = (input: string) =>
      d.run(["cards", "create", "--from", "-", "--deck", "G", "--journal", journal], { input });
    expect((await create('{"content":"a"}\n{"content":"b"}\n')).code).toBe(0);
    // The answer to the second was lost.
    const text = readFileSync(journal, "utf8").trim().split("\n");
    const { id: _id, at: _at, ...lost } = JSON.parse(text.at(-1) ?? "");
    writeFileSync(
      journal,
      `${[...text.slice(0, -1), JSON.stringify({ ...lost, state: "unknown" })].join("\n")}\n`,
    );

    for (const other of ['{"content":"c"}', '{"content":5}', '{"content":"c"}'])
      for (const input of [`{"content":"a"}\n${other}\n`, `${other}\n{"content":"b"}\n`])
        expect(await create(input)).toMatchObject({
          code: 2,
          stderr: expect.stringContaining("is not what it was"),
        });
    expect((await create('{"content":"a"}\n{"content":"b"}\n')).code).toBe(0);
    expect((await d.ok(["cards", "list", "-o", "id"])).trim().split("\n")).toHaveLength(2);
  });

  test("does not take a change of one card for the same change of another", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const card = async (content: string) =>
      (await d.ok(["cards", "create", "--deck", "G", "--content", content, "-o", "id"])).trim();
    const [one, two] = [await card("a"), await card("b")];
    const change = (id: unknown) =>
      d.run(["cards", "update", "--from", "-", "--journal", join(d.home, "j")], {
        input: JSON.stringify({ id, "archived?": true }),
      });
    expect((await change(one)).code).toBe(0);
    for (const other of [two, undefined])
      expect(await change(other)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("line 1 is not what it was"),
      });
    expect(jsonLines((await change(one)).stdout)).toEqual([{ line: 1, id: one, "before?": true }]);
  });

  test("refuses a journal that is none or is damaged, and drops a line that was cut off", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const journal = join(d.home, "j");
    const create = (input: string) =>
      d.run(["cards", "create", "--from", "-", "--deck", "G", "--journal", journal], { input });
    for (const other of ['{"something":"else"}\n', "my notes", "one\ntwo\n"]) {
      writeFileSync(journal, other);
      const ran = await create("");
      expect(ran.stderr).toMatch(/this is no journal of deckhand/);
      expect(readFileSync(journal, "utf8")).toBe(other);
    }
    writeFileSync(journal, "");
    expect((await create('{"content":"a"}\n{"content":"b"}\n')).code).toBe(0);
    const whole = readFileSync(journal, "utf8");
    writeFileSync(journal, whole.slice(0, -10));
    const again = await create('{"content":"a"}\n{"content":"b"}\n{"content":"c"}\n');
    expect(jsonLines(again.stdout)).toHaveLength(3);
    expect((await d.ok(["cards", "list", "-o", "id"])).trim().split("\n")).toHaveLength(3);
    writeFileSync(journal, `${whole}not json\n${whole}`);
    expect((await create("")).stderr).toMatch(/line \d+: the journal is damaged/);
  });

  test("prints in a dry run that a card is trashed after it", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const input = '{"content":"a","trashed?":"2026-01-02T00:00:00.000Z"}';
    const args = ["cards", "create", "--from", "-", "--deck", "G", "--dry-run", "-o", "ndjson"];
    expect(jsonLines(await d.ok(args, { input }))).toMatchObject([
      { method: "POST", path: "/cards", body: { content: "a" } },
      { method: "POST", path: "/cards/CARD-ID", body: { "trashed?": "2026-01-02T00:00:00.000Z" } },
    ]);
  });

  test("prints the requests of a dry run and sends none", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const shown = await d.ok(["cards", "create", "--from", "-", "--deck", "G", "--dry-run"], {
      input: '{"content":"a"}\n',
    });
    expect(shown).toContain("/cards");
    expect(await d.ok(["cards", "list", "-o", "id"])).toBe("");
  });

  test("names the line of broken JSON", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    const ran = await d.run(["cards", "create", "--from", "-", "--deck", "G"], {
      input: '{"content":"a"}\n{"content":\n',
    });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(/standard input, line 2: /);
  });
});

describe("the other verbs with --from", () => {
  test("change cards, make decks and make templates", async () => {
    const d = await deckhand();
    const decks = jsonLines(
      await d.ok(["decks", "create", "--from", "-"], { input: '[{"name":"A"},\n{"name":"B","sort":3}]' }),
    );
    expect(decks).toMatchObject([{ line: 1 }, { line: 2 }]);
    const template = { name: "T", content: "<< F >>", fields: { name: { id: "name", name: "F" } } };
    const templates = await d.ok(["templates", "create", "--from", "-"], {
      input: `${JSON.stringify(template)}\n${JSON.stringify(template)}\n`,
    });
    expect(jsonLines(templates)).toHaveLength(2);
    const id = (await d.ok(["cards", "create", "--deck", "A", "--content", "x", "--tag", "t"])).trim();
    const input = `{"id":"${id}","content":"y","archived?":true}\n{"id":"nothing","content":"z"}\n{"content":"z"}\n`;
    const ran = await d.run(["cards", "update", "--from", "-"], { input });
    expect(ran.code).toBe(9);
    expect(jsonLines(ran.stdout)).toMatchObject([
      { line: 1, id },
      { line: 2, error: { code: "not-found" } },
      { line: 3, error: { message: "id is missing" } },
    ]);
    expect(JSON.parse(await d.ok(["cards", "get", id, "-o", "json"]))).toMatchObject({
      content: "y",
      tags: ["t"],
      "archived?": true,
    });
  });

  test("refuse what else would say what the documents say", async () => {
    const d = await deckhand();
    for (const args of [
      ["cards", "create", "--from", "x", "--front", "a"],
      ["cards", "update", "id", "--from", "x"],
      ["cards", "update", "--from", "x", "--add-tag", "a"],
      ["cards", "update"],
      ["decks", "create", "name", "--from", "x"],
      ["decks", "create"],
      ["templates", "create", "name", "--from", "x"],
    ])
      expect(await d.run(args)).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("import", () => {
  test("shows its plan, asks for --yes off a terminal, journals beside the input, and goes on from there", async () => {
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
    expect(plan).toContain("To create: 1 deck, 2 cards (csv)\nDecks: H\n");
    expect(await d.ok(["import", file, "--dry-run", "--deck", "G"])).toContain(
      "To create into G: 2 decks, 2 cards (csv)\nDecks: G, H\n",
    );
    expect(plan).toContain('Not carried over: 1 × columns: they were not asked for (x.csv, column "other")');
    expect(plan).toContain("1 × rows without content");
    expect(await d.run(["import", file])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("--yes"),
    });
    expect(await d.ok(["cards", "list", "-o", "id"])).toBe("");

    const ran = await d.run(["import", file, "--yes", "-o", "json"]);
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ decks: 1, cards: 2, failed: 0 });
    expect(ran.stderr).toContain("skipped: x.csv, line 4: rows without content");
    expect(readdirSync(d.home).filter((name) => name.endsWith(".journal"))).toHaveLength(1);
    const again = await d.run(["import", file, "--yes"]);
    expect(again.stderr).toContain("To create: 2 cards (csv)");
    expect(again.stderr).toMatch(/^To create: 2 cards \(csv\)\n.*\nNot done again: .+\.journal\)\nskipped:/s);
    expect(again.stderr).toContain("All of it had been imported before");
    expect((await d.ok(["cards", "list", "-o", "id"])).trim().split("\n")).toHaveLength(2);
    expect((await d.ok(["decks", "list", "-o", "id"])).trim().split("\n")).toHaveLength(2);
  });

  test("that is run again after its decks were renamed puts the rest where it put the first", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "Lang"]);
    const file = join(d.home, "x.csv");
    writeFileSync(file, "front,back,deck\na,b,Lang\nc,d,Lang/New\n");
    await d.ok(["import", file, "--yes"]);
    await d.ok(["decks", "update", "Lang/New", "--name", "Newer"]);
    await d.ok(["decks", "update", "Lang", "--name", "Tongues"]);
    await d.ok(["decks", "create", "Lang"]);
    writeFileSync(file, `${readFileSync(file, "utf8")}e,f,Lang\ng,h,Lang/New\n`);
    await d.ok(["import", file, "--yes"]);
    const names = async (deck: string) =>
      (await d.ok(["cards", "list", "--deck", deck, "--columns", "name", "-o", "tsv"])).trim();
    expect(await names("Tongues")).toBe("a\ne");
    expect(await names("Tongues/Newer")).toBe("c\ng");
    expect((await d.ok(["decks", "list", "-o", "id"])).trim().split("\n")).toHaveLength(3);
  });

  test("that goes on puts nothing new into a deck that was put in the trash or deleted since", async () => {
    const d = await deckhand();
    for (const deck of ["X", "Y"]) await d.ok(["decks", "create", deck]);
    const x = (await d.ok(["decks", "get", "X", "-o", "id"])).trim();
    const file = join(d.home, "x.csv");
    const rows = (...more: string[]) =>
      writeFileSync(file, ["front,back,deck", "a,b,X", "c,d,X/P", ...more, ""].join("\n"));
    const run = () => d.run(["import", file, "--yes"]);
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
      expect(stderr).toMatch(
        /Name another deck for it, or .* another --journal or remove .*x\.csv.*\.journal/,
      );
    }
    rows("e,f,Y", "g,h,X/Q", "i,j,Y");
    expect((await run()).code).toBe(0);
    expect(await fronts()).toBe("acegi");
  });

  test("puts nothing into a named deck that is in the trash, also when it goes on", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "Parent"]);
    const id = (await d.ok(["decks", "create", "Named", "--parent", "Parent", "-o", "id"])).trim();
    const file = join(d.home, "x.csv");
    writeFileSync(file, "front,back,deck\na,b,\n");
    const run = (...named: string[]) => d.run(["import", file, ...named, "--yes"]);
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
    // Nothing of it may be new.
    const again = await run("--dry-run");
    expect(again).toMatchObject({ code: 0, stderr: `deckhand: warning: ${problem}` });
    expect((await run("--yes")).stderr).not.toContain("due");
  });

  test("asks once for a named deck that the service does not tell of, and leaves it to the service", async () => {
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

  test("goes on in a deck that it put in the trash itself", async () => {
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
    await d.ok(["import", file, "--yes"]);
    expect((await d.ok(["cards", "list", "-o", "id"])).trim().split("\n")).toHaveLength(2);
  });

  test("that a deck is refused of asks to mend that, and goes on then", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "D"]);
    const file = join(d.home, "x.csv");
    writeFileSync(file, "front,back,deck\na,b,X\n");
    expect(await d.run(["import", file, "--deck-id", "nowhere", "--yes"])).toMatchObject({
      code: 5,
      stderr: expect.stringContaining("Mend that, and run it again to go on"),
    });
    await d.ok(["import", file, "--deck", "D", "--yes"]);
    expect((await d.ok(["cards", "list", "--deck", "D/X", "-o", "id"])).trim()).not.toBe("");
  });

  test("that goes on says what failed again, and not that all is there", async () => {
    const d = await deckhand();
    const file = join(d.home, "in.ndjson");
    const lines = [
      { deck: { id: "d", name: "D" } },
      { card: { id: "c", content: "x", "deck-id": "d" } },
      { attachment: { "card-id": "c", "file-name": "a/b", size: 1, type: "text/plain" } },
      { bytes: "AA==" },
    ];
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    for (const run of [1, 2]) {
      const { code, stderr } = await d.run(["import", file, "--yes"]);
      expect({ run, code }).toEqual({ run, code: 9 });
      expect(stderr).toContain("1 attachment (1 B)");
      expect(stderr).toContain("1 item failed\nRun it again");
      expect(stderr).not.toContain("All of it had been imported before");
    }
  });

  test("of a csv file needs a deck, and takes a template", async () => {
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

describe("export", () => {
  test("leaves alone what is no file: a pipe, standard output", async () => {
    const d = await deckhand();
    const pipe = join(d.home, "pipe");
    execFileSync("mkfifo", [pipe]);
    expect(await d.run(["export", pipe, "--format", "ndjson", "--yes"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("neither a file nor a folder"),
    });
    expect(statSync(pipe).isFIFO()).toBe(true);
    expect(await d.run(["export", "-"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("not to standard output"),
    });
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
      stderr: 'deckhand: deck "nosuch" was not found (404)\n',
    });
    expect(readFileSync(file, "utf8")).toBe("old");
    await d.ok(["decks", "delete", deck, "--yes"]);
    expect(await run(deck)).toMatchObject({ code: 0 });
    expect(jsonLines(readFileSync(file, "utf8"))).toMatchObject([{ card: { content: "x" } }]);
  });

  test("writes a folder again without touching what is not its own", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "Q/A: *?"]);
    const id = (await d.ok(["add", "../../etc/passwd", "x", "--deck", "Q/A: *?"])).trim();
    const gone = (await d.ok(["add", "soon gone", "x", "--deck", "Q/A: *?"])).trim();
    const target = join(d.home, "cards");
    await d.ok(["export", target]);
    const folder = join(target, "Q-A");
    expect(readdirSync(folder).toSorted()).toEqual(
      ["deck.yaml", `etc-passwd-${id}.md`, `soon gone-${gone}.md`].toSorted(),
    );
    mkdirSync(join(target, ".git"));
    writeFileSync(join(target, ".git", "HEAD"), "ref");
    writeFileSync(join(target, "README.md"), "mine");
    writeFileSync(join(folder, "notes.md"), "mine");
    await d.ok(["cards", "delete", gone, "--yes"]);
    await d.ok(["cards", "update", id, "--content", "new"]);
    await d.ok(["export", target]);
    expect(readdirSync(folder).toSorted()).toEqual(["deck.yaml", `new-${id}.md`, "notes.md"]);
    expect(readFileSync(join(target, "README.md"), "utf8")).toBe("mine");
    expect(existsSync(join(target, ".git", "HEAD"))).toBe(true);
    expect(readdirSync(d.home).filter((name) => name.endsWith(".part"))).toEqual([]);
    const other = join(d.home, "other");
    mkdirSync(other);
    writeFileSync(join(other, "mine.txt"), "x");
    expect(await d.run(["export", other])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("holds no export"),
    });
  });

  test("into its folder again removes what it had written there, and nothing that only looks like it", async () => {
    const d = await deckhand();
    await d.ok(["decks", "create", "G"]);
    await d.ok(["templates", "create", "T", "--content", "<< F >>", "--field", "name=F"]);
    const kept = (await d.ok(["add", "kept", "x", "--deck", "G"])).trim();
    const gone = (await d.ok(["add", "gone", "x", "--deck", "G"])).trim();
    const picture = join(d.home, "picture");
    for (const name of ["a.png", "b:c.png"]) {
      writeFileSync(picture, name);
      for (const id of [kept, gone]) await d.ok(["attach", "add", id, picture, "--name", name]);
    }
    const target = join(d.home, "cards");
    const folder = join(target, "G");
    await d.ok(["export", target]);
    const [keptFiles, goneFiles] = [join(folder, `kept-${kept}.files`), join(folder, `gone-${gone}.files`)];
    expect(readdirSync(goneFiles)).toEqual(["a.png", "b-c.png"]);
    const mine = [
      join(folder, "zettel-1.md"),
      join(folder, `copy of gone-${gone} (2).md`),
      join(folder, `another-${gone}.files`, "a.png"),
      join(goneFiles, "mine.png"),
      join(keptFiles, "mine.png"),
      join(folder, "paper.md"),
      join(folder, "paper.files", "page.html"),
      join(target, "_templates", "README.md"),
      join(target, "_templates", "notes.txt"),
      join(target, "site", "deck.yaml"),
    ];
    const matter = `---\nid: ${gone}\nattachments:\n  page.html: text/html\n---\n`;
    for (const path of mine) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, path.endsWith(".md") ? matter : "title: mine\n");
    }
    // The same text twice in a folder: what an export writes has a number then.
    cpSync(join(folder, `gone-${gone}.md`), join(folder, `gone-${gone}~2.md`));
    await d.ok(["cards", "delete", gone, "--yes"]);
    await d.ok(["attach", "remove", kept, "a.png", "--yes"]);
    await d.ok(["export", target]);
    for (const path of mine) expect([path, existsSync(path)]).toEqual([path, true]);
    expect(readdirSync(goneFiles)).toEqual(["mine.png"]);
    expect(readdirSync(keptFiles)).toEqual(["b-c.png", "mine.png"]);
    expect(readdirSync(folder).filter((name) => /^gone-\w+(?:~2)?\.md$/.test(name))).toEqual([]);
  });

  test("of a deck takes nothing from a folder that holds more without asking", async () => {
    const d = await deckhand();
    for (const args of [["A"], ["B", "--parent", "A"], ["C"]]) await d.ok(["decks", "create", ...args]);
    for (const deck of ["A", "B", "C"]) await d.ok(["add", `in ${deck}`, "x", "--deck", deck]);
    const inC = (await d.ok(["add", "also in C", "x", "--deck", "C"])).trim();
    writeFileSync(join(d.home, "a.png"), "bytes");
    await d.ok(["attach", "add", inC, join(d.home, "a.png")]);
    const target = join(d.home, "cards");
    const files = () => readdirSync(target, { recursive: true }).toSorted();
    await d.ok(["export", target]);
    const [whole, marker] = [files(), readFileSync(join(target, "deckhand.yaml"), "utf8")];
    expect(await d.run(["export", target, "--deck", "A"])).toEqual({
      code: 2,
      stdout: "",
      stderr: [
        `deckhand: Replace ${target}? It holds more than A: this removes 4 files from it. Cannot ask for confirmation without a terminal; nothing was changed`,
        "Use --yes to confirm.\n",
      ].join("\n"),
    });
    expect(files()).toEqual(whole);
    // Nothing was fetched for that.
    expect(readdirSync(d.home).filter((name) => name.endsWith(".part"))).toEqual([]);
    await d.ok(["export", target, "--deck", "A", "--yes"]);
    expect(readdirSync(target).toSorted()).toEqual(["A", "deckhand.yaml"]);
    // The same once more, with a card less, and then more: there is nothing to lose.
    await d.ok([
      "cards",
      "delete",
      (await d.ok(["cards", "list", "--deck", "B", "-o", "id"])).trim(),
      "--yes",
    ]);
    await d.ok(["export", target, "--deck", "A"]);
    expect(readdirSync(join(target, "A", "B"))).toEqual(["deck.yaml"]);
    await d.ok(["export", target]);
    expect(readFileSync(join(target, "deckhand.yaml"), "utf8")).toBe(marker);
    expect(files()).toHaveLength(whole.length - 1);
  });

  test("keeps the file of a name whose case alone changed, where the file system ignores that", async () => {
    const d = await deckhand();
    const deck = (await d.ok(["decks", "create", "geo", "-o", "id"])).trim();
    const id = (await d.ok(["add", "Oslo", "x", "--deck", "geo"])).trim();
    const target = join(d.home, "cards");
    await d.ok(["export", target]);
    // There both names are of one file.
    mkdirSync(join(target, "Geo"));
    for (const name of readdirSync(join(target, "geo")))
      linkSync(join(target, "geo", name), join(target, "Geo", name));
    await d.ok(["decks", "update", deck, "--name", "Geo"]);
    await d.ok(["export", target]);
    expect(readdirSync(join(target, "geo"))).toContain(`Oslo-${id}.md`);
    expect(readdirSync(join(target, "Geo"))).toContain(`Oslo-${id}.md`);
  });

  test("of a deck again goes where its decks are now, and of another one asks", async () => {
    const d = await deckhand();
    for (const args of [["A"], ["B", "--parent", "A"], ["C"]]) await d.ok(["decks", "create", ...args]);
    for (const deck of ["B", "C"]) await d.ok(["add", `in ${deck}`, "x", "--deck", deck]);
    const target = join(d.home, "cards");
    await d.ok(["export", target, "--deck", "B"]);
    // The one above it: all that was there comes, though in another folder.
    await d.ok(["export", target, "--deck", "A"]);
    expect(readdirSync(target).toSorted()).toEqual(["A", "deckhand.yaml"]);
    expect(await d.run(["export", target, "--deck", "C"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("removes 3 files"),
    });
    // What was of a deck, and is in no deck of the collection any more.
    await d.ok([
      "cards",
      "delete",
      (await d.ok(["cards", "list", "--deck", "B", "-o", "id"])).trim(),
      "--yes",
    ]);
    expect(await d.run(["export", target])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("It was made of something else: this removes 1 file from it."),
    });
    expect(readdirSync(join(target, "A", "B"))).toHaveLength(2);
    await d.ok(["export", target, "--yes"]);
    expect(readdirSync(join(target, "A", "B"))).toEqual(["deck.yaml"]);
  });

  test("of another account takes nothing from a folder without asking", async () => {
    const [one, other] = [await deckhand(), await deckhand()];
    for (const d of [one, other]) await d.ok(["decks", "create", "G"]);
    const ids = [];
    for (const name of ["a", "b"]) ids.push((await one.ok(["add", name, "x", "--deck", "G"])).trim());
    const target = join(one.home, "cards");
    const folder = join(target, "G");
    await one.ok(["export", target]);
    const before = readdirSync(folder);
    const [deckText, none] = [
      readFileSync(join(folder, "deck.yaml"), "utf8"),
      "this removes 2 files from it.",
    ];
    const refused = {
      code: 2,
      stderr: expect.stringContaining(`It seems to be of another account: ${none}`),
    };
    expect(await other.run(["export", target])).toMatchObject(refused);
    await other.ok(["add", "c", "x", "--deck", "G"]);
    expect(await other.run(["export", target])).toMatchObject(refused);
    expect(readdirSync(folder)).toEqual(before);
    expect(readFileSync(join(folder, "deck.yaml"), "utf8")).toBe(deckText);
    // Its own: a card that is gone is gone, and the last one as well.
    for (const id of ids) {
      await one.ok(["cards", "delete", id, "--yes"]);
      await one.ok(["export", target]);
    }
    expect(readdirSync(folder)).toEqual(["deck.yaml"]);
    await other.ok(["export", target, "--yes"]);
    expect(readdirSync(folder)).toHaveLength(2);
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
    expect(lines.map((line) => Object.keys(line)[0])).toEqual(["deck", "deck", "template", "card"]);
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

  test("does without a file that is damaged on the service, says so, and keeps the one it had", async () => {
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
      expect(stderr).toMatch(/missing: attachment a\.txt of card \w+: the service fails to give it \(500\)/);
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
  });

  test("does not put a file without what could not be fetched in the place of the last that has it", async () => {
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
    expect(readdirSync(d.home).filter((name) => name.endsWith(".part"))).toEqual([]);
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
  });

  test("leaves nothing beside the target where it could fetch nothing", async () => {
    const service = await fakeService((_, response) => sendJson(response, 403, { errors: ["not now"] }));
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "key-of-a-test",
    });
    expect(await d.run(["export", join(d.home, "out", "a.ndjson")])).toMatchObject({ code: 3 });
    await service.close();
    expect(readdirSync(join(d.home, "out"))).toEqual([]);
  });

  test("goes on where it stopped, and keeps fields that the schema does not know", async () => {
    const cards = Array.from({ length: 250 }, (_, index) => ({
      id: `c${index}`,
      content: `card ${index} ![](@media/a.png)`,
      "deck-id": "d",
      strange: { kept: [index] },
    }));
    let broken = true;
    const asked: string[] = [];
    const service = await fakeService(({ url }, response) => {
      asked.push(url);
      const { pathname, searchParams } = new URL(url, "http://x");
      if (pathname === "/decks") return sendJson(response, 200, { docs: [{ id: "d", name: "D", sort: 0 }] });
      if (pathname === "/decks/d") return sendJson(response, 200, { id: "d", name: "D", extra: true });
      if (pathname === "/templates") return sendJson(response, 200, { docs: [] });
      if (pathname !== "/cards") return sendJson(response, 404, { errors: ["no"] });
      const from = Number(searchParams.get("bookmark") ?? 0);
      if (from === 200 && broken) return sendJson(response, 403, { errors: ["not now"] });
      sendJson(response, 200, { docs: cards.slice(from, from + 100), bookmark: String(from + 100) });
    });
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "key-of-a-test",
    });
    const file = join(d.home, "a.ndjson");
    expect(await d.run(["export", file])).toMatchObject({ code: 3 });
    expect(existsSync(file)).toBe(false);
    // Killed between writing a page and taking it down.
    appendFileSync(join(d.home, ".a.ndjson.part", "cards"), '{"card":{"id":"half');
    broken = false;
    asked.length = 0;
    const ran = await d.run(["export", file, "-o", "json"]);
    await service.close();
    expect(ran.code).toBe(0);
    expect(asked.filter((url) => url.startsWith("/cards"))).toEqual([
      expect.stringContaining("bookmark=200"),
    ]);
    expect(ran.stderr).toContain("Went on where an earlier export had stopped");
    expect(ran.stderr).toContain(
      "missing: attachment a.png of card c0: the service does not let attachments be read",
    );
    expect(JSON.parse(ran.stdout)).toMatchObject({ cards: 250, attachments: 0 });
    const lines = jsonLines(readFileSync(file, "utf8"));
    expect(lines[0]).toEqual({ deck: { id: "d", name: "D", sort: 0, extra: true } });
    expect(lines.filter((line) => "card" in line).map(({ card }) => card)).toEqual(cards);
  });
});

describe("a journal", () => {
  test("settles what may have been created by asking the service, and only then sends again", async () => {
    const path = join(await temporaryFolder(), "journal");
    const header = { command: "test", account: "a" };
    const journal = await Journal.open(path, header);
    let there = false;
    let sent = 0;
    const step = {
      item: "line 1",
      sent: { a: 1 },
      send: async () => {
        sent++;
        if (sent === 1) throw new NetworkError("lost", { uncertain: true });
        return { id: "second" };
      },
      settle: async () => (there ? { id: "first" } : undefined),
    };
    expect(await new Ledger(journal).perform(step)).toMatchObject({ state: "done", id: "second" });
    expect(sent).toBe(2);
    await expect(Journal.open(path, header)).rejects.toThrow(/another process \(\d+\) is using this journal/);
    journal.close();

    // Killed after the next item was sent, before its outcome was written.
    const resumed = await Journal.open(path, header);
    const ledger = new Ledger(resumed);
    there = true;
    expect(await ledger.perform(step)).toMatchObject({ id: "second", before: true });
    expect(await ledger.perform({ ...step, item: "line 2" })).toMatchObject({ id: "first", before: false });
    there = false;
    expect(await ledger.perform({ ...step, item: "line 3" })).toMatchObject({ id: "second" });
    expect(sent).toBe(3);
    expect([...resumed.ids()]).toEqual(["second", "first"]);
    resumed.close();
  });

  test("looks again in the next run for what was looked for and not found", async () => {
    const path = join(await temporaryFolder(), "journal");
    const header = { command: "test", account: "a" };
    const refusal = new ServiceError("validation", "no", { status: 422 });
    const lost = new NetworkError("lost", { uncertain: true });
    /** A run whose first sending is lost; whether the service had done it shows only at the next. */
    const run = async (sent: unknown, failure: DeckhandError, first: DeckhandError = lost) => {
      const journal = await Journal.open(path, header);
      let sendings = 0;
      const result = await new Ledger(journal).perform({
        item: "line 1",
        sent,
        send: async () => {
          throw sendings++ === 0 ? first : failure;
        },
        settle: async () => undefined,
      });
      journal.close();
      return result;
    };
    const goOn = async (sent: unknown) => {
      const journal = await Journal.open(path, header);
      const made = { send: async () => ({ id: "made now" }), settle: async () => ({ id: "made late" }) };
      const result = await new Ledger(journal).perform({ item: "line 1", sent, ...made });
      journal.close();
      return result;
    };
    for (const failure of [lost, refusal]) {
      expect(await run({ a: 1 }, failure)).toMatchObject({ state: "failed" });
      expect(await goOn({ a: 1 })).toMatchObject({ id: "made late" });
      rmSync(path);
    }
    // A run in between that was refused at once knows no better.
    await run({ a: 1 }, refusal);
    await run({ a: 1 }, refusal, refusal);
    expect(await goOn({ a: 1 })).toMatchObject({ id: "made late" });
    rmSync(path);
    // What was mended since is another thing than what may be there.
    await run({ a: 1 }, refusal);
    expect(await goOn({ a: 2 })).toMatchObject({ id: "made now" });
  });

  test("that can't be written for a moment does not take what was made for a failure", async () => {
    const path = join(await temporaryFolder(), "journal");
    const header = { command: "test", account: "a" };
    const journal = await Journal.open(path, header);
    const record = journal.record.bind(journal);
    journal.record = (outcome) => {
      journal.record = record;
      throw new UsageError(`the journal can't be written: ${outcome.item}`);
    };
    let made = 0;
    const step = {
      item: "line 1",
      sent: { a: 1 },
      send: async () => ({ id: `made ${++made}` }),
      settle: async () => (made > 0 ? { id: `made ${made}` } : undefined),
    };
    await expect(new Ledger(journal).perform(step)).rejects.toThrow("can't be written");
    journal.close();
    const resumed = await Journal.open(path, header);
    expect(await new Ledger(resumed).perform(step)).toMatchObject({ id: "made 1", found: true });
    expect(made).toBe(1);
    resumed.close();
  });
});
