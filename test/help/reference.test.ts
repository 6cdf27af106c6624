import { describe, expect, test } from "vitest";
import { createStarter } from "../../src/context/create.ts";
import { referenceText } from "../../src/help/reference.ts";
import { wholeProgram } from "../../src/program.ts";
import { deckhand } from "../support/world.ts";

describe("the documentation", () => {
  test("has the command reference that the command tree gives (npm run generate)", async () => {
    const { start } = createStarter({} as Parameters<typeof createStarter>[0]);
    await expect(referenceText(await wholeProgram(start))).toMatchFileSnapshot("../../docs/reference.md");
  });

  test("says what a noun alone takes", async () => {
    const { start } = createStarter({} as Parameters<typeof createStarter>[0]);
    const [, serve = ""] = referenceText(await wholeProgram(start)).split(/^## serve$/m);
    expect(serve.split("### serve key")[0]).toMatch(
      /deckhand serve \[options\][\s\S]*--port <n>[\s\S]*deckhand serve --port 0/,
    );
  });
});

describe("help", () => {
  test.each([
    ["exit-codes", "9    some of several items failed"],
    ["environment", "DECKHAND_BASE_URL"],
    ["output", "RFC 4180"],
    ["profiles", "auth login"],
  ])("tells about %s", async (topic, part) => {
    const d = await deckhand();
    const text = await d.ok(["help", topic]);
    expect(text).toContain(part);
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(95);
  });

  test("names the topics and every command", async () => {
    const d = await deckhand();
    const text = await d.ok(["--help"]);
    for (const word of ["exit-codes", "cards", "decks", "templates", "attach", "due", "serve", "completion"])
      expect(text).toContain(word);
    expect(await d.ok(["help", "cards", "list"])).toBe(await d.ok(["cards", "list", "--help"]));
  });

  test("keeps to the width of the terminal", async () => {
    const d = await deckhand();
    for (const line of (await d.ok(["cards", "--help"], { terminal: true, columns: 60 })).split("\n"))
      expect(line.length).toBeLessThanOrEqual(60);
  });

  test.each([
    [["help", "nosuch"]],
    [["nosuch", "--help"]],
    [["help", "cards", "nosuch"]],
    [["cards", "nosuch", "--help"]],
  ])("of what is no command is an error: %j", async (args) => {
    const d = await deckhand();
    expect(await d.run(args)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining('unknown command "nosuch"'),
    });
  });

  test("calls the commands as users do, `serve` without the verb that it hides", async () => {
    const d = await deckhand();
    expect(await d.ok(["serve", "--help"])).toMatch(/^Usage: deckhand serve \[options\]\n/);
    expect((await d.run(["serve", "--port", "x"])).stderr).toContain('see "deckhand serve --help"');
    expect(await d.ok(["help", "help"])).toBe(await d.ok(["--help"]));
  });

  test.each([
    [["crads"], "cards"],
    [["cards", "lst"], "cards list"],
    [["cards", "list", "--lmit", "3"], "--limit"],
  ])("offers the nearest to a mistyped %j", async (args, near) => {
    const d = await deckhand();
    const ran = await d.run(args);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain(near);
  });
});
