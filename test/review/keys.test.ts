import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKeyDecoder } from "../../src/review/screen/keys.ts";

const names = (...chunks: string[]) => {
  const decoder = createKeyDecoder();
  const keys = chunks.flatMap((chunk) => decoder.push(chunk));
  return [...keys, ...decoder.flush()].map(({ name }) => name);
};

describe("the keys", () => {
  it("reads several keys that come at once, one by one", () => {
    expect(names(" 2\r1uq")).toEqual(["space", "2", "enter", "1", "u", "q"]);
  });

  it("reads arrows, pages and ends in the forms of all common terminals", () => {
    expect(names("\u001b[A\u001bOB\u001b[5~\u001b[6~\u001b[H\u001b[4~\u001b[1;5C\u001b[D")).toEqual([
      "up",
      "down",
      "pageup",
      "pagedown",
      "home",
      "end",
      "right",
      "left",
    ]);
  });

  it("reads control keys", () => {
    expect(names("\u0003\u001a\u000c\u007f\b\t\n")).toEqual([
      "ctrl-c",
      "ctrl-z",
      "ctrl-l",
      "backspace",
      "backspace",
      "tab",
      "enter",
    ]);
  });

  it("tells the escape key from the beginning of a sequence", () => {
    const decoder = createKeyDecoder();
    expect(decoder.push("\u001b")).toEqual([]);
    expect(decoder.pending()).toBe(true);
    expect(decoder.flush()).toEqual([{ name: "escape" }]);
    expect(decoder.push("\u001b")).toEqual([]);
    expect(decoder.push("[B")).toEqual([{ name: "down" }]);
    expect(names("\u001b\u001b[A")).toEqual(["escape", "up"]);
  });

  it("types characters of any script", () => {
    const decoder = createKeyDecoder();
    expect(decoder.push("é漢😀")).toEqual(["é", "漢", "😀"].map((text) => ({ name: text, text })));
  });

  it("leaves out mouse, focus, alt and unknown sequences", () => {
    expect(names("\u001b[<0;10;10M\u001b[I\u001bx\u001b[200;1x\u001b[99~2")).toEqual(["2"]);
  });

  it("takes pasted text as one thing, wherever it is cut", () => {
    const text = "1\r2q\u001b[A";
    const whole = `\u001b[200~${text}\u001b[201~u`;
    for (let cut = 1; cut < whole.length; cut++) {
      const decoder = createKeyDecoder();
      const keys = [...decoder.push(whole.slice(0, cut)), ...decoder.push(whole.slice(cut))];
      expect(keys).toEqual([
        { name: "paste", text },
        { name: "u", text: "u" },
      ]);
    }
  });

  it("reads the same keys however the input is cut", () => {
    const key = fc.constantFrom(
      "\u001b[A",
      "\u001bOB",
      "\u001b[6~",
      "2",
      " ",
      "\r",
      "é",
      "\u0003",
      "\u001b[1;2D",
    );
    fc.assert(
      fc.property(fc.array(key, { maxLength: 12 }), fc.array(fc.nat(40), { maxLength: 6 }), (keys, cuts) => {
        const whole = keys.join("");
        const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length];
        const chunks = at.slice(1).map((end, i) => whole.slice(at[i], end));
        expect(names(...chunks)).toEqual(names(whole));
      }),
    );
  });

  it("reads any input, and never keeps more than the beginning of a sequence", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (chunks) => {
        const decoder = createKeyDecoder();
        for (const chunk of chunks) decoder.push(chunk);
        decoder.flush();
        expect(decoder.pending()).toBe(false);
      }),
    );
    expect(names(`\u001b[${"1".repeat(10_000)}`, "u")).toEqual(["u"]);
  });
});
