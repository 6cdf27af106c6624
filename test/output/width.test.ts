import fc from "fast-check";
import { expect, test } from "vitest";
import { clusters, cut, displayWidth, expandTabs, fitting, pad } from "../../src/output/width.ts";
import { cpuTimeOf, leastBelow } from "../support/cpu-time.ts";

test("measures columns, not characters", () => {
  expect(displayWidth("abc")).toBe(3);
  expect(displayWidth("日本語")).toBe(6);
  expect(displayWidth("e\u0301")).toBe(1);
  expect(displayWidth("👩‍👩‍👧‍👦")).toBe(2);
  expect(displayWidth("🇫🇷")).toBe(2);
  expect(displayWidth("می‌روم")).toBe(5);
  expect(displayWidth("\x1b[1mbold\x1b[22m")).toBe(4);
});

test("cuts between clusters and marks what is left out", () => {
  expect(cut("deckhand", 8)).toBe("deckhand");
  expect(cut("deckhands", 8)).toBe("deckhan…");
  expect(cut("日本語", 4)).toBe("日…");
  expect(cut("ne\u0301e", 2)).toBe("n…");
  expect(cut("👩‍👩‍👧‍👦👩‍👩‍👧‍👦", 3)).toBe("👩‍👩‍👧‍👦…");
  expect(cut("abc", 0)).toBe("");
});

test("cuts a megabyte without measuring it", async () => {
  const work = () => expect(cut("ö".repeat(1_000_000), 10)).toBe(`${"ö".repeat(9)}…`);
  expect(await leastBelow(200, () => cpuTimeOf(work))).toBeLessThan(200);
});

test("pads to either side and leaves what is too long", () => {
  expect(pad("日本", 6)).toBe("日本  ");
  expect(pad("日本", 6, "right")).toBe("  日本");
  expect(pad("ab", 5, "center")).toBe(" ab  ");
  expect(pad("abc", 2)).toBe("abc");
});

test("puts tabs on their stops", () => {
  expect(expandTabs("a\tb\n\tc\n日本\td")).toBe("a   b\n    c\n日本    d");
});

test("never cuts wider than asked, and clusters are the whole text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(30), (text, width) => {
      expect(displayWidth(cut(text, width))).toBeLessThanOrEqual(width);
      expect(clusters(text).join("")).toBe(text);
      expect(fitting(text, width).width).toBeLessThanOrEqual(width);
    }),
  );
});
