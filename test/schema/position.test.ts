import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { positionAfter, positionBetween } from "../../src/schema/position.ts";

const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: fc.constantFrom(..."\u0000/0Az~") }));

describe("positions", () => {
  test("fit between any two, or say that nothing can", () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        fc.pre(one !== other && other !== "" && one !== "");
        const [low, high] = one < other ? [one, other] : [other, one];
        const between = positionBetween(low, high);
        if (between === undefined)
          expect(/^\0+$/.test(high.slice(low.length)) && high.startsWith(low)).toBe(true);
        else expect(low < between && between < high).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });

  test("fit where the next one only goes on with the smallest character", () => {
    expect(positionBetween("a", "a0\0")).toBe("a0");
    expect(positionBetween("a", "a\0")).toBeUndefined();
  });

  test("come after any string", () => {
    fc.assert(fc.property(text, (before) => positionAfter(before) > before));
  });

  test("stay short over 10,000 cards in a row", () => {
    let pos = "";
    for (let card = 0; card < 10_000; card += 1) pos = positionAfter(pos);
    expect(pos.length).toBeLessThanOrEqual(8);
  });

  test("come ahead of the first card", () => {
    expect(positionBetween(undefined, "V")).toBe("F");
    expect((positionBetween(undefined, "0") ?? "") < "0").toBe(true);
  });
});
