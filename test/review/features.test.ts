import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commandOf, helpRows, keymap } from "../../src/review/keymap.ts";
import { presented, revealedLinks, revealedSounds } from "../../src/review/session/card.ts";
import { CardQueue } from "../../src/review/session/card-queue.ts";
import { LogFollower, lastDays, readHistory } from "../../src/review/session/history.ts";
import type { AnswerLine } from "../../src/review/session/log.ts";
import { LONGEST_SECONDS, reduce, startSession } from "../../src/review/session/reducer.ts";
import { answerToType, compareTyped, typedLines } from "../../src/review/session/typing.ts";
import { Days } from "../../src/schedule/days.ts";
import { streakOf } from "../../src/schedule/streak.ts";
import { temporaryFolder } from "../support/folder.ts";

const cardOf = (content: string) => presented({ kind: "card", card: { id: "x", content } });
const firstPass = (card: ReturnType<typeof cardOf>) => {
  const [pass] = card.presentation.passes;
  if (pass === undefined) throw new Error("no pass");
  return pass;
};

describe("what can be opened and played", () => {
  it("is only what is revealed, hidden clozes left out", () => {
    const card = cardOf(
      "[a](https://a.example) ![s](@media/q.mp3)\n---\n[b](https://b.example) ![t](@media/a.ogg)",
    );
    const pass = firstPass(card);
    const targets = (step: number) => revealedLinks(card, pass, { step }).map(({ target }) => target);
    expect(targets(0)).toEqual(["https://a.example/", "q.mp3"]);
    expect(targets(1)).toEqual(["https://a.example/", "q.mp3", "https://b.example/", "a.ogg"]);
    expect(revealedSounds(card, pass, { step: 0 })).toEqual(["q.mp3"]);
    expect(revealedSounds(card, pass, { step: 1 })).toEqual(["a.ogg"]);
    const cloze = cardOf("The {{[Volga](https://volga.example)}} and [x](https://x.example)");
    const hidden = (step: number) =>
      revealedLinks(cloze, firstPass(cloze), { step }).map(({ target }) => target);
    expect(hidden(0)).toEqual(["https://x.example/"]);
    expect(hidden(1)).toEqual(["https://volga.example/", "https://x.example/"]);
  });
});

describe("an answer that is typed", () => {
  it("is asked for clozes and sides of one short line, and for nothing else", () => {
    const typed = (content: string, step = 0) => {
      const card = cardOf(content);
      return answerToType(card, firstPass(card), step);
    };
    expect(typed("q\n---\n  **Oslo**, Norway")).toBe("Oslo, Norway");
    expect(typed("The {{Volga}} and {{Don}}")).toBe("Volga, Don");
    expect(typed("The {{1::Volga}} and {{2::Don}}")).toBe("Volga");
    expect(typed("q\n---\none\n\ntwo")).toBeUndefined();
    expect(typed(`q\n---\n${"long ".repeat(20)}`)).toBeUndefined();
    expect(typed("q\n---\n![map](@media/m.png)")).toBeUndefined();
    expect(typed("q\n---\na", 1)).toBeUndefined();
  });

  it("has no tags that are at the end of its side", () => {
    const typed = (back: string) => {
      const card = cardOf(`q\n---\n${back}`);
      return answerToType(card, firstPass(card), 0);
    };
    expect(typed("Mitochondrion #zelle")).toBe("Mitochondrion");
    expect(typed("**Mitochondrion** #zelle #organ")).toBe("Mitochondrion");
    expect(typed("Mitochondrion\n#zelle")).toBe("Mitochondrion");
    expect(typed("Mitochondrion\n\n#zelle #organ")).toBe("Mitochondrion");
    expect(typed("the #include line")).toBe("the #include line");
    expect(typed("#zelle")).toBeUndefined();
  });

  it("is compared by whole characters, spaces and the form of accents aside", () => {
    expect(compareTyped(" Malabo\n", "Malabo")).toEqual([{ kind: "same", text: "Malabo" }]);
    expect(compareTyped("e\u0301te\u0301", "été")).toEqual([{ kind: "same", text: "été" }]);
    const styles = { wrong: (text: string) => `-${text}-`, missing: (text: string) => `+${text}+` };
    const shown = (typed: string, answer: string) => typedLines(compareTyped(typed, answer), styles);
    expect(shown("Santago", "Santiago")).toEqual(["you   Santago", "card  Sant+i+ago"]);
    expect(shown("Oslow", "Oslo")).toEqual(["you   Oslo-w-", "card  Oslo"]);
    expect(shown("Oslo", "Norway")).toEqual(["you   Oslo", "card  Norway"]);
    expect(shown("Oslo ", "Oslo")).toEqual(["Right"]);
    expect(typedLines(compareTyped("Oslow", "Oslo"))).toEqual(["you   Oslow", "card  Oslo"]);
  });

  it("has in its comparison exactly what was typed and exactly the answer", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 20 }).map((each) => each.normalize("NFC").trim());
    fc.assert(
      fc.property(text, text, (typed, answer) => {
        const parts = compareTyped(typed, answer);
        const without = (kind: string) =>
          parts.flatMap((part) => (part.kind === kind ? [] : [part.text])).join("");
        const tidy = (each: string) => each.replace(/\s+/g, " ").trim().normalize("NFC");
        expect(without("missing").normalize("NFC")).toBe(tidy(typed));
        expect(without("wrong").normalize("NFC")).toBe(tidy(answer));
      }),
    );
  });
});

describe("the key map", () => {
  it("has each key once, and a help row for every command on the screen", () => {
    const keys = Object.values(keymap).flatMap((binding) => binding.keys.split(" "));
    expect(new Set(keys).size).toBe(keys.length);
    expect(commandOf("r")).toBe("remembered");
    expect(commandOf("paste")).toBeUndefined();
    expect(helpRows().length).toBeGreaterThan(helpRows(true).length);
  });
});

const line = (id: string, at: string, more: Partial<AnswerLine> = {}): AnswerLine => ({
  type: "answer",
  id,
  "card-id": id,
  "deck-id": "d",
  at,
  pass: "forward",
  "remembered?": true,
  duration: 1,
  left: 0,
  review: { date: at, "remembered?": true, duration: 1, status: "pending" },
  ...more,
});

describe("the log that other sessions append to", () => {
  it("is followed line by line, from its end, a line that is being written left for later", () => {
    const path = join(temporaryFolder(), "log.jsonl");
    const text = (id: string) => `${JSON.stringify(line(id, "2025-05-10T09:00:00.000Z"))}\n`;
    writeFileSync(path, text("before"));
    const follower = new LogFollower(path);
    const ids = () => follower.poll().map(({ id }) => id);
    expect(ids()).toEqual([]);
    const half = text("c");
    appendFileSync(path, `${text("a")}{"type":"sent","id":"a"}\n${text("b")}${half.slice(0, 20)}`);
    expect(ids()).toEqual(["a", "b"]);
    expect(ids()).toEqual([]);
    appendFileSync(path, half.slice(20));
    expect(ids()).toEqual(["c"]);
  });

  it("is followed from its beginning where it does not exist yet", () => {
    const path = join(temporaryFolder(), "log.jsonl");
    const follower = new LogFollower(path);
    expect(follower.poll()).toEqual([]);
    writeFileSync(path, `${JSON.stringify(line("a", "2025-05-10T09:00:00.000Z"))}\n`);
    expect(follower.poll()).toHaveLength(1);
  });
});

describe("the streak at the end", () => {
  const days = new Days({ timeZone: "UTC" });
  const now = Date.parse("2025-05-10T12:00:00.000Z");
  const streak = (...lines: AnswerLine[]) =>
    streakOf(
      lastDays(readHistory(lines.map((each) => JSON.stringify(each)).join("\n")), days.dayOf),
      days.dayOf(now),
    ).current;

  it("counts the user's days in a row", () => {
    const found = streak(
      line("old", "2025-05-01T12:00:00.000Z"),
      line("a", "2025-05-08T12:00:00.000Z"),
      line("b", "2025-05-10T03:59:00.000Z"),
      line("c", "2025-05-10T04:01:00.000Z"),
      line("d", "2025-05-10T05:00:00.000Z"),
    );
    expect(found).toBe(3);
  });

  it("may end yesterday, as today is not over", () => {
    expect(streak(line("a", "2025-05-08T12:00:00Z"), line("b", "2025-05-09T12:00:00Z"))).toBe(2);
    expect(streak(line("a", "2025-05-08T12:00:00Z"))).toBe(0);
    expect(streak()).toBe(0);
  });

  it("may be long", () => {
    const lines = Array.from({ length: 60 }, (_, i) =>
      line(`c${i}`, new Date(now - (59 - i) * 86_400_000).toISOString()),
    );
    expect(streak(...lines)).toBe(60);
  });
});

it("an answer counts at most a minute", () => {
  const loaded = reduce(startSession(["a"], 0), {
    type: "loaded",
    cardId: "a",
    passes: [{ id: "forward", steps: 0 }],
    at: 0,
  }).state;
  const grade = { type: "grade", remembered: true, id: "1", key: "2", at: 600_000 } as const;
  const [effect] = reduce(loaded, grade).effects;
  expect(effect).toMatchObject({
    answer: { duration: LONGEST_SECONDS, review: { duration: LONGEST_SECONDS } },
  });
});

it("the key that pages does not grade while it is held", () => {
  const loaded = reduce(startSession(["a"], 0), {
    type: "loaded",
    cardId: "a",
    passes: [{ id: "forward", steps: 0 }],
    at: 0,
  }).state;
  const paged = reduce(loaded, { type: "page", key: "space", at: 1000 }).state;
  const graded = reduce(paged, { type: "grade", remembered: true, id: "1", key: "space", at: 1030 });
  expect(graded.effects).toEqual([]);
});

it("a queue of cards has the order and contents that an array would have", () => {
  const moves = fc.array(
    fc.record({ what: fc.constantFrom("rotate", "drop", "dropFirst", "append"), n: fc.nat(9) }),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(fc.nat(8), moves, (size, all) => {
      let array = Array.from({ length: size }, (_, i) => `c${i}`);
      let queue = CardQueue.of(array);
      for (const { what, n } of all) {
        const id = what === "rotate" || what === "dropFirst" ? (array[0] ?? "none") : `c${n}`;
        const others = array.filter((each) => each !== id);
        if (what === "rotate" || what === "append") {
          array = [...others, id];
          queue = queue.withLater(id);
        } else {
          array = others;
          queue = queue.without(id);
        }
        expect([...queue]).toEqual(array);
        expect([queue.length, queue.at(0), queue.take(2), queue.includes(id)]).toEqual([
          array.length,
          array[0],
          array.slice(0, 2),
          array.includes(id),
        ]);
      }
    }),
  );
});
