import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { onPostgres } from "../support/service.ts";
import { deckhand } from "../support/world.ts";

/** A dry run prints the requests and nothing else, as one value where JSON is wanted (docs/design/cli.md, Output). */

const archive = (id: string) => ({ method: "POST", path: `/cards/${id}`, body: { "archived?": true } });

test("a dry run of several requests is one array with json, and a line for each with ndjson", async () => {
  const d = await deckhand();
  const run = ["cards", "archive", "a", "b", "-n"];
  expect(JSON.parse(await d.ok([...run, "-o", "json"]))).toEqual([archive("a"), archive("b")]);
  const lines = (await d.ok([...run, "-o", "ndjson"])).trim().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual([archive("a"), archive("b")]);
});

test.skipIf(onPostgres)(
  "a dry run says on a terminal what it would do to the local collection; --verbose has the requests",
  async () => {
    const d = await deckhand();
    const id = (await d.ok(["add", "Q", "A", "--deck", "One", "--create-deck"])).trim();
    const run = async (...args: string[]) => (await d.run([...args, "-n"], { terminal: true })).stdout;
    expect(await run("cards", "archive", id)).toBe(`Would change a card: ${id} (archived? true)\n`);
    expect(await run("cards", "delete", id)).toBe(
      `Would remove a card and its attachments for good: ${id}\n`,
    );
    expect(await run("decks", "create", "x\u001by")).toBe('Would create a deck (name "x\\u001by")\n');
    expect(await run("cards", "archive", id, "--verbose")).toContain(`POST /cards/${id}\n`);
    expect((await d.run(["cards", "archive", id, "-n"])).stdout).toContain(`POST /cards/${id}\n`);
    expect(JSON.parse(await d.ok(["cards", "list", "-o", "json"]))[0]).not.toHaveProperty("archived?", true);
  },
);

test("a dry run that reads ids from standard input is an array, however many they are", async () => {
  const d = await deckhand();
  const run = ["cards", "archive", "-", "-n", "-o", "json"];
  expect(JSON.parse(await d.ok(run, { input: "" }))).toEqual([]);
  expect(JSON.parse(await d.ok(run, { input: "a\n" }))).toEqual([archive("a")]);
});

test("a dry run in which everything failed prints nothing", async () => {
  const d = await deckhand();
  const run = ["cards", "update", "a", "b", "--add-tag", "x", "-n", "-o", "json"];
  expect(await d.run(run)).toMatchObject({ code: 4, stdout: "" });
});

test("a dry run of one request is one object", async () => {
  const d = await deckhand();
  expect(JSON.parse(await d.ok(["cards", "archive", "a", "-n", "-o", "json"]))).toEqual(archive("a"));
});

test.each(["csv", "tsv", "table", "id"])("a dry run prints nothing of a list with %s", async (format) => {
  const d = await deckhand();
  expect(await d.ok(["cards", "archive", "a", "b", "-n", "-o", format])).toBe(
    ["a", "b"].map((id) => `POST /cards/${id}\n{\n  "archived?": true\n}\n`).join(""),
  );
});

test("a dry run goes through --jq", async () => {
  const d = await deckhand();
  expect(await d.ok(["cards", "archive", "a", "b", "-n", "--jq", ".[].path"])).toBe("/cards/a\n/cards/b\n");
  expect(await d.ok(["cards", "archive", "a", "-n", "--jq", ".method"])).toBe("POST\n");
  expect(await d.ok(["api", "POST", "/decks", "--field", "name=x", "-n", "--jq", ".body.name"])).toBe("x\n");
  expect(await d.run(["cards", "archive", "a", "-n", "--jq", ".["])).toMatchObject({ code: 2, stdout: "" });
});

test("a dry run of documents from a file is an array of requests", async () => {
  const d = await deckhand();
  const file = join(d.home, "cards.ndjson");
  const card = { content: "x", "deck-id": "aaaa1111" };
  writeFileSync(file, `${JSON.stringify(card)}\n{"content":""}\n${JSON.stringify(card)}\n`);
  const { code, stdout, stderr } = await d.run(["cards", "create", "--from", file, "-n", "-o", "json"]);
  expect(code).toBe(9);
  expect(JSON.parse(stdout)).toEqual([card, card].map((body) => ({ method: "POST", path: "/cards", body })));
  expect(stderr).toContain("line 2");
});

test.each([["mcp"], ["serve"], ["review"], ["due", "sync"]])(
  "%j is refused as a dry run",
  async (...args) => {
    const d = await deckhand();
    expect(await d.run([...args, "-n"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("dry run"),
    });
  },
);

test("the home screen is refused as a dry run", async () => {
  const d = await deckhand();
  const ran = await d.run(["-n"], { terminal: true });
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining("cannot be a dry run") });
});
