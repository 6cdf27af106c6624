import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { manPages } from "../../../src/cli/help/man.ts";
import { wholeProgram } from "../../../src/cli/program.ts";
import { formats } from "../../../src/config/settings.ts";
import { exitCodes } from "../../../src/errors.ts";
import { temporaryFolder } from "../../support/service.ts";

const program = await wholeProgram();
const pages = manPages(program, "July 31, 2026");
const mandoc = spawnSync("mandoc", ["-T", "lint", "/dev/null"]).error === undefined;

test("there is a man page for every command, with its options and examples", () => {
  const files = pages.map(({ file }) => file);
  for (const name of ["deckhand", "deckhand-cards", "deckhand-cards-list", "deckhand-serve", "deckhand-add"])
    expect(files).toContain(`${name}.1`);
  const text = pages.find(({ file }) => file === "deckhand-cards-list.1")?.text ?? "";
  expect(text).toContain(".It Fl d , Fl -deck Ar deck");
  expect(text).toContain("deckhand cards list --deck Geography");
  // A verb that the noun alone means has no page of its own.
  expect(files).not.toContain("deckhand-sync-run.1");
  expect(pages.find(({ file }) => file === "deckhand-sync.1")?.text).toContain(
    ".Nm deckhand sync\n.Op Ar options",
  );
});

const pageOf = (name: string) => pages.find(({ file }) => file === `${name}.1`)?.text ?? "";

test("the pages have the values and defaults of options that help has", () => {
  const flat = (name: string) => pageOf(name).replaceAll("\n", " ");
  expect(flat("deckhand")).toContain(`(choices: ${formats.map((each) => `"${each}"`).join(", ")})`);
  expect(flat("deckhand-sync")).toContain('(choices: "folder", "service")');
  expect(flat("deckhand-sync")).toContain('(choices: "front", "side")');
  const described = (command: Command): string[] =>
    [...command.options.map((each) => command.createHelp().optionDescription(each))]
      .filter((text) => /\((?:choices|default): /.test(text))
      .concat(command.commands.flatMap(described));
  const all = pages.map(({ text }) => text.replaceAll("\n", " ")).join("\n");
  for (const text of described(program)) expect(all).toContain(text.replaceAll("\\", "\\e"));
});

test("the page of the program lists every exit code of an error, the others name them and refer to it", () => {
  const codes = [...new Set(Object.values(exitCodes))];
  for (const code of codes) {
    expect(pageOf("deckhand")).toContain(`\n.It ${code}\n`);
    for (const name of ["doctor", "check", "backup-verify", "sync", "import"])
      expect(pageOf(`deckhand-${name}`)).toMatch(
        new RegExp(`EXIT STATUS\\n[^.]*\\b${code}\\b[^.]*\\.\\nSee\\n\\.Xr deckhand 1`),
      );
  }
});

test("package.json lists every page, so that npm installs them from a tarball, too (npm run generate)", async () => {
  // npm expands `directories.man` only where a package is published.
  const { directories: _, man: __, ...before } = JSON.parse(readFileSync("package.json", "utf8"));
  const man = pages.map(({ file }) => `dist/man/${file}`);
  const entries = Object.entries(before).flatMap((entry) =>
    entry[0] === "files" ? [["man", man], entry] : [entry],
  );
  const text = `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../../../package.json");
});

test.skipIf(!mandoc)("mandoc -T lint has nothing to say about them", { timeout: 120_000 }, async () => {
  const folder = join(await temporaryFolder(), "man1");
  mkdirSync(folder);
  for (const { file, text } of pages) writeFileSync(join(folder, file), text);
  const paths = pages.map(({ file }) => join(folder, file));
  const { stdout } = spawnSync("mandoc", ["-T", "lint", ...paths], { encoding: "utf8" });
  // It looks for other pages where they are installed; here they have to be among those that are written.
  const complaints = stdout.split("\n").filter((line) => {
    const [, name] = /referenced manual not found: Xr (\S+) 1/.exec(line) ?? [];
    return line !== "" && !pages.some(({ file }) => file === `${name}.1`);
  });
  expect(complaints).toEqual([]);
});
