import { expect, test } from "vitest";
import type { CardDocument } from "../../src/cards/document.ts";
import { pairAlike } from "../../src/sync/resemble.ts";

const doc = (content: string, more: Partial<CardDocument> = {}): CardDocument => ({
  ...{
    content,
    deck: "deck",
    template: null,
    pos: null,
    tags: [],
    archived: false,
    reverse: false,
    fields: {},
  },
  ...more,
});

test("documents are paired with those that resemble them most, in whatever order they come", () => {
  const ones = [
    ["distant", doc("question\nbeta\ngamma")],
    ["near", doc("question\nbeta\nalpha")],
    ["equal", doc("same")],
    ["alone", doc("nothing like it")],
  ] as const;
  const others = [
    ["edited", doc("question\nbeta\nalpha\ndelta")],
    ["tagged", doc("same", { tags: ["x"] })],
    ["placed", doc("same", { pos: "a" })],
  ] as const;
  const expected = [
    ["equal", "placed"],
    ["near", "edited"],
  ];
  expect([...pairAlike(ones, others)].sort()).toEqual(expected);
  expect([...pairAlike([...ones].reverse(), [...others].reverse())].sort()).toEqual(expected);
});
