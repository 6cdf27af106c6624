import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { plain } from "../../src/output/style.ts";
import { deckTree, type NamedDeck } from "../../src/output/tree.ts";
import { displayWidth } from "../../src/output/width.ts";
import { anyText, hostile } from "./support.ts";

const draw = (decks: readonly NamedDeck[], width = Number.POSITIVE_INFINITY, unicode = true) =>
  deckTree(decks, { width, unicode, style: plain });

const decks: NamedDeck[] = [
  { id: "d1", name: "Spanish", parent: "d0", sort: 2 },
  { id: "d2", name: "Verbs", parent: "d1", sort: 1 },
  { id: "d0", name: "Languages", parent: null, sort: 1 },
  { id: "d3", name: "French", parent: "d0", sort: 1, archived: true },
  { id: "d4", name: "Science", parent: null, sort: 0, trashed: true },
];

describe("the tree of decks", () => {
  test("has each below its parent, in the service's order", () => {
    expect(draw(decks)).toEqual([
      "Science  d4 (trashed)",
      "Languages  d0",
      "├── French  d3 (archived)",
      "└── Spanish  d1",
      "    └── Verbs  d2",
    ]);
  });

  test("can be drawn in ASCII and in little room", () => {
    expect(draw(decks, 20, false)).toEqual([
      "Science  d4",
      "Languages  d0",
      "|-- French  d3",
      "`-- Spanish  d1",
      "    `-- Verbs  d2",
    ]);
  });

  test("has decks whose parent was deleted at the root, and those in circles once", () => {
    const strange = [
      { id: "o", name: "Orphan", parent: "gone" },
      { id: "a", name: "A", parent: "b" },
      { id: "b", name: "B", parent: "a" },
      { id: "s", name: "Self", parent: "s" },
    ];
    expect(draw(strange)).toEqual(["Orphan  o (orphaned)", "A  a", "└── B  b", "Self  s"]);
  });

  test("has every deck once, within the width, without control characters", () => {
    const id = fc.constantFrom("a", "b", "c", "d", "e", "f");
    const deck = fc.record({ id, name: anyText, parent: fc.option(id), sort: fc.option(fc.integer()) });
    fc.assert(
      fc.property(
        fc.uniqueArray(deck, { selector: ({ id }) => id }),
        fc.integer({ min: 1, max: 60 }),
        (all, width) => {
          const lines = draw(all, width);
          expect(lines).toHaveLength(all.length);
          for (const line of lines) {
            expect(displayWidth(line)).toBeLessThanOrEqual(width);
            expect(line).not.toMatch(hostile);
            expect(line).not.toContain("\n");
          }
        },
      ),
    );
  });

  test("may be ten thousand decks deep", () => {
    const deep = Array.from({ length: 10_000 }, (_, n) => ({
      id: `${n}`,
      name: "x",
      parent: n ? `${n - 1}` : null,
    }));
    expect(draw(deep, 80)).toHaveLength(10_000);
  });
});
