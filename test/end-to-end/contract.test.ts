import { spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cli, cli, program, type Served, serve } from "../support/cli.ts";
import { type Deckhand, deckhand } from "../support/world.ts";

/** What scripts rely on (docs/design/cli.md): exit codes, what goes where, and no key anywhere. */

let home: Cli;
/** The same home, without a process for each command. */
let here: Deckhand;
let remote: Cli;
let served: Served;
let card = "";

beforeAll(async () => {
  home = cli({ DECKHAND_PROFILE: "local" });
  here = await deckhand({}, home.home);
  served = await serve(home, ["--data", join(home.home, "served")]);
  remote = cli({ DECKHAND_BASE_URL: served.url, DECKHAND_API_KEY: served.key });
  for (const each of [home, remote]) await each.ok(["decks", "create", "Geography"]);
  card = (await home.ok(["add", "--deck", "Geography", "Capital of Norway?", "Oslo"])).trim();
  await remote.ok(["add", "--deck", "Geography", "Capital of Norway?", "Oslo"]);
}, 60_000);

afterAll(async () => {
  await served.stop();
  for (const each of [home, remote]) each.remove();
});

describe("bad input", () => {
  test.each([
    [2, ["nosuch"]],
    [2, ["cards", "lst"]],
    [2, ["cards", "list", "--nosuch"]],
    [2, ["cards", "list", "--limit", "0"]],
    [2, ["cards", "list", "--limit", "1.5"]],
    [2, ["cards", "list", "--columns", "nosuch"]],
    [2, ["cards", "list", "--deck", "Geography", "--deck-id", "x"]],
    [2, ["cards", "list", "-o", "xml"]],
    [2, ["cards", "list", "--jq", ".["]],
    [4, ["cards", "archive", "nosuch", "-o", "csv"]],
    [4, ["cards", "get", "nosuch", "-o", "csv"]],
    [4, ["attach", "remove", "nosuch", "x", "-o", "csv"]],
    [2, ["cards", "list", "--timeout", "5"]],
    [2, ["cards", "get"]],
    [2, ["cards", "get", ".."]],
    [2, ["cards", "delete", "x"]],
    [2, ["cards", "edit", "x"]],
    [2, ["decks", "create", " "]],
    [2, ["decks", "create", "D", "--sort-by", "nosuch"]],
    [2, ["decks", "create", "D", "--sort", "1.5"]],
    [2, ["due", "--date", "someday"]],
    [2, ["due", "review"]],
    [2, ["api", "GET", "/../secrets"]],
    [2, ["api", "GET", "//cards"]],
    [2, ["attach", "add", "x", "/nosuch"]],
    [2, ["serve", "--port", "70000"]],
    [2, ["--profile", "nosuch", "cards", "list"]],
    [2, ["config", "set", "nosuch", "x"]],
    [2, ["completion", "csh"]],
    [4, ["cards", "get", "nosuch"]],
    [4, ["cards", "list", "--deck", "Atlantis"]],
    [4, ["cards", "create", "--deck", "Atlantis", "--content", "x"]],
    [4, ["templates", "get", "nosuch"]],
    [4, ["due", "Atlantis"]],
    [4, ["attach", "remove", "nosuch", "x"]],
    [5, ["cards", "create", "--deck-id", "nosuch", "--content", "x"]],
    [5, ["api", "POST", "/decks", "--field", "name=1"]],
  ])("ends with %i, one or two clear lines and nothing on stdout: %j", async (code, args) => {
    const ran = await here.run(args);
    expect(ran).toMatchObject({ code, stdout: "" });
    expect(ran.stderr).toMatch(/^deckhand: [^\n]+\n([^\n]+\n)?$/);
    expect(ran.stderr).not.toMatch(/\bat .*\.[cm]?[jt]s:\d+/);
  });

  test("ends the built program in the same way", async () => {
    const args = ["cards", "list", "--limit", "0"];
    expect(await home.run(args)).toEqual({ ...(await here.run(args)), signal: null });
  });

  test("is one JSON object with -o json, usage errors too", async () => {
    for (const [args, code] of [
      [["cards", "list", "--nosuch", "-o", "json"], "usage"],
      [["cards", "get", "nosuch", "-o", "ndjson"], "not-found"],
      [["cards", "create", "--deck-id", "nosuch", "--content", "x", "--output=json"], "validation"],
    ] as const) {
      const { stderr } = await here.run(args);
      expect(stderr.trim().split("\n")).toHaveLength(1);
      expect(JSON.parse(stderr)).toMatchObject({ error: { code } });
    }
  });
});

describe("a service that refuses or is away", () => {
  test.each([
    [3, { DECKHAND_API_KEY: "the-wrong-key-0123456789" }],
    [8, { DECKHAND_BASE_URL: "http://127.0.0.1:9", DECKHAND_RETRIES: "0" }],
    [3, { DECKHAND_BASE_URL: "http://192.0.2.1" }],
    [3, { DECKHAND_BASE_URL: "" }],
    [3, { DECKHAND_API_KEY: "" }],
  ])("ends with %i: %j", async (code, env) => {
    const ran = await remote.run(["cards", "list"], { env });
    expect(ran).toMatchObject({ code, stdout: "" });
    for (const key of [served.key, "the-wrong-key-0123456789"]) expect(ran.stderr).not.toContain(key);
  });

  test("shows the key in no output, whatever is asked", async () => {
    for (const args of [
      ["cards", "list", "--verbose"],
      ["auth", "status"],
      ["config", "list"],
      ["doctor"],
      ["api", "GET", "/decks", "--include"],
      ["decks", "create", "x", "--dry-run"],
    ]) {
      const ran = await remote.run(args, { env: { DECKHAND_DEBUG: "1" } });
      expect(ran.code).toBe(0);
      expect(ran.stdout + ran.stderr).not.toContain(served.key);
      expect(ran.stdout + ran.stderr).not.toContain(Buffer.from(`${served.key}:`).toString("base64"));
    }
  });
});

describe("without any configuration", () => {
  test("uses the local service without a word", async () => {
    const ran = await home.run(["cards", "list", "-o", "id"], { env: { DECKHAND_PROFILE: "" } });
    expect(ran).toMatchObject({ code: 0, stdout: `${card}\n`, stderr: "" });
  });

  test("refuses where CI is set, and leaves no collection", async () => {
    const empty = cli({ CI: "true" });
    const ran = await empty.run(["decks", "create", "Lost"]);
    expect(ran).toMatchObject({ code: 3, stdout: "" });
    expect(ran.stderr).toContain("DECKHAND_API_KEY");
    expect(existsSync(join(empty.home, "data"))).toBe(false);
    empty.remove();
  });
});

describe("in a pipe", () => {
  test("takes ids from standard input and prints those done", async () => {
    const ran = await home.run(["cards", "archive", "-"], { input: `${card}\n\n` });
    expect(ran).toMatchObject({ code: 0, stdout: `${card}\n`, stderr: "" });
    expect(await home.run(["cards", "unarchive", "-"], { input: `nosuch\n${card}\n` })).toMatchObject({
      code: 9,
      stdout: `${card}\n`,
    });
  });

  test
    .skipIf(!existsSync("/dev/full"))
    .each([
      [["decks", "list"]],
      [["cards", "list", "-o", "id"]],
      [["due", "list", "--count"]],
      [["config", "path"]],
      [["help", "cards"]],
      [["--version"]],
    ])("fails where its only line cannot be written: %j", (args) => {
    const full = openSync("/dev/full", "w");
    const { status, stderr } = spawnSync(process.execPath, [program, ...args], {
      env: home.env,
      stdio: ["ignore", full, "pipe"],
      encoding: "utf8",
    });
    closeSync(full);
    expect(status).toBe(1);
    expect(stderr).not.toContain("    at ");
    if (args[0] !== "--version")
      expect(stderr).toMatch(/^deckhand: could not write the output: ENOSPC.*\nFree space on the disk\.$/m);
  });

  test.each(["tsv", "ndjson", "json", "csv"])("ends quietly when nobody reads on (%s)", async (format) => {
    const create = ["cards", "create", "--deck", "Geography", "--content-file", "-"];
    for (let index = 0; index < 3; index += 1) await here.ok(create, { input: "x".repeat(200_000) });
    const { code, stderr } = await new Promise<{ code: number | null; stderr: string }>((done) => {
      const args = [program, "cards", "list", "--columns", "id,content", "-o", format];
      const child = spawn(process.execPath, args, { env: home.env, stdio: ["ignore", "pipe", "pipe"] });
      let said = "";
      child.stderr.on("data", (chunk) => {
        said += chunk;
      });
      child.stdout.once("data", () => child.stdout.destroy());
      child.on("close", (ended) => done({ code: ended, stderr: said }));
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});

describe("a dry run", () => {
  test.each([
    [["decks", "create", "D", "--sort", "0", "--show-sides"], { name: "D", sort: 0, "show-sides?": true }],
    [
      ["decks", "update", "Geography", "--no-archived", "--no-parent"],
      { "archived?": false, "parent-id": null },
    ],
    [["cards", "update", "c", "--no-archived", "--clear-tags"], { "archived?": false, "manual-tags": [] }],
  ])("prints the request and sends nothing: %j", async (args, body) => {
    const before = await here.ok(["decks", "list"]);
    const plan = JSON.parse(await here.ok([...args, "--dry-run", "-o", "json"]));
    expect(plan.body).toEqual(body);
    expect(await here.ok(["decks", "list"])).toBe(before);
  });
});
