import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { manPage } from "../../../scripts/man-page.ts";
import { fullName, isHidden } from "../../../src/cli/help/text.ts";
import { wholeProgram } from "../../../src/cli/program.ts";
import { formats } from "../../../src/config/settings.ts";
import { exitCodes } from "../../../src/errors.ts";
import { temporaryFolder } from "../../support/service.ts";

const program = await wholeProgram();
const page = await manPage(program, "July 31, 2026");
const flat = page.replaceAll("\n", " ");
const mandoc = spawnSync("mandoc", ["-T", "lint", "/dev/null"]).error === undefined;

test("the man page has every command with its options, their values and defaults", () => {
  expect(page).toContain(".Ss deckhand cards list [options]\n");
  expect(page).toContain(".It Fl d , Fl -deck Ar deck");
  // A verb that the noun alone means has the noun's name.
  expect(page).toContain(".Ss deckhand sync [options]");
  expect(page).not.toContain("deckhand sync run");
  expect(flat).toContain(`(choices: ${formats.map((each) => `"${each}"`).join(", ")})`);
  const check = (command: Command, name = fullName(command)) => {
    if (isHidden(command) && command.name() !== "run") return;
    for (const option of command.options) {
      const text = command.createHelp().optionDescription(option).replaceAll("\\", "\\e");
      expect(flat, name).toContain(text);
    }
    for (const verb of command.commands) check(verb);
  };
  check(program);
});

test("the man page lists every exit code of an error and the variables", () => {
  for (const code of new Set(Object.values(exitCodes))) expect(page).toContain(`\n.It ${code}\n`);
  for (const name of ["DECKHAND_API_KEY", "NO_COLOR, FORCE_COLOR"])
    expect(page).toContain(`.It Ev ${name}\n`);
});

test("package.json names the man page", () => {
  expect(JSON.parse(readFileSync("package.json", "utf8")).man).toBe("dist/man/deckhand.1");
});

test.skipIf(!mandoc)("mandoc -T lint has nothing to say about it", { timeout: 120_000 }, async () => {
  const path = join(await temporaryFolder(), "deckhand.1");
  writeFileSync(path, page);
  const { stdout } = spawnSync("mandoc", ["-T", "lint", path], { encoding: "utf8" });
  // A bracket at the end of a heading is one of ours.
  expect(stdout.split("\n").filter((line) => !line.includes("STYLE: trailing delimiter: Ss"))).toEqual([""]);
});
