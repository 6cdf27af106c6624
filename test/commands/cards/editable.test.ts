import { describe, expect, test } from "vitest";
import { editedContent, parseEditable } from "../../../src/commands/cards/editable.ts";

describe("a card in the editor", () => {
  test("keeps sides apart from the settings above them", async () => {
    expect((await parseEditable("---\ndeck: A\n---\n---\n---\nx")).content).toBe("---\n---\nx");
  });

  test.each([
    ["Oslo", "Oslo\n", "Oslo"],
    ["Oslo", "Oslo\r\n", "Oslo"],
    ["Oslo\n", "Oslo\n", "Oslo\n"],
    ["Oslo\n", "Oslo", "Oslo"],
    ["Oslo", "Oslo\n\n", "Oslo\n"],
  ])("gains no line break from the editor: %j left as %j", (before, after, content) => {
    expect(editedContent(before, after)).toBe(content);
  });

  test.each([
    ["no settings"],
    ["---\ndeck: x\nno end"],
    ["---\n- list\n---\n"],
    ["---\narchived: maybe\n---\n"],
  ])("is refused where the settings cannot be read: %j", async (text) => {
    await expect(parseEditable(text)).rejects.toThrow(/settings|must be/);
  });
});

test("settings that are not YAML are refused with the line of the text and what is wrong in plain words", async () => {
  await expect(parseEditable("---\ndeck: A\nnonsense\n---\nx")).rejects.toThrow(
    'the settings at the top are not valid YAML: line 3: a line without a colon; a setting is written as "name: value"',
  );
  await expect(parseEditable("---\ntags: [a\n---\nx")).rejects.toThrow(
    /YAML: line \d: a quote or a bracket is not closed/,
  );
});
