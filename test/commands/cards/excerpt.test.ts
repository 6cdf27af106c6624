import { describe, expect, test } from "vitest";
import { excerpt } from "../../../src/commands/cards/excerpt.ts";
import { parseQuery } from "../../../src/search/query.ts";

/** The line of a card, with what was found in brackets. */
const shown = (content: string, query: string, width = 60) =>
  excerpt({ id: "a", content }, parseQuery(query, { span: () => undefined }), width, (text) => `[${text}]`);

describe("the line of a card that was found", () => {
  test("begins with a word before what was found", () => {
    expect(shown(`${"some words ".repeat(20)}target and more`, "target")).toBe(
      "…words some words [target] and more",
    );
  });

  test.each([
    ["katt", "En [katt] er et dyr."],
    ["dyr", "En katt er et [dyr]."],
    ["grammar", "En {{1::katt}} er et {{2::dyr}}. #[grammar] · ![](@media/flag.png) · Svar her"],
    ["katt svar", "En [katt] er et dyr. · [Svar] her"],
    ["flag", "En katt er et dyr. · ![](@media/[flag].png) · Svar her"],
  ])("is the name, and the part with what the name lacks: %s", (query, line) => {
    const content = "En {{1::katt}} er et {{2::dyr}}. #grammar\n\n![](@media/flag.png)\n---\nSvar her";
    const card = { id: "a", content, name: "En katt er et dyr." };
    const parsed = parseQuery(query, { span: () => undefined });
    expect(excerpt(card, parsed, 90, (text) => `[${text}]`)).toBe(line);
  });

  test("shows a match that has no space before it, but one after it", () => {
    expect(shown(`${"漢字".repeat(100)}首都 後\n---\n裏`, "首都")).toMatch(/^…[漢字]+\[首都\] 後 · 裏$/);
    expect(shown(`${"x".repeat(100)}-target and more`, "target")).toMatch(/^…x+-\[target\] and more$/);
  });

  test.each([60, 61, 62, 63, 64, 65, 66])("begins with a whole character, %i columns wide", (width) => {
    expect(shown(`${"😀".repeat(100)}-target`, "target", width)).toMatch(/^…(?:😀)+-\[target\]$/u);
    expect(shown(`${"e\u0323\u0331".repeat(100)}-target`, "target", width)).toMatch(
      /^…(?:e\u0323\u0331)+-\[target\]$/u,
    );
  });
});
