import { describe, expect, test } from "vitest";
import { distance, nearest, nearestItems } from "../src/nearest.ts";
import { cpuTimeOf, leastBelow } from "./support/cpu-time.ts";

describe("the nearest names", () => {
  test.each([
    ["spanish", "spansih", 1],
    ["kitten", "sitting", 3],
    ["", "abc", 3],
    ["abc", "abc", 0],
    ["👩 a", "👨 a", 1],
  ])("%s and %s differ in %d letters", (a, b, letters) => {
    expect(distance(a, b, 5)).toBe(letters);
    expect(distance(b, a, 5)).toBe(letters);
  });

  test("are the most alike, the best first, whatever their case", () => {
    const names = ["Polish", "Spanish verbs", "SPANISH", "German"];
    expect(nearest("Spansih", names)).toBe("SPANISH");
    expect(nearest("verbs", names)).toBe("Spanish verbs");
    expect(nearest("xyzzy", names)).toBeUndefined();
    expect(nearest("", names)).toBeUndefined();
    expect(nearest("lst", ["list", "get", "last"])).toBe("list");
  });

  test("are found at once among long ones", async () => {
    const long = Array.from({ length: 200 }, (_, n) => ({ name: `${n}${"x".repeat(100_000)}` }));
    const work = () => expect(nearestItems("y".repeat(100_000), long)).toEqual([]);
    expect(await leastBelow(2_000, () => cpuTimeOf(work))).toBeLessThan(2_000);
  });
});
