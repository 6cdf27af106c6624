import { describe, expect, test } from "vitest";
import { createStatusLine, formatBytes, statusText } from "../../src/output/status.ts";
import { displayWidth } from "../../src/output/width.ts";
import { hostile } from "./support.ts";

/** A status line on a screen of one line, with a clock of its own. */
function screen(enabled = true) {
  const state = { now: 0, written: "", ticks: new Set<() => void>() };
  const line = createStatusLine({
    enabled,
    write: (text) => {
      state.written += text;
    },
    width: () => 60,
    unicode: false,
    now: () => state.now,
    every(_milliseconds, work) {
      state.ticks.add(work);
      return () => state.ticks.delete(work);
    },
  });
  /** Lets time pass, and gives what was written meanwhile. */
  const pass = (milliseconds: number) => {
    state.now += milliseconds;
    for (const tick of state.ticks) tick();
    const { written } = state;
    state.written = "";
    return written;
  };
  return { line, pass, state };
}
const gone = "\r\x1b[K";

describe("the status line", () => {
  test("shows a task after a moment with its progress, and disappears at its end", () => {
    const { line, pass, state } = screen();
    const task = line.begin({ label: "fetching decks", total: 8, unit: "items" });
    expect(pass(200)).toBe("");
    task.advance(2);
    expect(state.written).toBe("");
    expect(pass(100)).toBe("\r\\ fetching decks 2/8 25%\x1b[K");
    task.set(8);
    expect(pass(100)).toContain("8/8 100%");
    task.end();
    expect(state.written).toBe(gone);
    expect(state.ticks.size).toBe(0);
    task.end();
    expect(state.written).toBe(gone);
  });

  test("shows nothing of what is done quickly", () => {
    const { line, pass, state } = screen();
    const task = line.begin({ label: "quick" });
    pass(100);
    task.end();
    expect(state.written).toBe("");
  });

  test("draws nothing where it is not wanted, and keeps no timer", () => {
    const { line, pass, state } = screen(false);
    const task = line.begin({ label: "hidden", total: 2 });
    task.advance();
    expect(state.ticks.size).toBe(0);
    line.above("a line\n");
    expect(pass(1000)).toBe("a line\n");
    task.end();
    expect(state.written).toBe("");
  });

  test("makes room for lines above it, and for other output", () => {
    const { line, pass, state } = screen();
    line.begin({ label: "busy" });
    pass(300);
    line.above("first\n");
    expect(state.written).toBe(`${gone}first\n\r\\ busy\x1b[K`);
    state.written = "";
    line.clear();
    line.clear();
    expect(state.written).toBe(gone);
    expect(pass(100)).toContain("busy");
  });

  test("shows the task that began last, then the one before again", () => {
    const { line, pass } = screen();
    line.begin({ label: "outer" });
    const inner = line.begin({ label: "inner" });
    expect(pass(300)).toContain("inner");
    inner.end();
    expect(pass(100)).toContain("outer");
  });
});

describe("its text", () => {
  test("never fills the line, whatever the label and the width", () => {
    for (let width = 1; width < 100; width++)
      for (const unicode of [true, false])
        for (const label of ["short", "漢字".repeat(20), "hostile \x1b[31m\n\u202e"]) {
          const task = { label, total: 1_000_000, done: 4321, unit: "bytes", begun: 0 } as const;
          const text = statusText(task, 1234, width, unicode);
          expect(displayWidth(text)).toBeLessThanOrEqual(width);
          expect(text).not.toMatch(hostile);
          expect(text).not.toContain("\n");
        }
  });

  test("shows what is done where it is not known how much there is", () => {
    const task = { label: "exporting", begun: 0, done: 1536 };
    expect(statusText({ ...task, unit: "bytes" }, 0, 50, false)).toBe("| exporting 1.5 KiB");
    expect(statusText({ ...task, unit: "items" }, 0, 50, true)).toBe("⠋ exporting 1536");
    expect(statusText(task, 0, 50, true)).toBe("⠋ exporting");
  });

  test.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1024, "1.0 KiB"],
    [1_048_575, "1.0 MiB"],
    [5 * 1024 ** 3, "5.0 GiB"],
    [3 * 1024 ** 5, "3072.0 TiB"],
  ])("has %d bytes as %s", (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });
});
