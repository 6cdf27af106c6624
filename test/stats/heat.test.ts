import { describe, expect, test } from "vitest";
import { heatLevelOf, heatLevels, heatRange } from "../../src/stats/heat.ts";

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
    const levels = heatLevels(days(...counts));
    expect(counts.map((count) => heatLevelOf(count, levels))).toEqual(expected);
  });

  test.each([
    [[], []],
    [[16], ["16+"]],
    [
      [5, 16],
      ["1–15", "16+"],
    ],
    [
      [1, 2, 3, 4],
      ["1", "2", "3", "4+"],
    ],
    [
      [3, 10, 10, 20, 30],
      ["1–9", "10–19", "20+"],
    ],
  ])("of days with %j reviews are named %j", (counts, expected) => {
    expect(heatLevels(days(...counts)).map((level) => heatRange(level))).toEqual(expected);
  });
});
