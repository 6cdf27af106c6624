import { describe, expect, onTestFinished, test } from "vitest";
import { fakeService, sendJson } from "../../support/fake-service.ts";
import { startTestServer } from "../../support/service.ts";
import { type Deckhand, deckhand } from "../../support/world.ts";

const create = async (d: Deckhand, ...args: string[]) => (await d.ok(["decks", "create", ...args])).trim();
const deck = async (d: Deckhand, id: string) => JSON.parse(await d.ok(["decks", "get", id]));

describe("decks create", () => {
  test("takes a slash for a path and creates what is missing of it; escaped it is part of the name", async () => {
    const d = await deckhand();
    const [sea, odd] = [await create(d, "Geo/Seas/North Sea"), await create(d, "AC\\/DC")];
    await create(d, "A/B", "--parent", "Geo/Seas");
    expect(await deck(d, "Geo/Seas/North Sea")).toMatchObject({ id: sea, name: "North Sea" });
    expect(await deck(d, "Geo/Seas/A/B")).toMatchObject({ name: "B" });
    expect(await deck(d, odd)).toMatchObject({ name: "AC/DC" });
    expect(await d.run(["decks", "create", "a//b"])).toMatchObject({ code: 2 });
  });

  test("refuses a second deck of the same name at the same place, unless it is forced", async () => {
    const d = await deckhand();
    await create(d, "Spanish");
    const second = await d.run(["decks", "create", "Spanish"]);
    expect(second).toMatchObject({ code: 5, stdout: "" });
    expect(second.stderr).toBe(
      "deckhand: there is a deck Spanish already\n--force creates a second one; both then need their ids.\n",
    );
    await create(d, "Languages/Spanish");
    expect((await d.run(["decks", "create", "Spanish", "--parent", "Languages"])).code).toBe(5);
    await d.ok(["decks", "trash", "Languages/Spanish"]);
    await create(d, "Languages/Spanish");
    await create(d, "Spanish", "--force");
    expect((await d.run(["decks", "create", "Spanish"])).code).toBe(5);
  });

  test("and update set what a deck has otherwise than the account, and inherit takes it back", async () => {
    const d = await deckhand();
    const id = await create(d, "A", "--retention", "0.8");
    await d.ok(["decks", "update", "A", "--new-per-day", "1", "--max-per-day", "60"]);
    expect(await deck(d, id)).toMatchObject({ retention: 0.8, "new-per-day": 1, "max-per-day": 60 });
    for (const front of ["one", "two"]) await d.ok(["add", front, "x", "--deck", "A/B", "--create-deck"]);
    expect(await d.ok(["due", "--count"])).toBe("1\n");
    await d.ok(["decks", "update", "A", "--retention", "inherit", "--new-per-day", "inherit"]);
    expect(await deck(d, id)).not.toHaveProperty("retention");
    expect(await d.ok(["due", "--count"])).toBe("2\n");
    expect(await d.run(["decks", "update", "A", "--retention", "2"])).toMatchObject({ code: 2 });
    const service = await fakeService((_, response) =>
      sendJson(response, 200, { docs: [{ id: "abcd1234", name: "A", sort: 1 }] }),
    );
    onTestFinished(() => service.close());
    const hosted = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "a-key-for-this-test",
    });
    expect(await hosted.run(["decks", "update", "A", "--retention", "0.8"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("this service has no --retention of a deck"),
    });
  });

  test("sends every option as its own field, and nothing that was not given", async () => {
    const d = await deckhand();
    const parent = await create(d, "Geography");
    const plan = await d.ok([
      ...["decks", "create", "Europe", "--parent", "geography", "--sort", "-3", "--sort-by", "created-at"],
      ...["--sort-by-direction", "--cards-view", "grid", "--show-sides", "--review-reverse", "--archived"],
      ...["--trashed", "2024-11-20T23:00:00.000Z", "--dry-run", "-o", "json"],
    ]);
    expect(JSON.parse(plan)).toEqual({
      method: "POST",
      path: "/decks",
      body: {
        name: "Europe",
        "parent-id": parent,
        sort: -3,
        "sort-by": "created-at",
        "sort-by-direction": true,
        "cards-view": "grid",
        "show-sides?": true,
        "review-reverse?": true,
        "archived?": true,
        "trashed?": "2024-11-20T23:00:00.000Z",
      },
    });
    expect(JSON.parse(await d.ok(["decks", "create", "Asia", "-n", "-o", "json"])).body).toEqual({
      name: "Asia",
    });
    expect(await d.ok(["decks", "list", "--columns", "id,name"])).toBe(`${parent}\tGeography\n`);
  });

  test("accepts both spellings of lexicographically", async () => {
    const d = await deckhand();
    for (const spelling of ["lexigraphically", "lexicographically"])
      expect(await deck(d, await create(d, spelling, "--sort-by", spelling))).toMatchObject({
        "sort-by": spelling,
      });
  });

  test.each([
    [["--sort-by", "name"], "Allowed choices are none, lexigraphically, lexicographically"],
    [["--cards-view", "tiles"], "Allowed choices are list, grid, note, column"],
    [["--sort", "1.5"], "whole number"],
    [["--trashed", "someday"], "--trashed takes"],
  ])("refuses %j before anything is sent", async (options, said) => {
    const d = await deckhand();
    const { code, stdout, stderr } = await d.run(["decks", "create", "X", ...options]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(said);
    expect(await d.ok(["decks", "list"])).toBe("");
  });

  test("finds a deck by the name it was just given, without reading the list again", async () => {
    const server = await startTestServer();
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: server.url,
      DECKHAND_API_KEY: server.key,
    });
    await d.ok(["decks", "list", "--tree"]);
    await create(d, "Spanish");
    const { stderr } = await d.run(["decks", "get", "spanish", "--verbose"]);
    expect(stderr.match(/^→ .*$/gm)).toEqual([expect.stringMatching(/^→ GET \/decks\/\w{8}$/)]);
  });
});

describe("decks update", () => {
  test("sends false for --no-…, null for --no-parent, and only what is named", async () => {
    const d = await deckhand();
    await create(d, "Geography");
    const id = await create(d, "Europe", "--parent", "Geography", "--archived", "--sort", "7");
    const changed = await d.ok([
      ...["decks", "update", "Geography/Europe", "--no-parent", "--no-archived", "--no-show-sides"],
      ...["--no-review-reverse", "--no-sort-by-direction", "--name", "Old world", "-n", "-o", "json"],
    ]);
    expect(JSON.parse(changed)).toEqual({
      method: "POST",
      path: `/decks/${id}`,
      body: {
        name: "Old world",
        "parent-id": null,
        "archived?": false,
        "show-sides?": false,
        "review-reverse?": false,
        "sort-by-direction": false,
      },
    });
    await d.ok(["decks", "update", "Europe", "--no-parent"]);
    expect(await deck(d, id)).toMatchObject({ name: "Europe", sort: 7, "archived?": true });
    expect(await deck(d, id)).not.toHaveProperty("parent-id");
  });

  test("refuses to change nothing, and to give several decks one name", async () => {
    const d = await deckhand();
    await create(d, "A");
    expect(await d.run(["decks", "update", "A"])).toMatchObject({ code: 2, stdout: "" });
    expect(await d.run(["decks", "update", "A", "A", "--name", "B"])).toMatchObject({ code: 2 });
  });

  test("does not put a deck below itself", async () => {
    const d = await deckhand();
    await create(d, "A");
    await create(d, "B", "--parent", "A");
    const { code, stderr } = await d.run(["decks", "update", "A", "--parent", "B"]);
    expect(code).toBe(5);
    expect(stderr).toMatch(/^deckhand: could not change the deck: parent-id: .*\n$/);
  });
});

describe("a service that answers an update with nothing", () => {
  test("is accepted, and the deck is requested for its name", async () => {
    const names = ["Old", "New"];
    const service = await fakeService((request, response) => {
      if (request.method === "POST") return void response.writeHead(204).end(() => names.shift());
      const deck = { id: "abcd1234", name: names[0] };
      sendJson(
        response,
        200,
        request.url.startsWith("/decks?") || request.url === "/decks" ? { docs: [deck] } : deck,
      );
    });
    onTestFinished(() => service.close());
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "a-key-for-this-test",
    });
    expect(await d.ok(["decks", "update", "Old", "--name", "New"])).toBe("abcd1234\n");
    expect(await d.run(["decks", "get", "Old"])).toMatchObject({ code: 4 });
    expect(JSON.parse(await d.ok(["decks", "archive", "New", "-o", "json"]))).toEqual({ id: "abcd1234" });
  });

  test("ends with 5 where a restore had no effect", async () => {
    const service = await fakeService((request, response) => {
      const deck = { id: "abcd1234", name: "D", "trashed?": "2025-01-02T03:04:05.678Z" };
      sendJson(response, 200, request.method === "GET" && request.url === "/decks" ? { docs: [deck] } : deck);
    });
    onTestFinished(() => service.close());
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "a-key-for-this-test",
    });
    const { code, stdout, stderr } = await d.run(["decks", "restore", "D"]);
    expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
    expect(stderr).toContain("still trashed");
  });
});

describe("decks archive, trash, restore and delete", () => {
  test("set and clear the flags of many decks, by name or from standard input", async () => {
    const d = await deckhand();
    const [a, b] = [await create(d, "A"), await create(d, "B")];
    expect(await d.ok(["decks", "archive", "A", "b"])).toBe(`${a}\n${b}\n`);
    expect(await deck(d, b)).toMatchObject({ "archived?": true });
    expect(await d.ok(["decks", "unarchive", "-"], { input: `${a}\r\n\n${b}` })).toBe(`${a}\n${b}\n`);
    await d.ok(["decks", "trash", "A"], { now: () => Date.parse("2025-01-02T03:04:05.678Z") });
    expect(await deck(d, a)).toMatchObject({ "archived?": false, "trashed?": "2025-01-02T03:04:05.678Z" });
    await d.ok(["decks", "restore", "A"]);
    expect((await deck(d, a))["trashed?"] ?? null).toBeNull();
  });

  test("continue after a failure, report each with its id, and end with 9", async () => {
    const d = await deckhand();
    const a = await create(d, "A");
    const ran = await d.run(["decks", "archive", "Nope", "A", "-o", "json"]);
    expect(ran.code).toBe(9);
    expect(JSON.parse(ran.stdout)).toMatchObject([{ id: a }]);
    const errors = ran.stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).error);
    expect(errors).toMatchObject([{ code: "not-found", id: "Nope" }, { code: "partial" }]);
  });

  test("end with the reason's code if all failed for the same", async () => {
    const d = await deckhand();
    expect(await d.run(["decks", "archive", "X", "Y"])).toMatchObject({ code: 4, stdout: "" });
    const { stderr } = await d.run(["decks", "archive", "X", "Y", "--fail-fast"]);
    expect(stderr).not.toContain('"Y"');
    expect(stderr).toContain("1 of 2 failed; 1 was not tried\n");
    const input = "X\nY\nZ\n";
    const piped = await d.run(["decks", "archive", "-", "--fail-fast"], { input });
    expect(piped.stderr).toContain("1 of 3 failed; 2 were not tried\n");
    const last = await d.run(["decks", "archive", "X", "--fail-fast", "Y"]);
    expect(last.code).toBe(4);
  });

  test("delete asks for --yes off a terminal, trashes what is in the deck, and forgets the name", async () => {
    const d = await deckhand();
    const a = await create(d, "A");
    const card = (await d.ok(["add", "Q", "A", "--deck", "A"])).trim();
    const below = (await d.ok(["add", "Q", "A", "--deck", "A/B", "--create-deck"])).trim();
    const refused = await d.run(["decks", "delete", "A"]);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(
      "Delete the deck A? What is inside goes to the trash; a deck cannot be brought back.",
    );
    expect(await d.run(["decks", "delete", "A", "--yes"])).toEqual({ code: 0, stdout: `${a}\n`, stderr: "" });
    expect(await d.run(["decks", "get", "A"])).toMatchObject({ code: 4 });
    for (const id of [card, below])
      expect(JSON.parse(await d.ok(["cards", "get", id]))["trashed?"]).toEqual(expect.any(String));
    expect(await d.ok(["cards", "list", "--state", "orphaned", "--count"])).toBe("0\n");
    // Restored, what was below is a deck of its own.
    await d.ok(["decks", "restore", "B"]);
    await d.ok(["cards", "restore", below]);
    expect(await d.ok(["due", "--count"])).toBe("1\n");
  });

  test("delete names on a terminal the deck that was found, and says how many cards go with --recursive", async () => {
    const d = await deckhand();
    const a = await create(d, "A");
    for (const front of ["one", "two"]) await d.ok(["add", front, "x", "--deck", "A"]);
    const asked = await d.run(["decks", "delete", "a"], { terminal: true, input: "n", columns: 400 });
    expect(asked.stderr).toContain(`Delete the deck A (${a})?`);
    const all = await d.run(["decks", "delete", "A", "--recursive"]);
    expect(all.stderr).toContain("Delete 2 cards and 1 deck permanently?");
    const done = await d.run(["decks", "delete", "A", "--yes"], { terminal: true, columns: 400 });
    expect(done.stderr).toContain("2 cards in the trash");
  });

  test("delete --orphan leaves decks below, whose cards are asked again once they have no parent", async () => {
    const d = await deckhand();
    const card = (await d.ok(["add", "Q", "A", "--deck", "P/C/D", "--create-deck"])).trim();
    const [child = ""] = (await d.ok(["decks", "list", "--columns", "id,name"]))
      .split("\n")
      .flatMap((line) => (line.endsWith("\tC") ? [line.split("\t")[0]] : []));
    await d.ok(["decks", "delete", "P", "--yes", "--orphan"]);
    const orphaned = async () => [
      await d.ok(["cards", "list", "--state", "orphaned", "--count"]),
      (await d.ok(["cards", "list"], { terminal: true })).includes("orphaned"),
      (await d.ok(["decks", "list"], { terminal: true })).includes("orphaned"),
      (await d.ok(["decks", "list", "--tree"])).includes("(orphaned)"),
      (await d.ok(["cards", "get", card], { terminal: true })).includes("C/D (below a deleted deck)"),
    ];
    expect(await d.ok(["due", "--count"])).toBe("0\n");
    expect(await orphaned()).toEqual(["1\n", true, true, true, true]);
    await d.ok(["decks", "update", child, "--no-parent"]);
    expect(await d.ok(["due", "--count"])).toBe("1\n");
    expect(await orphaned()).toEqual(["0\n", false, false, false, false]);
  });
});

test("decks update puts a deck under another one, and back at the root", async () => {
  const d = await deckhand();
  const a = await create(d, "A");
  await create(d, "B");
  await d.ok(["decks", "update", a, "--parent", "B"]);
  expect(await deck(d, a)).toHaveProperty("parent-id");
  await d.ok(["decks", "update", a, "--no-parent"]);
  expect(await deck(d, a)).not.toHaveProperty("parent-id");
});

test("decks update --name reports the new name", async () => {
  const d = await deckhand();
  const id = await create(d, "Excel");
  const { stderr } = await d.run(["decks", "update", "Excel", "--name", "Office"], { terminal: true });
  expect(stderr).toBe(`Updated Excel (${id}): its name is Office now\n`);
});

describe("decks list", () => {
  test("has a deck above those below it on a terminal; scripts get the service's order", async () => {
    const d = await deckhand();
    for (const name of ["A", "B", "C"]) await create(d, name);
    await d.ok(["decks", "update", "A", "--parent", "C"]);
    const paths = (text: string) => text.match(/(?<!\S)(?:[ABC]|C\/A)(?!\S)/g);
    const columns = ["--columns", "deck"];
    for (const asked of [[], columns])
      expect(paths(await d.ok(["--no-color", "decks", "list", ...asked], { terminal: true }))).toEqual([
        "B",
        "C",
        "C/A",
      ]);
    expect(paths(await d.ok(["decks", "list", ...columns]))).toEqual(["C/A", "B", "C"]);
    expect(paths(await d.ok(["decks", "list", "-o", "table"]))).toEqual(["A", "B", "C"]);
    const { stderr } = await d.run(["decks", "list", "-v"], { terminal: true });
    // The page, and that there is no other.
    expect(stderr.match(/→ GET \/decks/g)).toHaveLength(2);
  });

  test("lists the decks on a terminal also where one of them cannot be looked up", async () => {
    const service = await fakeService(({ url }, response) => {
      const decks = ["one", "two"].map((id) => ({ id, name: id.toUpperCase() }));
      if (url === "/decks") return sendJson(response, 200, { docs: decks });
      if (url === "/decks/one") return sendJson(response, 200, { ...decks[0], "parent-id": null });
      sendJson(response, 500, {});
    });
    onTestFinished(() => service.close());
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "a-key-for-this-test",
      DECKHAND_RETRIES: "0",
    });
    const { code, stdout } = await d.run(["--no-color", "decks", "list"], { terminal: true });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/one +ONE[\s\S]*two +two/)]);
  });

  test("draws the tree, also where a parent was deleted", async () => {
    const d = await deckhand({ LANG: "C.UTF-8" });
    const geography = await create(d, "Geography", "--sort", "1");
    const europe = await create(d, "Europe", "--parent", "Geography", "--archived");
    const norway = await create(d, "Norway", "--parent", "Geography/Europe");
    const words = await create(d, "Words", "--sort", "0");
    expect(await d.ok(["decks", "list", "--tree"])).toBe(
      [
        `Words  ${words}`,
        `Geography  ${geography}`,
        `└── Europe  ${europe} (archived)`,
        `    └── Norway  ${norway}`,
        "",
      ].join("\n"),
    );
    await d.ok(["decks", "delete", "Europe", "--yes", "--orphan"]);
    expect(await d.ok(["decks", "list", "--tree"], { env: { LANG: "C" } })).toContain(
      `Norway  ${norway} (orphaned)\n`,
    );
  });

  test.each([
    ["-o", "json"],
    ["--columns", "id"],
    ["--jq", "."],
    ["--limit", "1"],
  ])("draws no tree with %s %s", async (...args) => {
    const d = await deckhand();
    const ran = await d.run(["decks", "list", "--tree", ...args]);
    expect(ran).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("--tree") });
  });

  test("has what is asked today of each deck and those under it in the last columns", async () => {
    const d = await deckhand();
    for (const [front, deck] of [
      ["one", "Geo"],
      ["two", "Geo/Europe/Norway"],
      ["three", "Geo/Europe"],
    ] as const)
      await d.ok(["add", front, "x", "--deck", deck, "--create-deck"]);
    await create(d, "Empty");
    const listed = (await d.ok(["decks", "list", "--columns", "name,due,new"])).trim().split("\n").toSorted();
    expect(listed).toEqual(["Empty\t0\t0", "Europe\t0\t2", "Geo\t0\t3", "Norway\t0\t1"]);
    expect(JSON.parse(await d.ok(["decks", "list", "-o", "json"]))[0]).not.toHaveProperty("due");
    expect(await d.ok(["decks", "list"])).toMatch(/^\w{8}\tGeo\t0\t\t0\t3\t3$/m);
  });

  test("stops at --limit, and says where that left some out", async () => {
    const d = await deckhand();
    const a = await create(d, "A");
    await create(d, "B");
    const list = (limit: string) => d.run(["decks", "list", "--limit", limit, "-o", "id"]);
    expect(await list("1")).toEqual({
      code: 0,
      stdout: `${a}\n`,
      stderr: "There may be more decks: --limit 1 left them out\n",
    });
    expect((await list("3")).stderr).toBe("");
  });

  test("lists more decks than a page holds, each once", async () => {
    const d = await deckhand();
    const input = Array.from({ length: 105 }, (_, sort) => sort);
    for (const sort of input) await d.ok(["api", "POST", "/decks", "--raw-field", `name=${sort}`]);
    const names = (await d.ok(["decks", "list", "--columns", "name"])).trim().split("\n");
    expect(names.map(Number)).toEqual(input);
  });

  test("refuses what a drawing cannot be", async () => {
    const d = await deckhand();
    expect(await d.run(["decks", "list", "--tree", "-o", "json"])).toMatchObject({ code: 2 });
    expect(await d.run(["decks", "list", "--tree", "--limit", "2"])).toMatchObject({ code: 2 });
    expect(await d.run(["decks", "list", "--tree"], { env: { DECKHAND_OUTPUT: "json" } })).toMatchObject({
      code: 0,
    });
  });
});

describe("naming a deck", () => {
  test("lists the candidates with their paths where a name is ambiguous", async () => {
    const d = await deckhand();
    await create(d, "Languages");
    const root = await create(d, "Spanish");
    const child = await create(d, "Spanish", "--parent", "Languages");
    const { code, stderr } = await d.run(["decks", "get", "Spanish"]);
    expect(code).toBe(2);
    expect(stderr).toContain(`${root} (/Spanish)`);
    expect(stderr).toContain(`${child} (Languages/Spanish)`);
    expect(stderr).toContain("/Name");
    expect(await deck(d, "languages/spanish")).toMatchObject({ id: child });
    expect(await deck(d, "/Spanish")).toMatchObject({ id: root });
    expect(await deck(d, "/Languages/Spanish")).toMatchObject({ id: child });
    expect((await d.run(["decks", "get", "/Nowhere"])).code).toBe(4);
  });

  test("offers the ids where candidates have the same path", async () => {
    const d = await deckhand();
    await create(d, "Spanish");
    await create(d, "Spanish", "--force");
    const { code, stderr } = await d.run(["decks", "get", "Spanish"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Give the path of the deck, /Name at the root, or its id.");
  });

  test("sends nothing for a typo, and offers the nearest name", async () => {
    const d = await deckhand();
    await create(d, "Geography");
    const { code, stdout, stderr } = await d.run(["decks", "archive", "Geogrphy"]);
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
    expect(stderr).toContain('"Geography"');
  });
});

describe("a service that gives a hundred and fifty thousand decks in one page", () => {
  test("is no more to a table or a filter than any other", async () => {
    const docs = Array.from({ length: 150_000 }, (_, at) => ({ id: `d${at}`, name: "D", sort: at }));
    const service = await fakeService((_, response) => sendJson(response, 200, { docs }));
    onTestFinished(() => service.close());
    const d = await deckhand({
      DECKHAND_PROFILE: "",
      DECKHAND_BASE_URL: service.url,
      DECKHAND_API_KEY: "a-key-for-this-test",
    });
    expect(await d.ok(["decks", "list", "--jq", "length"])).toBe("150000\n");
    expect((await d.ok(["decks", "list", "-o", "table"])).trimEnd().split("\n").length).toBeGreaterThan(
      150_000,
    );
  });
});
