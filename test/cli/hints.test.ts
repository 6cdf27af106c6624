import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findCommand, findNoun, findVerb } from "../../src/cli/find.ts";
import { commandNamed } from "../../src/cli/program.ts";

/** What errors, notes and help name between backticks or in the examples: `deckhand cards restore <the ids>`. */
function hints(): string[] {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const found = files.flatMap((name) => {
    const lines = readFileSync(join("src", name), "utf8").split("\n");
    const text = lines.filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line)).join("\n");
    return [...text.matchAll(/\\`deckhand ([a-z][^`\\\n]*)\\`|[^\\]`deckhand ([a-z][^`\n$]*)`/g)].map(
      ([, escaped, plain]) => escaped ?? plain ?? "",
    );
  });
  return [...new Set(found)].toSorted();
}

test("every command that a hint names is there, with the options that it names", async () => {
  const wrong: string[] = [];
  for (const hint of hints()) {
    const words = hint.split(/\s+/).map((word) => word.replace(/\$\{[^}]*\}?/g, "X"));
    if (words[0] === "help" || words[0] === undefined || words[0].startsWith("<")) continue;
    const invocation = findCommand(words);
    const command = await commandNamed(invocation).catch(() => undefined);
    // A noun with a verb of its own takes any word as its argument: a hint does not.
    const noun = findNoun(words[0]);
    const isVerb =
      noun?.verbs === undefined || !/^[a-z][a-z-]+$/.test(words[1] ?? "") || findVerb(noun, words[1] ?? "");
    const isKnown = command !== undefined && command.parent !== null && Boolean(isVerb);
    const options = words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.split("=")[0]);
    const names = command?.options.flatMap(({ long, short }) => [long, short]) ?? [];
    const globals = [
      "--yes",
      "--profile",
      "--base-url",
      "--help",
      "--all",
      "--verbose",
      "--dry-run",
      "--jq",
      "--output",
    ];
    if (!isKnown || options.some((name) => !names.includes(name) && !globals.includes(name ?? "")))
      wrong.push(hint);
  }
  expect(wrong).toEqual([]);
  expect(hints().length).toBeGreaterThan(40);
});
