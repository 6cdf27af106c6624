import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { fakeService, type Handler, sendJson } from "../support/fake-service.ts";
import { type Deckhand, deckhand } from "../support/world.ts";

/** An account on a service that answers like this. */
async function hosted(handler: Handler): Promise<Deckhand> {
  const service = await fakeService(handler);
  onTestFinished(() => service.close());
  return deckhand({
    DECKHAND_PROFILE: "",
    DECKHAND_BASE_URL: service.url,
    DECKHAND_API_KEY: "a-key-for-this",
  });
}

/** Two cards in the deck Words, and a file beside them. */
async function collection(): Promise<{ d: Deckhand; ids: string[]; file: string }> {
  const d = await deckhand();
  await d.ok(["decks", "create", "Words"]);
  const ids: string[] = [];
  for (const front of ["one", "two"]) ids.push((await d.ok(["add", front, "x", "--deck", "Words"])).trim());
  const file = join(d.home, "note.txt");
  writeFileSync(file, "hello");
  return { d, ids, file };
}

describe("a jq expression that cannot be read is refused before anything is changed", () => {
  test("by every verb that changes something", async () => {
    const { d, ids, file } = await collection();
    const [id = ""] = ids;
    const state = () => d.ok(["api", "GET", `/cards/${id}`]);
    const lists = async () => (await d.ok(["cards", "list"])) + (await d.ok(["decks", "list"]));
    const before = [await state(), await lists(), await d.ok(["api", "GET", `/cards/${id}/attachments`])];
    for (const args of [
      ["cards", "create", "--deck", "Words", "--content", "three"],
      ["cards", "create", "--deck", "Words", "--from", "-"],
      ["cards", "archive", id],
      ["cards", "delete", id, "--yes"],
      ["decks", "update", "Words", "--name", "Other"],
      ["attach", "add", id, file],
      ["api", "DELETE", `/cards/${id}`],
    ]) {
      const ran = await d.run([...args, "--jq", ".["], { input: '{"content":"three"}' });
      expect(ran, args.join(" ")).toMatchObject({ code: 2, stdout: "" });
      expect(ran.stderr).toContain("The expression is: .[");
    }
    expect([await state(), await lists(), await d.ok(["api", "GET", `/cards/${id}/attachments`])]).toEqual(
      before,
    );
  });
});

describe("what was done is printed whatever came then", () => {
  test("through --jq, after some of several items failed", async () => {
    const { d, ids } = await collection();
    const [one = "", two = ""] = ids;
    const args = ["cards", "archive", one, "nope", two, "--jq", ".[].id"];
    expect(await d.run(args)).toMatchObject({ code: 9, stdout: `${one}\n${two}\n` });
    const got = await d.run(["cards", "get", one, "nope", "--jq", ".[].id"]);
    expect(got).toMatchObject({ code: 9, stdout: `${one}\n` });
    expect(await d.run(["cards", "get", "nope", "nopes", "--jq", "."])).toMatchObject({
      code: 4,
      stdout: "",
    });
  });

  test("with exit 9, where the jq expression fails on what was changed", async () => {
    const { d, ids } = await collection();
    const ran = await d.run(["cards", "archive", ...ids, "--jq", ".[].id.nothing"]);
    expect(ran).toMatchObject({ code: 9, stdout: "" });
    expect(ran.stderr).toContain("; the command was carried out\n");
    // What was done is shown all the same.
    for (const id of ids) expect(ran.stderr).toContain(`"id":"${id}"`);
    const create = ["cards", "create", "--deck", "Words", "--from", "-", "--jq", ".[].id.nothing"];
    const created = await d.run(create, { input: '{"content":"three"}\n{"content":"four"}\n' });
    expect(created).toMatchObject({ code: 9, stdout: "" });
    expect(created.stderr).toContain("; the command was carried out\n");
    expect(await d.ok(["cards", "list", "--count"])).toBe("4\n");
    // Nothing was done.
    expect(await d.run([...create.slice(0, -1), ".x.y"], { input: "" })).toMatchObject({ code: 2 });
    expect(await d.run(["cards", "list", "--jq", ".[].id.nothing"])).toMatchObject({ code: 2 });
  });

  test.each([
    ["api", ["api", "POST", "/decks", "--field", "name=New"]],
    ["import", ["import", "words.csv", "--deck", "Words", "--yes"]],
  ])("with exit 9 where the jq expression fails on the result of %s", async (_, args) => {
    const { d } = await collection();
    const words = join(d.home, "words.csv");
    writeFileSync(words, "front,back\nthree,x\n");
    const run = (filter: string) =>
      d.run([...args.map((arg) => (arg === "words.csv" ? words : arg)), "--jq", filter]);
    const before = await d.ok(["api", "GET", "/cards"]);
    expect(await run(".[")).toMatchObject({ code: 2 });
    expect(await d.ok(["api", "GET", "/cards"])).toBe(before);
    const ran = await run('error("no")');
    expect(ran).toMatchObject({ code: 9, stdout: "" });
    expect(ran.stderr).toContain("; the command was carried out\n");
  });

  test("with exit 9 where the jq expression fails on the result of a command that writes files", async () => {
    const { d } = await collection();
    const backup = join(d.home, "cards.tar");
    const folder = join(d.home, "cards");
    const restored = join(d.home, "restored");
    const exported = join(d.home, "cards.csv");
    for (const [args, made] of [
      [["backup", backup], backup],
      [["backup", "restore", backup, "--data", restored], restored],
      [["sync", folder], folder],
      [["export", exported], exported],
      [["serve", "key", "add", "anna", "--data", join(d.home, "served")], join(d.home, "served")],
    ] as const) {
      expect(await d.run([...args, "--jq", ".["]), args.join(" ")).toMatchObject({ code: 2, stdout: "" });
      expect(existsSync(made), made).toBe(false);
      const ran = await d.run([...args, "--jq", 'error("no")']);
      expect(ran, args.join(" ")).toMatchObject({ code: 9, stdout: "" });
      expect(ran.stderr).toContain("; the command was carried out\n");
      expect(existsSync(made), made).toBe(true);
    }
  });

  test("with exit 9, where the jq expression fails on files that were attached or removed", async () => {
    const { d, ids, file } = await collection();
    const [card = ""] = ids;
    const filter = ["--jq", 'error("no")'];
    for (const args of [
      ["add", card, file],
      ["remove", card, "note.txt"],
    ]) {
      const ran = await d.run(["attach", ...args, ...filter]);
      expect(ran).toMatchObject({ code: 9, stdout: "" });
      expect(ran.stderr).toContain("; the command was carried out\n");
    }
    expect((await d.run(["cards", "list", "--jq", ".[].id.nothing"])).stderr).not.toContain("all the same");
  });

  test("as whole JSON, after the input of --from turned out to be broken", async () => {
    const { d } = await collection();
    const create = ["cards", "create", "--deck", "Words", "--from", "-", "--output", "json"];
    const ran = await d.run(create, { input: '{"content":"three"}\n{"content":\n' });
    expect(ran.code).toBe(9);
    expect(JSON.parse(ran.stdout)).toEqual([{ line: 1, id: expect.stringMatching(/^\w{8}$/) }]);
  });

  test.each([
    [[], "c1\n"],
    [["--output", "ndjson"], '{"id":"c1"}\n'],
    [["--jq", ".id"], "c1\n"],
  ])("for a card whose file could not be stored %j", async (args, stdout) => {
    const d = await hosted((request, response) =>
      request.url?.endsWith("/cards")
        ? sendJson(response, 200, { id: "c1" })
        : sendJson(response, 413, { errors: ["too large"] }),
    );
    const file = join(d.home, "note.txt");
    writeFileSync(file, "hello");
    const ran = await d.run([
      "cards",
      "create",
      "--deck-id",
      "d",
      "--content",
      "x",
      "--attach",
      file,
      ...args,
    ]);
    expect(ran).toMatchObject({ code: 5, stdout });
    expect(ran.stderr).toContain("too large");
    if (args[0] !== "--output") expect(ran.stderr).toContain("The card c1 was created");
  });

  test("but a list that breaks off is left open, so that it does not look complete", async () => {
    let pages = 0;
    const docs = Array.from({ length: 100 }, (_, index) => ({ id: `c${index}` }));
    const d = await hosted((_request, response) =>
      pages++ === 0
        ? sendJson(response, 200, { docs, bookmark: "b" })
        : sendJson(response, 403, { errors: ["no more"] }),
    );
    const ran = await d.run(["cards", "list", "--output", "json"]);
    expect(ran.code).toBe(3);
    expect(ran.stdout).toMatch(/"id": "c99"\s*\}$/);
    pages = 0;
    expect(await d.run(["cards", "list", "--jq", "length"])).toMatchObject({ code: 3, stdout: "" });
  });
});
