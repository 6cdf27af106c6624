import { expect, test } from "vitest";
import { deckhand } from "../support/world.ts";

test.each([
  ["No cards found", ["cards", "list"]],
  ["No decks found", ["decks", "list"]],
  ["No decks found", ["decks", "list", "--tree"]],
  ["No templates found", ["templates", "list"]],
  ["Nothing is due", ["due", "list"]],
  ["No answers found", ["due", "log"]],
])("a list without anything says %j at a terminal, and nothing elsewhere: %j", async (sentence, args) => {
  const d = await deckhand();
  const nothing = { code: 0, stdout: "", stderr: "" };
  expect(await d.run(args, { terminal: true })).toEqual({ ...nothing, stderr: `${sentence}\n` });
  expect(await d.run(args)).toEqual(nothing);
  expect(await d.run([...args, "--quiet"], { terminal: true })).toEqual(nothing);
  if (args.includes("--tree")) return;
  expect(await d.run([...args, "-o", "json"], { terminal: true })).toEqual({ ...nothing, stdout: "[]\n" });
});
