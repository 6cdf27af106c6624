import { Buffer } from "node:buffer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { positionAfter } from "../../src/schema/position.ts";
import { positionBytes, positionText } from "../../src/service/store/positions.ts";

/** Any string of UTF-16 code units, halves of surrogate pairs included, with a liking for ones near ours. */
const anyPosition = fc.oneof(
  fc.string({
    unit: fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    minLength: 1,
    maxLength: 12,
  }),
  fc.string({ unit: fc.constantFrom("0", "1", "Z", "a", "b", "x", "y", "z"), minLength: 1, maxLength: 12 }),
);

test("creates a position after any other", () => {
  fc.assert(
    fc.property(anyPosition, (last) => positionAfter(last) > last),
    { numRuns: 5000 },
  );
});

test("leaves room before each position that it creates", () => {
  fc.assert(
    fc.property(anyPosition, (last) => {
      const next = positionAfter(last);
      const between = `${last}0V`.startsWith(next) ? `${last}0` : `${last}0V`;
      expect(next.endsWith("0")).toBe(false);
      // Something over the same digits fits between: after the last one, before the next.
      return last < between && (between < next || `${last}00V` < next);
    }),
    { numRuns: 5000 },
  );
});

test("counts on in short strings: a hundred thousand within five characters", () => {
  let pos = positionAfter(undefined);
  expect(pos).toBe("a1");
  for (let at = 0; at < 100_000; at++) {
    const next = positionAfter(pos);
    if (next <= pos) throw new Error(`${next} is not after ${pos}`);
    pos = next;
  }
  expect(pos.length).toBeLessThanOrEqual(5);
});

test.each([
  ["az", "b01"],
  ["bzz", "c001"],
  ["6V", "6Va1"],
  ["m", "ma1"],
  ["maz", "mb01"],
  ["abc", "abca1"],
  ["hello", "helloa1"],
  ["hello world", "hello worlda1"],
  ["zzz", "zzza1"],
  ["日本", "日本a1"],
  ["日本a1", "日本a2"],
])("puts after %j the position %j", (last, next) => {
  expect(positionAfter(last)).toBe(next);
});

test("does not grow when counting after a string of another make", () => {
  let pos = "zzz😀";
  for (let at = 0; at < 1000; at++) pos = positionAfter(pos);
  expect(pos.length).toBeLessThanOrEqual("zzz😀".length + 4);
});

test("handles a very long position without running out of stack or time", () => {
  const long = "z".repeat(1_000_000);
  expect(positionAfter(long) > long).toBe(true);
});

test("keeps positions as bytes that sort as their code units do, and turn back into the same string", () => {
  fc.assert(
    fc.property(anyPosition, anyPosition, (a, b) => {
      expect(positionText(positionBytes(a))).toBe(a);
      expect(Buffer.compare(positionBytes(a), positionBytes(b))).toBe(a < b ? -1 : a > b ? 1 : 0);
    }),
    { numRuns: 5000 },
  );
});
