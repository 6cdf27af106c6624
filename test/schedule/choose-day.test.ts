import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chooseInterval, fuzzRange } from "../../src/schedule/choose-day.ts";
import { parseEasyDays } from "../../src/schedule/easy-days.ts";

const choice = { interval: 20, elapsed: 8, day: 20_000, seed: "card 1" };

describe("the day on which a card comes back", () => {
  test("is the one with the fewest cards in the range around the interval", () => {
    expect(fuzzRange(20, 8)).toEqual({ least: 17, most: 23 });
    expect(chooseInterval({ ...choice, loadOf: (day) => (day === 20_022 ? 3 : 4) })).toBe(22);
    expect(chooseInterval({ ...choice, loadOf: (day) => (day === 20_024 ? 0 : 4) })).not.toBe(24);
  });

  test("is spread by the seed among equal days, and the same for the same review", () => {
    const all = new Set(
      Array.from({ length: 200 }, (_, each) => chooseInterval({ ...choice, seed: `card ${each}` })),
    );
    expect([...all].sort()).toEqual([17, 18, 19, 20, 21, 22, 23]);
    expect(chooseInterval(choice)).toBe(chooseInterval(choice));
  });

  test("stays as it is under two and a half days", () => {
    expect([1, 2].map((interval) => chooseInterval({ ...choice, interval, elapsed: 0 }))).toEqual([1, 2]);
  });

  test("is no day off where there is another, and has its share on an easy day", () => {
    // Day 20,000 was a Friday.
    const shares = parseEasyDays("sat 50 %, sun 0");
    const loads = new Map<number, number>();
    for (let card = 0; card < 700; card++) {
      const day =
        20_000 +
        chooseInterval({ ...choice, shares, seed: `${card}`, loadOf: (each) => loads.get(each) ?? 0 });
      loads.set(day, (loads.get(day) ?? 0) + 1);
    }
    const byWeekday = [...loads].map(([day, load]) => [(day + 4) % 7, load] as const);
    const saturday = byWeekday.find(([weekday]) => weekday === 6)?.[1] ?? 0;
    const monday = byWeekday.find(([weekday]) => weekday === 1)?.[1] ?? 0;
    expect(byWeekday.some(([weekday]) => weekday === 0)).toBe(false);
    expect(saturday / monday).toBeCloseTo(0.5, 1);
    expect(chooseInterval({ ...choice, interval: 2, day: 20_000, shares: [0, 0, 0, 0, 0, 0, 0] })).toBe(2);
  });

  test("lies in the range for any loads", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4000 }), fc.nat(4000), fc.nat(), (interval, elapsed, seed) => {
        const { least, most } = fuzzRange(interval, elapsed);
        const chosen = chooseInterval({
          interval,
          elapsed,
          day: seed,
          seed: String(seed),
          loadOf: (day) => (day * seed) % 17,
        });
        expect(chosen).toBeGreaterThanOrEqual(least);
        expect(chosen).toBeLessThanOrEqual(most);
      }),
    );
  });
});

test.each([
  ["sat 50 %, sun 0", [0, 1, 1, 1, 1, 1, 0.5]],
  ["Saturday 25%", [1, 1, 1, 1, 1, 1, 0.25]],
  ["", [1, 1, 1, 1, 1, 1, 1]],
  ["sat", undefined],
  ["sat 101", undefined],
  ["day 3", undefined],
])("the easy days %j", (text, shares) => {
  expect(parseEasyDays(text)).toEqual(shares);
});
