import { describe, expect, test } from "vitest";
import { heatLevels } from "../../src/stats/heat.ts";

const days = (...counts: readonly number[]) =>
  counts.map((reviews, index) => ({ date: `2026-01-${index + 10}`, reviews, new: 0, seconds: null }));

describe("the levels of the heat map", () => {
  test.each([
    [[], []],
    [[16], [4]],
    [
      [16, 16],
      [4, 4],
    ],
    [
      [5, 16],
      [1, 4],
    ],
    [
      [1, 2, 3, 4],
      [1, 2, 3, 4],
    ],
    [
      [0, 1, 100],
      [0, 1, 4],
    ],
    [
      [20, 20, 20, 20, 5],
      [4, 4, 4, 4, 1],
    ],
  ])("of days with %j reviews are %j", (counts, expected) => {
    expect(counts.map(heatLevels(days(...counts)))).toEqual(expected);
  });
});
