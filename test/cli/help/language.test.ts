import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

/** Words that the project's English does without, each with what to write instead (CONTRIBUTING.md, Rules). */
const words: readonly (readonly [RegExp, string])[] = [
  [/\b(?:take[ns]?|took) down\b/, "recorded"],
  [/\btold\b/, "reported"],
  [/\btells? (?:of|about|what|how|each|whether|of)\b/, "shows, says, describes"],
  [/\bstands?\b/, "is"],
  [/\b(?:text|place[sd]?|word|type|comes?|put) .{0,20}\bbehind\b/, "after"],
  [/\bwhoever\b/, "the caller"],
  [/\bwhat is no\b/, "anything that is not"],
  [/\b(?:is|are|was|were) away\b/, "unavailable"],
  [/\b(?:is|are|was|were) gone\b/, "deleted"],
  [/\bnobody\b/, "no terminal to ask on; no one"],
  [/\banew\b/, "again"],
  [/\basked for again\b/, "requested again"],
];

const files = (folder: string, ending: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name));

/** The hits in a text, each with its line and what to write instead. */
function found(file: string, text: string): string[] {
  return words.flatMap(([word, instead]) =>
    text
      .split("\n")
      .flatMap((line, index) =>
        word.test(line) ? [`${file}:${index + 1}: ${word.exec(line)?.[0]} (${instead})`] : [],
      ),
  );
}

/** The strings and templates of a source; its other text is blank. */
const stringsOf = (source: string): string =>
  source
    .replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, " "))
    .split("\n")
    .map((line) => (line.match(/"(?:[^"\\]|\\.)*"|`[^`]*`?|^[^"`]*`|^ ?[A-Z][^;=]*$/g) ?? []).join(" "))
    .join("\n");

describe("plain words", () => {
  test("are in the guides, the README and the list of changes", () => {
    const pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", ...files("docs", /\.md$/)];
    expect(pages.flatMap((page) => found(page, readFileSync(page, "utf8")))).toEqual([]);
  });

  test("are in what the program prints", () => {
    const sources = files("src", /\.tsx?$/);
    expect(sources.flatMap((file) => found(file, stringsOf(readFileSync(file, "utf8"))))).toEqual([]);
  });
});
