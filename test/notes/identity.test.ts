import { describe, expect, test } from "vitest";
import { identify, type KnownCard, type NoteCard } from "../../src/notes/identity.ts";
import { editRandomly, type Notebook, newNotebook } from "./model.ts";

const known = (file: string, ...texts: readonly string[]): KnownCard[] =>
  texts.map((text) => ({ id: text, file, sides: text.split(" / ") }));
const found = (file: string, ...texts: readonly string[]): NoteCard[] =>
  texts.map((text) => ({ file, sides: text.split(" / ") }));

const norway = "What is the capital of Norway? / Oslo";
const sweden = "What is the capital of Sweden? / Stockholm";
const finland = "What is the capital of Finland? / Helsinki";

describe("a card of a file is known again", () => {
  test("when it stays, moves within its file, or moves to another", () => {
    const before = [...known("a.md", norway, sweden), ...known("b.md", finland)];
    const after = [...found("a.md", finland), ...found("b.md", sweden, norway)];
    expect(identify(before, after)).toEqual([finland, sweden, norway]);
  });

  test("when its lines are broken in another way", () => {
    expect(
      identify(known("a.md", norway), found("a.md", "What is the\ncapital of  Norway?  / Oslo\n")),
    ).toEqual([norway]);
  });

  test.each([
    ["its answer is completed", "What is the capital of Norway? / Oslo (Kristiania until 1925)"],
    ["its answer is another", "What is the capital of Norway? / Bergen"],
    ["its question is worded anew", "Norway's capital city is … / Oslo"],
    ["a word of each side changes", "What's the capital of Norway? / Oslo!"],
  ])("when %s", (_, edited) => {
    expect(identify(known("a.md", sweden, norway, finland), found("a.md", sweden, edited, finland))).toEqual([
      sweden,
      norway,
      finland,
    ]);
  });

  test("when its file has another name and a word of it changed", () => {
    const after = found("new.md", norway, "What is the capital of Sweden? / Stockholm, on 14 islands");
    expect(identify(known("old.md", norway, sweden), after)).toEqual([norway, sweden]);
  });

  test("when it comes back", () => {
    const gone = known("a.md", norway).map((card) => ({ ...card, gone: true }));
    expect(identify([...gone, ...known("a.md", sweden)], found("b.md", norway))).toEqual([norway]);
  });
});

describe("a card is new", () => {
  test("that replaces one of the same form", () => {
    expect(identify(known("a.md", norway, sweden), found("a.md", finland, sweden))).toEqual([
      undefined,
      sweden,
    ]);
  });

  test("that has the text of one that is still there", () => {
    expect(identify(known("a.md", norway), found("a.md", norway, norway))).toEqual([norway, undefined]);
  });

  test("that only resembles one that is gone", () => {
    const gone = known("a.md", norway).map((card) => ({ ...card, gone: true }));
    expect(identify(gone, found("a.md", "What is the capital of Norway? / Oslo, of course"))).toEqual([
      undefined,
    ]);
  });
});

test("a thousand random edits lose at most one schedule and give at most one to another card", () => {
  let [lost, taken, cards] = [0, 0, 0];
  const mistakes: string[] = [];
  let book: Notebook = newNotebook(1);
  for (let edit = 0; edit < 1000; edit++) {
    const next = editRandomly(book, edit);
    const ids = identify(next.known, next.found);
    for (const [index, id] of ids.entries()) {
      cards++;
      const truth = next.truth[index];
      if (truth !== undefined && id !== truth) lost++;
      if (id !== undefined && id !== truth) taken++;
      if (id !== truth)
        mistakes.push(
          `${edit} ${next.what}: ${JSON.stringify(next.found[index]?.sides)} is ${truth}, not ${id}`,
        );
    }
    book = next.book;
  }
  process.stdout.write(`  ${cards} cards in changed files: ${lost} schedules lost, ${taken} taken over\n`);
  expect(lost, mistakes.join("\n")).toBeLessThanOrEqual(1);
  expect(taken, mistakes.join("\n")).toBeLessThanOrEqual(1);
});

test("ten thousand cards that all change are told apart in bounded time", () => {
  const texts = Array.from({ length: 10_000 }, (_, each) => `What is fact ${each * 7919}? / Item ${each}`);
  const edited = texts.map((text) => text.replace("What is", "Which is").concat("."));
  const ids = identify(known("a.md", ...texts), found("a.md", ...edited));
  expect(ids).toEqual(texts);
});
