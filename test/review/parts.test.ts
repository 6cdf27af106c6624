import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { displayWidth } from "../../src/output/width.ts";
import type { Loaded } from "../../src/review/ports.ts";
import { parseTags, presented, tagLine, tagsAction } from "../../src/review/session/card.ts";
import { Loader } from "../../src/review/session/loader.ts";
import { clockTime, recordedSentence, type Summary, summaryLines } from "../../src/review/session/summary.ts";
import type { Card } from "../../src/schema/index.ts";
import { Frames } from "../../src/terminal/frames.ts";
import { editLine, type LineInput, lineInput, visiblePart } from "../../src/terminal/line-input.ts";
import { type Panel, panelLines } from "../../src/terminal/view.ts";
import { waitFor } from "../support/wait-for.ts";

const key = (name: string) => (name.length === 1 ? { name, text: name } : { name });
const type = (line: LineInput, ...names: string[]): LineInput =>
  names.reduce((now, name) => editLine(now, key(name)) ?? now, line);

describe("a line that is typed", () => {
  it("is edited at the cursor, whole characters at a time", () => {
    expect(type(lineInput("ab"), "left", "x")).toEqual({ text: "axb", cursor: 2 });
    expect(type(lineInput("e\u0301👩‍👩‍👧"), "backspace")).toEqual({ text: "e\u0301", cursor: 2 });
    expect(type(lineInput("e\u0301x"), "left", "left", "delete")).toEqual({ text: "x", cursor: 0 });
    expect(type(lineInput("one two"), "ctrl-w", "ctrl-a", "z")).toEqual({ text: "zone ", cursor: 1 });
    expect(type(lineInput("one two"), "home", "right", "ctrl-k")).toEqual({ text: "o", cursor: 1 });
    expect(type(lineInput("one"), "ctrl-u")).toEqual({ text: "", cursor: 0 });
  });

  it("takes a paste on one line, and no other keys", () => {
    expect(editLine(lineInput("a"), { name: "paste", text: "b\nc\u001bd" })?.text).toBe("ab c d");
    expect(editLine(lineInput("a"), { name: "up" })).toBeUndefined();
  });

  it("always shows its cursor", () => {
    const texts = fc.string({ unit: "grapheme", maxLength: 60 });
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: 4, max: 40 }),
        fc.array(fc.constantFrom("left", "right")),
        (text, width, moves) => {
          const part = visiblePart(type(lineInput(text.replace(/\p{C}/gu, "")), ...moves), width);
          expect(part.cursor).toBeLessThan(width);
        },
      ),
    );
  });
});

describe("tags as a line", () => {
  it("are parted by spaces and commas, each once and without a leading #", () => {
    expect(parseTags("#a  b,a, c", [])).toEqual(["a", "b", "c"]);
    expect(parseTags("#a  b,a, c", ["a", "old"])).toEqual(["a", "b", "c"]);
  });

  it("are parted by commas where one of them holds a space", () => {
    expect(parseTags("#new york, b ,#b #c", ["new york"])).toEqual(["new york", "b", "c"]);
  });

  it("are parted by semicolons where one of them holds a comma, which stays whole", () => {
    const card = presented({ kind: "card", card: { id: "x", tags: ["Oslo, Norway", "c"] } as Card });
    expect(tagLine(card)).toEqual({ text: "Oslo, Norway; c", parts: "semicolons" });
    expect(tagsAction(card, "Oslo, Norway; c; new")?.after).toEqual(["Oslo, Norway", "c", "new"]);
  });

  it("change nothing where the line was not edited", () => {
    const card = presented({ kind: "card", card: { id: "x", tags: ["a, b", "c"] } as Card });
    expect(tagsAction(card, tagLine(card).text)).toBeUndefined();
    expect(tagsAction(card, "c")).toEqual({ type: "tags", before: ["a, b", "c"], after: ["c"] });
  });
});

describe("frames", () => {
  it("write only the rows that changed, and nothing if none did", () => {
    const frames = new Frames();
    expect(frames.next(["a", "b"])).toContain("\u001b[2J");
    expect(frames.next(["a", "b"])).toBe("");
    const changed = frames.next(["a", "c"]);
    expect(changed).toContain("\u001b[2;1H");
    expect(changed).not.toContain("\u001b[1;1H");
    frames.reset();
    expect(frames.next(["a", "c"])).toContain("\u001b[1;1H");
  });

  it("show the cursor where something is typed, and hide it again", () => {
    const frames = new Frames();
    expect(frames.next(["a"], { row: 0, column: 3 })).toMatch(/\u001b\[1;4H\u001b\[\?25h/);
    expect(frames.next(["a"])).toContain("\u001b[?25l");
  });
});

describe("the loader", () => {
  const card: Loaded = { kind: "card", card: { id: "x" } };

  it("fetches one card at a time, the most urgent first, and each once", async () => {
    const asked: string[] = [];
    let wanted = ["a", "b"];
    const loader = new Loader({
      load: async (id) => {
        asked.push(id);
        if (id === "a") wanted = ["c", "b"];
        return card;
      },
      wanted: () => wanted,
      loaded: () => {},
    });
    loader.poke();
    await waitFor(() => asked.length === 3, "three cards");
    loader.poke();
    expect(asked).toEqual(["a", "c", "b"]);
    loader.close();
  });

  it("continues with the next card when one cannot be fetched, and asks for it again later", async () => {
    const outcomes: string[] = [];
    let up = false;
    const loader = new Loader({
      load: async (id) => (id === "a" && !up ? { kind: "later", reason: "away" } : card),
      wanted: () => ["a", "b"],
      loaded: (id, { kind }) => void outcomes.push(`${id} ${kind}`),
      pause: 20,
    });
    loader.poke();
    await waitFor(() => outcomes.length >= 2, "both cards");
    up = true;
    await waitFor(() => outcomes.includes("a card"), "the first card again");
    expect(outcomes.slice(0, 2)).toEqual(["a later", "b card"]);
    loader.close();
  });
});

describe("a panel", () => {
  const rows = [
    { name: "Card", value: "x7Rw2kQp" },
    { name: "Deck", value: "Languages/Lesen und Schreiben/漢字を書く練習のためのカード" },
    { name: "Reviews", value: "2026-11-22 (now) remembered, due again 2026-11-25 (in 3 days)" },
  ];
  const sentence = recordedSentence({ cards: 1, recorded: "service", pending: 3 } as Summary) ?? "";

  const linesOf = (panel: Panel, columns: number) => panelLines(panel, { columns, colour: false });

  it("goes on below where a value is longer than the screen is wide, and leaves nothing out", () => {
    const lines = linesOf({ title: "Details", rows }, 40).slice(3);
    expect(lines.length).toBeGreaterThan(rows.length);
    for (const line of lines) expect(displayWidth(line)).toBeLessThan(39);
    const squeezed = (texts: readonly string[]) => texts.join("").replaceAll(" ", "");
    expect(squeezed(lines)).toBe(squeezed(rows.map(({ name, value }) => name + value)));
  });

  it("keeps its values below one another", () => {
    for (const line of linesOf({ title: "Details", rows }, 40).slice(3)) expect(line).toMatch(/^.{12}\S/);
  });

  it("shows the sentence after its rows whole", () => {
    const lines = linesOf({ title: "Done for now", rows, after: sentence }, 60);
    expect(lines.map((line) => line.trim()).join(" ")).toContain(sentence);
  });
});

describe("the summary", () => {
  const summary: Summary = {
    cards: 3,
    remembered: 2,
    forgotten: 1,
    seconds: 3725.4,
    "seconds-per-card": 12.3,
    left: 0,
    recorded: "service",
    pending: 0,
    streak: 1,
    "all-left": 15,
    tomorrow: 2,
    leeches: [],
  };

  it("is three lines: what was done, the streak, what comes", () => {
    expect(summaryLines(summary)).toEqual([
      "3 cards · 2 remembered (67 %) · 62 min",
      "Streak 1 day",
      "15 more today. 2 tomorrow.",
    ]);
    expect(summaryLines({ ...summary, "all-left": 0, seconds: 42.9 })).toEqual([
      "3 cards · 2 remembered (67 %) · 42 s",
      "Streak 1 day",
      "Done for today. 2 tomorrow.",
    ]);
    expect(summaryLines({ ...summary, "all-left": null })).toHaveLength(2);
    expect(summaryLines({ ...summary, recorded: "none", streak: null, "all-left": null })).toHaveLength(1);
    expect(clockTime(59.9)).toBe("0:59");
  });

  it("says so where no card was reviewed", () => {
    const none = { ...summary, cards: 0, remembered: 0, forgotten: 0 };
    expect(summaryLines(none)).toEqual(["No cards were reviewed."]);
    expect(recordedSentence({ ...none, recorded: "none" })).toBeUndefined();
    expect(recordedSentence({ ...none, pending: 1 })).toMatch(/1 answer waits/);
  });

  it("says where the answers are unless the service has them all", () => {
    expect(recordedSentence(summary)).toBeUndefined();
    expect(recordedSentence({ ...summary, pending: 2 })).toMatch(/2 answers wait/);
    expect(recordedSentence({ ...summary, recorded: "log" })).toMatch(/not on the service/);
    expect(recordedSentence({ ...summary, recorded: "none" })).toBe("Nothing was recorded.");
  });
});
