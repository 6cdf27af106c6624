import { describe, expect, it } from "vitest";
import { GUARD_MS, reduce, startSession } from "../../src/review/session/reducer.ts";
import type { Action, Effect, PassShape } from "../../src/review/session/state.ts";
import {
  againText,
  currentCard,
  currentPass,
  isOver,
  placeOf,
  progressOf,
  type SessionState,
  toReveal,
} from "../../src/review/session/state.ts";

const front: readonly PassShape[] = [{ id: "front", steps: 1 }];

/** A session that is driven step by step, one second an action. */
function drive(cards: Record<string, readonly PassShape[]>) {
  let at = 0;
  let ids = 0;
  let state = startSession(Object.keys(cards), at);
  const effects: Effect[] = [];
  const tick = () => {
    at += 1000;
    return at;
  };
  const session = {
    get state(): SessionState {
      return state;
    },
    effects,
    do(action: Action): Effect[] {
      const step = reduce(state, action);
      state = step.state;
      effects.push(...step.effects);
      return [...step.effects];
    },
    wait(ms: number) {
      at += ms;
    },
    load() {
      for (const [cardId, passes] of Object.entries(cards))
        session.do({ type: "loaded", cardId, passes, at });
    },
    reveal(key = "space") {
      at += 1000;
      return session.do({ type: "reveal", key, at });
    },
    grade(remembered: boolean, key = remembered ? "2" : "1") {
      at += 1000;
      ids += 1;
      return session.do({ type: "grade", remembered, id: `a${ids}`, key, at });
    },
    answer(remembered: boolean) {
      while (toReveal(state) > 0) session.reveal();
      return session.grade(remembered);
    },
    skip: () => session.do({ type: "skip", at: tick() }),
    undo: () => session.do({ type: "undo", at: tick() }),
    remove: (change: "archive" | "trash") => session.do({ type: "remove", change, at: tick() }),
    now: () => at,
  };
  return session;
}

const reviews = (effects: readonly Effect[]) =>
  effects.flatMap((e) =>
    e.type === "answered" && e.answer.review ? [[e.answer.cardId, e.answer.review.remembered]] : [],
  );

describe("the session", () => {
  it("treats ids like constructor and __proto__ as those of any card", () => {
    const ids = ["constructor", "__proto__", "toString"];
    const session = drive(Object.fromEntries(ids.map((id) => [id, front])));
    session.load();
    for (const [index, id] of ids.entries()) {
      expect(currentCard(session.state)).toBe(id);
      expect(placeOf(session.state)).toEqual({ at: index + 1, all: 3, finished: index });
      expect(ids.map((each) => progressOf(session.state.position, each) !== undefined)).toEqual(
        ids.map((_, at) => at < index),
      );
      session.answer(true);
    }
    const answered = Object.fromEntries(ids.map((id) => [id, { passes: { front: true } }]));
    const again = startSession(ids, 0, answered);
    for (const id of ids) expect(progressOf(again.position, id)?.passes).toEqual({ front: true });
  });

  it("asks each card once when all are remembered", () => {
    const session = drive({ a: front, b: front });
    session.load();
    session.answer(true);
    expect(currentCard(session.state)).toBe("b");
    session.answer(true);
    expect(isOver(session.state)).toBe(true);
    expect(reviews(session.effects)).toEqual([
      ["a", true],
      ["b", true],
    ]);
  });

  it("counts the forgotten cards that come again, until they are remembered or undone", () => {
    const session = drive({ a: front, b: front, c: front });
    session.load();
    const again = () => againText(session.state);
    expect(again()).toBe("");
    session.answer(false);
    session.answer(false);
    expect(again()).toBe(", 2 again");
    session.skip();
    session.answer(true);
    expect([currentCard(session.state), again()]).toEqual(["b", ", 1 again"]);
    session.undo();
    expect(again()).toBe(", 2 again");
    session.answer(true);
    session.answer(true);
    expect([currentCard(session.state), again()]).toEqual(["c", ""]);
  });

  it("does not grade before all is revealed", () => {
    const session = drive({ a: [{ id: "front", steps: 2 }] });
    session.load();
    expect(session.grade(true)).toEqual([]);
    session.reveal();
    expect(session.grade(true)).toEqual([]);
    session.reveal();
    expect(session.grade(true)).toHaveLength(1);
  });

  it("does not grade within 150 ms of the reveal, nor while the key that revealed is held down", () => {
    const session = drive({ a: front, b: front });
    session.load();
    const at = session.now() + 1000;
    session.do({ type: "reveal", key: "enter", at });
    for (let i = 1; i <= 20; i++)
      expect(
        session.do({ type: "grade", remembered: true, id: `x${i}`, key: "enter", at: at + i * 33 }),
      ).toEqual([]);
    const released = at + 20 * 33 + GUARD_MS;
    expect(session.do({ type: "grade", remembered: true, id: "y", key: "enter", at: released })).toHaveLength(
      1,
    );
  });

  it("holds the guard no longer for another key than the one that revealed", () => {
    const session = drive({ a: front });
    session.load();
    const at = session.now() + 1000;
    session.do({ type: "reveal", key: "space", at });
    expect(session.do({ type: "grade", remembered: true, id: "x", key: "2", at: at + 149 })).toEqual([]);
    expect(session.do({ type: "grade", remembered: true, id: "y", key: "2", at: at + 150 })).toHaveLength(1);
  });

  it("brings a forgotten card back until it is remembered, and reviews it once", () => {
    const session = drive({ a: front, b: front });
    session.load();
    session.answer(false);
    expect([...session.state.position.queue]).toEqual(["b", "a"]);
    session.answer(true);
    session.answer(false);
    session.answer(true);
    expect(isOver(session.state)).toBe(true);
    expect(reviews(session.effects)).toEqual([
      ["a", false],
      ["b", true],
    ]);
  });

  it("gives one review for a card of several passes: true after the last", () => {
    const session = drive({
      a: [
        { id: "front", steps: 1 },
        { id: "reverse", steps: 1 },
      ],
    });
    session.load();
    expect(reviews(session.answer(true))).toEqual([]);
    expect(currentPass(session.state)?.id).toBe("reverse");
    expect(reviews(session.answer(true))).toEqual([["a", true]]);
    const answer = session.effects.flatMap((e) => (e.type === "answered" ? [e.answer] : []));
    expect(answer.map(({ duration, review }) => [duration, review?.duration])).toEqual([
      [2, undefined],
      [2, 4],
    ]);
  });

  it("gives one review for a card of several passes: false at the first forgotten one", () => {
    const shapes = ["1", "2", "3"].map((id) => ({ id, steps: 1 }));
    const session = drive({ a: shapes });
    session.load();
    expect(reviews(session.answer(true))).toEqual([]);
    expect(reviews(session.answer(false))).toEqual([["a", false]]);
    expect(currentPass(session.state)?.id).toBe("3");
    session.answer(true);
    expect(currentPass(session.state)?.id).toBe("2");
    expect(reviews(session.answer(true))).toEqual([]);
    expect(isOver(session.state)).toBe(true);
  });

  it("shows the card as it was when a grade is undone, all revealed, and counts its time on", () => {
    const session = drive({ a: front, b: front });
    session.load();
    session.answer(false);
    const [effect] = session.undo();
    expect(effect?.type).toBe("taken-back");
    expect(currentCard(session.state)).toBe("a");
    expect(toReveal(session.state)).toBe(0);
    const [graded] = session.grade(true);
    expect(graded?.type === "answered" && graded.answer.duration).toBe(3);
    expect(graded?.type === "answered" && graded.answer.review).toEqual({ remembered: true, duration: 3 });
  });

  it("undoes an archived card by taking the change back", () => {
    const session = drive({ a: front, b: front });
    session.load();
    expect(session.remove("archive")).toEqual([
      { type: "change", cardId: "a", change: { archived: true }, inverse: false },
    ]);
    expect(session.undo()).toEqual([
      { type: "change", cardId: "a", change: { archived: false }, inverse: true },
    ]);
    expect([...session.state.position.queue]).toEqual(["a", "b"]);
  });

  it("skips to the end, and does nothing where there is no other card", () => {
    const session = drive({ a: front, b: front });
    session.load();
    session.skip();
    expect([...session.state.position.queue]).toEqual(["b", "a"]);
    session.answer(true);
    session.skip();
    expect([...session.state.position.queue]).toEqual(["a"]);
    expect(session.state.history).toHaveLength(2);
  });

  it("waits for a card that is not loaded, and goes on with the next if it cannot be", () => {
    const session = drive({ a: front, b: front });
    expect(session.reveal()).toEqual([]);
    expect(session.grade(true)).toEqual([]);
    session.do({ type: "unavailable", cardId: "a", at: session.now() });
    expect([...session.state.position.queue]).toEqual(["b", "a"]);
    session.do({ type: "unavailable", cardId: "b", at: session.now() });
    expect([...session.state.position.queue]).toEqual(["b", "a"]);
    session.do({ type: "loaded", cardId: "b", passes: front, at: session.now() });
    session.answer(true);
    expect(session.state.position.finished).toEqual(["b"]);
  });

  it("drops a card that was deleted, also from what undo brings back", () => {
    const session = drive({ a: front, b: front, c: front });
    session.load();
    session.skip();
    session.do({ type: "gone", cardId: "a", at: session.now() });
    session.undo();
    expect([...session.state.position.queue]).toEqual(["b", "c"]);
  });

  it("shows an edited card from its first side, also if the pass that was asked is gone", () => {
    const session = drive({ a: ["1", "2"].map((id) => ({ id, steps: 1 })) });
    session.load();
    session.answer(true);
    session.reveal();
    session.do({ type: "edited", cardId: "a", passes: [{ id: "1", steps: 1 }], at: session.now() });
    expect(toReveal(session.state)).toBe(1);
    expect(reviews(session.answer(true))).toEqual([["a", true]]);
    expect(isOver(session.state)).toBe(true);
  });

  it("keeps hints open until the pass is over or the card was edited, and opens none of a card that is all shown", () => {
    const session = drive({ a: [{ id: "front", steps: 2 }], b: front });
    session.load();
    const opened = () => session.state.position.opened;
    const open = () => session.do({ type: "hint", at: 0 });
    open();
    session.reveal();
    expect(opened()).toBe(true);
    session.skip();
    expect([currentCard(session.state), opened()]).toEqual(["b", false]);
    session.undo();
    expect([currentCard(session.state), opened()]).toEqual(["a", true]);
    session.do({ type: "edited", cardId: "a", passes: front, at: 0 });
    expect(opened()).toBe(false);
    session.reveal();
    open();
    expect(opened()).toBe(false);
  });

  it("goes on with a card of which a pass was remembered in a session broken off", () => {
    const state = reduce(startSession(["a"], 0, { a: { passes: { "1": true } } }), {
      type: "loaded",
      cardId: "a",
      passes: ["1", "2"].map((id) => ({ id, steps: 1 })),
      at: 0,
    }).state;
    expect(currentPass(state)?.id).toBe("2");
  });
});
