import fc from "fast-check";
import { expect, test } from "vitest";
import { inTree, liveInTree, sumsInTree } from "../src/deck-tree.ts";

const id = fc.constantFrom(..."abcdefgh");
const decks = fc.uniqueArray(
  fc.record({ id, parent: fc.option(id), sort: fc.nat(3), trashed: fc.boolean() }),
  {
    selector: (deck) => deck.id,
  },
);

test("each deck comes once, below its parent, with what is under it", () => {
  fc.assert(
    fc.property(decks, fc.dictionary(id, fc.nat(9)), (all, counts) => {
      const placed = inTree(all);
      expect(placed.map(({ deck }) => deck.id).sort()).toEqual(all.map((deck) => deck.id).sort());
      const line: string[] = [];
      const under = new Map<string, number>();
      for (const { deck, depth } of placed) {
        line.splice(depth, line.length, deck.id);
        expect(line).toHaveLength(depth + 1);
        if (depth > 0) expect(deck.parent).toBe(line[depth - 1]);
        for (const each of line) under.set(each, (under.get(each) ?? 0) + (counts[deck.id] ?? 0));
      }
      const own = new Map(Object.entries(counts).map(([each, count]) => [each, { count }]));
      const sums = sumsInTree(placed, own);
      for (const { deck } of placed) expect(sums.get(deck.id)?.count ?? 0).toBe(under.get(deck.id));
    }),
  );
});

test("no live deck is under one that is in the trash or was deleted", () => {
  const line = { a: null, b: "a", c: "b", d: "gone", e: null };
  const all = Object.entries(line).map(([each, parent]) => ({ id: each, parent, trashed: each === "b" }));
  expect(liveInTree(all).map(({ deck }) => deck.id)).toEqual(["a", "e"]);
});

test("a line of a hundred thousand decks is no problem", () => {
  const all = Array.from({ length: 100_000 }, (_, index) => ({ id: `${index}`, parent: `${index - 1}` }));
  const placed = inTree(all);
  const sums = sumsInTree(placed, new Map([["99999", { count: 1 }]]));
  expect([placed.at(-1)?.depth, sums.get("0")?.count]).toEqual([99_999, 1]);
});
