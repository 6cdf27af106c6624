import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { displayWidth } from "../../src/output/width.ts";
import { editText, lineInput, textRows } from "../../src/terminal/line-input.ts";

const named = "left right up down home end backspace delete enter ctrl-w ctrl-k ctrl-u".split(" ");
const key = fc.oneof(
  fc.constantFrom(...named).map((name) => ({ name })),
  fc.constantFrom("a", "é", "日", "👩‍👩‍👧", " ", "e\u0301").map((text) => ({ name: text, text })),
  fc.string().map((text) => ({ name: "paste", text })),
);

const typed = (text: string, ...names: readonly string[]) =>
  names.reduce(
    (input, name) => editText(input, { name, ...(name.length === 1 ? { text: name } : {}) }) ?? input,
    lineInput(text),
  );

describe("a text of several lines", () => {
  it("goes up and down by lines, and joins them at their ends", () => {
    expect(typed("ab\ncd\ne", "up", "x").text).toBe("ab\ncxd\ne");
    expect(typed("ab\ncd", "home", "backspace")).toEqual({ text: "abcd", cursor: 2 });
    expect(typed("ab\ncd", "up", "end", "delete").text).toBe("abcd");
    expect(typed("ab\ncd", "home", "left", "x").text).toBe("abx\ncd");
    expect(typed("ab\ncd", "up", "right", "x").text).toBe("ab\nxcd");
    expect(typed("ab", "enter", "c").text).toBe("ab\nc");
    expect(typed("\nab", "up", "ctrl-u", "x").text).toBe("x\nab");
  });

  it("keeps its cursor within the text, and shows all of it in rows that fit, whatever is typed", () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 40 }), fc.integer({ min: 4, max: 30 }), (keys, width) => {
        let input = lineInput("");
        for (const each of keys) input = editText(input, each) ?? input;
        expect(input.cursor).toBeGreaterThanOrEqual(0);
        expect(input.cursor).toBeLessThanOrEqual(input.text.length);
        const { rows, row, column } = textRows(input, width);
        for (const each of rows) expect(displayWidth(each)).toBeLessThanOrEqual(Math.max(width, 10));
        expect(row).toBeLessThan(rows.length);
        expect(column).toBeLessThanOrEqual(displayWidth(rows[row] ?? ""));
      }),
    );
  });
});
