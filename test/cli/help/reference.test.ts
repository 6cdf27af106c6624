import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { referenceText } from "../../../scripts/reference.ts";
import { wholeProgram } from "../../../src/cli/program.ts";
import { helpTopics } from "../../../src/cli/topics.ts";
import { commandTree } from "../../../src/cli/tree.ts";
import { aboutSettings, settingNames, settings, variableOf } from "../../../src/config/settings.ts";
import { exitCodes } from "../../../src/errors.ts";
import { deckhand } from "../../support/world.ts";

describe("the documentation", () => {
  test("has the command reference that the command tree gives (npm run generate)", async () => {
    await expect(await referenceText(await wholeProgram())).toMatchFileSnapshot("../../../docs/reference.md");
  });

  test("has the options of a noun alone", async () => {
    const [, serve = ""] = (await referenceText(await wholeProgram())).split(/^## serve$/m);
    expect(serve.split("### serve key")[0]).toMatch(
      /deckhand serve \[options\][\s\S]*--port <n>[\s\S]*deckhand serve --port 0/,
    );
  });
});

describe("help", () => {
  test.each([
    ["environment", "DECKHAND_DATABASE_URL"],
    ["environment", "AWS_ENDPOINT_URL_S3"],
    ["exit-codes", "some of several items failed"],
    ["environment", "DECKHAND_BASE_URL"],
    ["output", "RFC 4180"],
    ["profiles", "auth login"],
    ["settings", "review.new-per-day"],
  ])("describes %s", async (topic, part) => {
    const d = await deckhand();
    const text = await d.ok(["help", topic]);
    expect(text).toContain(part);
  });

  test("topics have every exit code, error and variable", () => {
    const page = readFileSync("docs/ci.md", "utf8");
    for (const [name, code] of Object.entries(exitCodes))
      expect(page).toMatch(new RegExp(`\\| ${code} +\\|.*\`${name}\``));
    for (const name of settingNames) {
      const variable = variableOf(name);
      if (variable !== undefined) expect(page).toContain(`\`${variable}\``);
    }
  });

  test("about settings describes the values, the default and the scope of each", async () => {
    const text = (await (await deckhand()).ok(["help", "settings"])).replaceAll(/[\s│]+/g, " ");
    expect(text).toContain(
      "keeps one: profile, output, review.pictures, review.day-starts-at, review.player, backup.automatic, color for all profiles, the others for the profile in use",
    );
    for (const name of settingNames)
      expect(text).toContain(
        ` ${name} ${aboutSettings[name]} It is ${settings[name].mustBe}`.replaceAll("`", ""),
      );
    expect(text).toContain("a duration like 500ms, 30s or 2m; 1m if not set.");
  });

  test("names the topics and every command", async () => {
    const d = await deckhand();
    const text = await d.ok(["--help"]);
    for (const word of [
      ...Object.keys(helpTopics),
      "cards",
      "decks",
      "templates",
      "attach",
      "due",
      "serve",
      "completion",
    ])
      expect(text).toContain(word);
    expect(await d.ok(["help", "cards", "list"])).toBe(await d.ok(["cards", "list", "--help"]));
  });

  test("of the program and of every noun keeps to the width of the terminal", async () => {
    const d = await deckhand();
    for (const columns of [40, 60])
      for (const noun of ["", ...Object.keys(commandTree)]) {
        const text = await d.ok([noun, "--help"].filter(Boolean), { terminal: true, columns });
        const plain = text.replaceAll(/\u001b\[\d+m/g, "").replace(/\nExamples:\n(?:.+\n)*/, "");
        // A path or an address that is longer than a line is not broken.
        for (const line of plain.split("\n"))
          if (/\S\s+\S/.test(line.slice(0, columns + 1)))
            expect(line.length, `${noun}: ${line}`).toBeLessThanOrEqual(columns);
      }
  });

  test("of each command has examples that fit 80 columns", async () => {
    const d = await deckhand();
    const long: string[] = [];
    for (const [noun, { verbs = {} }] of Object.entries(commandTree))
      for (const args of [[noun], ...Object.keys(verbs).map((verb) => [noun, verb])]) {
        const text = await d.ok([...args, "--help"], { terminal: true, columns: 80 });
        long.push(...text.split("\n").filter((line) => line.length > 80));
      }
    expect(long).toEqual([]);
  });

  test.each(Object.keys(helpTopics))("keeps to the width of the terminal about %s", async (topic) => {
    const d = await deckhand();
    for (const columns of [40, 60, 200]) {
      const text = await d.ok(["help", topic], { terminal: true, columns });
      const plain = text.replaceAll(/\u001b\[\d+m/g, "");
      // Addresses are not taken apart, and neither is code.
      for (const line of plain.split("\n"))
        if (!/^ *https:\S+$|^ {2,}\S/.test(line))
          expect(line.length, line).toBeLessThanOrEqual(Math.min(columns, 94));
    }
  });

  test("leaves options that few need to --all", async () => {
    const d = await deckhand();
    const text = await d.ok(["cards", "list", "--help"]);
    expect(text).toContain("--limit <n>");
    expect(text).not.toContain("--bookmark");
    expect(text).toContain('"deckhand cards list --help --all" lists 2 more.');
    const all = await d.ok(["cards", "list", "--help", "--all"]);
    expect(all).toContain("--bookmark <cursor>");
    expect(await d.ok(["help", "cards", "list", "--all"])).toBe(all);
  });

  test("has its headings in bold where colour is wanted", async () => {
    const bold = "\u001b[1mExamples:\u001b[22m";
    const help = ["cards", "list", "--help"];
    const terminal = { terminal: true, columns: 80 };
    expect(await (await deckhand({ TERM: "xterm" })).ok(help, terminal)).toContain(bold);
    for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }])
      expect(await (await deckhand(env)).ok(help, terminal)).not.toContain("\u001b");
    expect(await (await deckhand()).ok([...help, "--no-color"], terminal)).not.toContain("\u001b");
    expect(await (await deckhand()).ok(help)).not.toContain("\u001b");
    expect(await (await deckhand({ DECKHAND_RETRIES: "x" })).ok(help, terminal)).toContain("Examples:");
  });

  test.each([
    [["help", "nosuch"]],
    [["nosuch", "--help"]],
    [["help", "cards", "nosuch"]],
    [["cards", "nosuch", "--help"]],
  ])("of an unknown command is an error: %j", async (args) => {
    const d = await deckhand();
    expect(await d.run(args)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining('unknown command "nosuch"'),
    });
  });

  test("names commands as users type them, `serve` without the verb that it hides", async () => {
    const d = await deckhand();
    expect(await d.ok(["serve", "--help"])).toMatch(/^Usage: deckhand serve \[options\]\n/);
    expect((await d.run(["serve", "--port", "x"])).stderr).toContain('see "deckhand serve --help"');
    expect(await d.ok(["help", "help"])).toBe(await d.ok(["--help"]));
  });

  test("is not printed for an option without its value", async () => {
    const d = await deckhand();
    for (const args of [["--jq"], ["cards", "-o"]])
      expect(await d.run(args)).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining("argument missing"),
      });
  });

  test.each([
    [["crads"], "cards"],
    [["help", "exit-code"], "deckhand help exit-codes"],
    [["cards", "lst"], "cards list"],
    [["cards", "list", "--lmit", "3"], "--limit"],
  ])("offers the nearest to a mistyped %j", async (args, near) => {
    const d = await deckhand();
    const ran = await d.run(args);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain(near);
  });
});
