import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { Keyboard } from "../../src/output/keyboard.ts";

/** What questions read of these chunks, each of which a terminal sent at once. */
function read(...chunks: string[]): string[] {
  const stdin = new PassThrough();
  const keyboard = new Keyboard(stdin);
  keyboard.listen();
  for (const chunk of chunks) stdin.emit("data", Buffer.from(chunk));
  const keys: string[] = [];
  for (let key: unknown = keyboard.read(); typeof key === "string"; key = keyboard.read()) keys.push(key);
  return keys;
}

describe("the keyboard", () => {
  test("has a symbol for a tab within pasted text, and leaves the key Tab as it is", () => {
    expect(read("a\tb\n")).toEqual(["a", "␉", "b", "\r"]);
    expect(read("a", "\t", "b")).toEqual(["a", "\t", "b"]);
  });

  test("leaves out the marks of a bracketed paste", () => {
    expect(read("\x1b[200~a\tb\x1b[201~\r")).toEqual(["a", "␉", "b", "\r"]);
  });

  test("ends a row whose last column is empty with Enter", () => {
    expect(read("a\t\nb\t\r\n")).toEqual(["a", "␉", "\r", "b", "␉", "\r"]);
  });

  test("gives a pasted line end once, whichever way it is written", () => {
    expect(read("a\r\nb\nc\rd")).toEqual(["a", "\r", "b", "\r", "c", "\r", "d"]);
  });
});
