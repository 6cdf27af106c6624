import fc from "fast-check";
import { expect, test } from "vitest";
import { formatDuration, parseDuration } from "../../src/config/duration.ts";

test.each([
  ["500ms", 500],
  ["30s", 30_000],
  ["2m", 120_000],
  ["1.5h", 5_400_000],
  [" 30S ", 30_000],
])("reads %s as %d ms", (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test.each(["", "30", "s", "-1s", "0s", "0.1ms", "1e3s", "30 s", "1m30s", "999999999h", "∞"])(
  "refuses %j",
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);

test("writes what it reads", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), (milliseconds) => {
      expect(parseDuration(formatDuration(milliseconds))).toBe(milliseconds);
    }),
  );
});
