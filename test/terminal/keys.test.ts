import { PassThrough } from "node:stream";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Key, Keys } from "../../src/terminal/keys.ts";

/** The keys of these chunks, those that came together in one list. */
async function pressed(chunks: readonly string[]): Promise<Key[][]> {
  const stdin = new PassThrough();
  const all: Key[][] = [];
  const keys = new Keys(stdin, (together) => all.push([...together]));
  keys.listen();
  for (const chunk of chunks) {
    stdin.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  // An escape waits for the rest of a sequence.
  if (chunks.at(-1)?.endsWith("\u001b")) await setTimeout(60);
  keys.stop();
  return all;
}
const names = async (...chunks: string[]) => (await pressed(chunks)).flat().map(({ name }) => name);

describe("the keys", () => {
  it("reads several keys that come at once, one by one, and gives them together", async () => {
    expect((await pressed([" 2\r1uq", "j"])).map((keys) => keys.map(({ name }) => name))).toEqual([
      ["space", "2", "enter", "1", "u", "q"],
      ["j"],
    ]);
  });

  it("reads arrows, pages and ends in the forms of all common terminals", async () => {
    const sent = "\u001b[A\u001bOB\u001b[5~\u001b[6~\u001b[H\u001b[4~\u001b[1;5C\u001b[D";
    const keys = ["up", "down", "pageup", "pagedown", "home", "end", "right", "left"];
    expect(await names(sent)).toEqual(keys);
  });

  it("reads control keys", async () => {
    const keys = ["ctrl-c", "ctrl-z", "ctrl-l", "backspace", "backspace", "tab", "enter"];
    expect(await names("\u0003\u001a\u000c\u007f\b\t\n")).toEqual(keys);
  });

  it("tells the escape key from the beginning of a sequence", async () => {
    expect(await names("\u001b")).toEqual(["escape"]);
    expect(await names("\u001b", "[B")).toEqual(["down"]);
  });

  it("types characters of any script, and capitals", async () => {
    expect(await pressed(["é漢😀G"])).toEqual([["é", "漢", "😀", "G"].map((text) => ({ name: text, text }))]);
  });

  it("leaves out focus, alt, function keys and other control characters", async () => {
    expect(await names("\u001b[I\u001bx\u001b[15~\u001b[99~\u0000\u001c2")).toEqual(
      expect.not.arrayContaining(["x", "9", "I"]),
    );
  });

  it("takes pasted text as one thing, wherever it is cut", async () => {
    const text = "1\r2q\u001b[A";
    const whole = `\u001b[200~${text}\u001b[201~u`;
    for (let cut = 1; cut < whole.length; cut++)
      expect((await pressed([whole.slice(0, cut), whole.slice(cut)])).flat()).toEqual([
        { name: "paste", text },
        { name: "u", text: "u" },
      ]);
  });

  it("reads the same keys however the input is cut", async () => {
    const sent = ["\u001b[A", "\u001bOB", "\u001b[6~", "2", " ", "\r", "é", "\u0003", "\u001b[1;2D"];
    const cuts = fc.array(fc.nat(40), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...sent), { maxLength: 12 }), cuts, async (keys, places) => {
        const whole = keys.join("");
        const at = [
          0,
          ...places.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b),
          whole.length,
        ];
        const chunks = at.slice(1).map((end, i) => whole.slice(at[i], end));
        expect(await names(...chunks.filter((chunk) => chunk !== ""))).toEqual(await names(whole));
      }),
      { numRuns: 50 },
    );
  });
});
