import fc from "fast-check";
import { expect, test } from "vitest";
import { inserter } from "../../src/transfer/formats/anki/write.ts";

test("a row goes to its id, or to the next free one", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 40 }), (ids) => {
      const taken = new Set<number>();
      const insert = inserter((id) => !taken.has(id) && taken.add(id) !== undefined);
      for (const id of ids) {
        let next = id;
        while (taken.has(next)) next += 1;
        expect(insert(id, [])).toBe(next);
      }
    }),
    { seed: 1, numRuns: 500 },
  );
});

test.each([
  ["of one instant", () => 1_000_000],
  ["three to an instant, the oldest first", (row: number) => 1_000_000 + Math.floor(row / 3)],
  ["three to an instant, the newest first", (row: number) => 1_000_000 - Math.floor(row / 3)],
  ["of the same ten days, over and over", (row: number) => 1_000_000 + (row % 10) * 86_400_000],
])("rows %s are tried at few ids each", (_name, idOf) => {
  const taken = new Set<number>();
  let tries = 0;
  const insert = inserter((id) => {
    tries += 1;
    return !taken.has(id) && taken.add(id) !== undefined;
  });
  const rows = 3000;
  for (let row = 0; row < rows; row += 1) insert(idOf(row), []);
  expect(taken.size).toBe(rows);
  expect(tries).toBeLessThan(3 * rows);
});
