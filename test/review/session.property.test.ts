import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reduce, startSession } from "../../src/review/session/reducer.ts";
import type { Action, Answer, Effect, PassShape } from "../../src/review/session/state.ts";
import {
  currentCard,
  isOver,
  type Position,
  type SessionState,
  toReveal,
} from "../../src/review/session/state.ts";

type Cards = Record<string, readonly PassShape[]>;

const shapes = fc
  .array(fc.nat(3), { minLength: 1, maxLength: 4 })
  .map((steps): readonly PassShape[] => steps.map((steps, i) => ({ id: `p${i}`, steps })));
const decks = fc
  .array(shapes, { minLength: 1, maxLength: 6 })
  .map((all): Cards => Object.fromEntries(all.map((passes, i) => [`c${i}`, passes])));

/** What can happen, with the pause before it; `n` picks a card or a change of those there are. */
const events = fc.array(
  fc.record({
    what: fc.constantFrom(
      ...(["reveal", "reveal", "remember", "remember", "forget", "hold", "skip", "undo", "archive"] as const),
      ...(["trash", "tags", "load", "gone", "kept", "unavailable", "edit", "more"] as const),
    ),
    wait: fc.constantFrom(0, 20, 149, 150, 700, 4000),
    n: fc.nat(20),
    shape: shapes,
  }),
  { maxLength: 60 },
);
type Event = typeof events extends fc.Arbitrary<(infer E)[]> ? E : never;

/** Runs events over a session; returns every state with the effects that came with it. */
function run(cards: Cards, all: readonly Event[], loadedAtStart: boolean) {
  const ids = Object.keys(cards);
  let at = 1000;
  const late = all.some(({ what }) => what === "more") ? ids.slice(1) : [];
  let state = startSession(
    ids.filter((id) => !late.includes(id)),
    at,
    {},
    late.length > 0,
  );
  const trail: { action: Action; before: SessionState; state: SessionState; effects: readonly Effect[] }[] =
    [];
  const act = (action: Action) => {
    const step = reduce(state, action);
    trail.push({ action, before: state, ...step });
    state = step.state;
  };
  const load = (cardId: string, passes = cards[cardId] ?? []) => act({ type: "loaded", cardId, passes, at });
  if (loadedAtStart) for (const id of ids) load(id);
  all.forEach(({ what, wait, n, shape }, i) => {
    at += wait;
    const cardId = ids[n % ids.length] ?? "";
    if (what === "reveal") act({ type: "reveal", key: "space", at });
    else if (what === "remember" || what === "forget")
      act({ type: "grade", remembered: what === "remember", id: `a${i}`, key: what, at });
    else if (what === "hold") act({ type: "grade", remembered: true, id: `a${i}`, key: "space", at });
    else if (what === "skip") act({ type: "skip", at });
    else if (what === "undo") act({ type: "undo", at });
    else if (what === "archive" || what === "trash") act({ type: "remove", change: what, at });
    else if (what === "tags") act({ type: "tags", before: ["b"], after: [`t${i}`], at });
    else if (what === "load") load(cardId);
    else if (what === "gone" || what === "kept") act({ type: what, cardId, at });
    else if (what === "more" && state.incomplete) act({ type: "more", cardIds: late, at });
    else if (what === "more") return;
    else if (what === "unavailable") act({ type: "unavailable", cardId, at });
    else act({ type: "edited", cardId, passes: shape, at });
  });
  return { ids, late, at, state, trail };
}

/** The answers that stand: given and not taken back. */
function standing(effects: readonly Effect[]): Answer[] {
  const answers: Answer[] = [];
  for (const effect of effects) {
    if (effect.type === "answered") {
      expect(answers.map(({ id }) => id)).not.toContain(effect.answer.id);
      answers.push(effect.answer);
    }
    if (effect.type === "taken-back") {
      expect(answers.at(-1)).toEqual(effect.answer);
      answers.pop();
    }
  }
  return answers;
}

/** A position without its clock: what undo has to bring back exactly. */
const place = ({ spent: _s, since: _c, ...rest }: Position) => rest;

const anything = [decks, events, fc.boolean()] as const;

const event = (what: Event["what"], wait: Event["wait"]): Event => ({ what, wait, n: 0, shape: [] });
/** The key that grades the last card is held down until the rest of the cards comes, loaded already. */
const heldWhileMoreCame: [Cards, Event[], boolean] = [
  { c0: [{ id: "p0", steps: 0 }], c1: [{ id: "p0", steps: 0 }] },
  [event("remember", 150), event("more", 149), event("hold", 20)],
  true,
];

describe("the session, whatever the keys", () => {
  it("keeps every card in exactly one place", () => {
    fc.assert(
      fc.property(...anything, (cards, all, loaded) => {
        const { ids, late, trail } = run(cards, all, loaded);
        for (const { state } of trail) {
          const { queue, finished, removed } = state.position;
          const gone = ids.filter((id) => state.cards[id]?.gone);
          const places = [...queue, ...finished, ...removed, ...gone.filter((id) => !finished.includes(id))];
          expect([...places].sort()).toEqual(ids.filter((id) => !state.incomplete || !late.includes(id)));
        }
      }),
      { numRuns: 500 },
    );
  });

  it("loses and doubles no answer: the state counts exactly the answers that stand", () => {
    fc.assert(
      fc.property(...anything, (cards, all, loaded) => {
        const { state, trail } = run(cards, all, loaded);
        const answers = standing(trail.flatMap(({ effects }) => effects));
        const counted = Object.entries(state.position.progress).flatMap(([cardId, { review }]) =>
          review === undefined ? [] : [[cardId, review]],
        );
        const reviewed = answers.flatMap(({ cardId, review }) =>
          review ? [[cardId, review.remembered]] : [],
        );
        expect(reviewed.sort()).toEqual(counted.sort());
        for (const [cardId, { passes, seconds }] of Object.entries(state.position.progress)) {
          const own = answers.filter((a) => a.cardId === cardId);
          expect(passes).toEqual(Object.fromEntries(own.map(({ pass, remembered }) => [pass, remembered])));
          expect(seconds).toBeCloseTo(own.reduce((sum, { duration }) => sum + duration, 0));
        }
      }),
      { numRuns: 500 },
    );
  });

  it("takes a grade only when all has been revealed for 150 ms, and once a key", () => {
    fc.assert(
      fc.property(...anything, (cards, all, loaded) => {
        let appeared = Number.NEGATIVE_INFINITY;
        for (const { action, before, state, effects } of run(cards, all, loaded).trail) {
          const answered = effects.filter(({ type }) => type === "answered");
          expect(answered.length).toBeLessThanOrEqual(1);
          if (answered.length === 1) {
            expect(action.type).toBe("grade");
            expect(toReveal(before)).toBe(0);
            expect(action.at - appeared).toBeGreaterThanOrEqual(150);
          }
          if (
            currentCard(before) !== currentCard(state) ||
            before.position.step !== state.position.step ||
            before.position.progress !== state.position.progress
          )
            appeared = action.at;
        }
      }),
      { numRuns: 500, examples: [heldWhileMoreCame] },
    );
  });

  it("asks a card another way only after five others, or as many as there are", () => {
    const answers = fc.array(fc.boolean(), { maxLength: 60 });
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 }),
        answers,
        (cards, grades) => {
          const ids = cards.map((_, index) => `c${index}`);
          let [state, at] = [startSession(ids, 0), 0];
          for (const [index, passes] of cards.entries())
            state = reduce(state, {
              type: "loaded",
              cardId: `c${index}`,
              passes: Array.from({ length: passes }, (_, pass) => ({ id: `p${pass}`, steps: 0 })),
              at,
            }).state;
          const asked: string[] = [];
          for (const [index, remembered] of grades.entries()) {
            const cardId = currentCard(state);
            if (cardId === undefined) break;
            const left = state.position.queue.length - 1;
            const before = asked.slice(asked.lastIndexOf(cardId) + 1);
            if (asked.includes(cardId))
              expect(new Set(before).size).toBeGreaterThanOrEqual(Math.min(5, left));
            asked.push(cardId);
            at += 1000;
            state = reduce(state, { type: "grade", remembered, id: `a${index}`, key: `${index}`, at }).state;
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it("undoes exactly: as many undos as actions lead back through every position", () => {
    const undoable = events.map((all) =>
      all.filter(({ what }) => !["gone", "kept", "unavailable", "edit", "more"].includes(what)),
    );
    fc.assert(
      fc.property(decks, undoable, (cards, all) => {
        const {
          state: end,
          trail,
          at,
        } = run(
          cards,
          all.filter(({ what }) => what !== "undo"),
          true,
        );
        const moves = trail.filter(({ before, state }) => state.history.length > before.history.length);
        let state = end;
        const inverses: Effect[] = [];
        for (const { before, action } of [...moves].reverse()) {
          const step = reduce(state, { type: "undo", at: at + 1 });
          // Reveals are not undone: tags move nothing, everything else goes back to where it was done.
          if (action.type !== "tags") expect(place(step.state.position)).toEqual(place(before.position));
          expect(step.state.history).toEqual(before.history);
          inverses.push(...step.effects);
          state = step.state;
        }
        expect(state.history).toEqual([]);
        const forward = trail.flatMap(({ effects }) => effects);
        expect(inverses.map(opposite).reverse()).toEqual(forward.map(({ ...effect }) => forget(effect)));
      }),
      { numRuns: 500 },
    );
  });

  it("ends: from anywhere, remembering what is shown finishes every card", () => {
    fc.assert(
      fc.property(...anything, (cards, all, loaded) => {
        const { ids, state: start, at: from } = run(cards, all, loaded);
        let state = start;
        let at = from;
        const act = (action: Action) => {
          state = reduce(state, action).state;
        };
        for (const cardId of ids)
          if (!state.cards[cardId]?.gone && !state.cards[cardId]?.passes)
            act({ type: "loaded", cardId, passes: cards[cardId] ?? [], at });
        const passes = Object.values(state.cards).reduce((sum, card) => sum + (card.passes?.length ?? 0), 0);
        let grades = 0;
        while (!isOver(state)) {
          at += 200;
          while (toReveal(state) > 0) act({ type: "reveal", key: "space", at });
          at += 200;
          act({ type: "grade", remembered: true, id: `end${grades}`, key: "2", at });
          grades += 1;
          expect(grades).toBeLessThanOrEqual(passes + ids.length);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("does not change what it is given", () => {
    const freeze = <T>(value: T): T => {
      if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
        Object.freeze(value);
        Object.values(value).forEach(freeze);
      }
      return value;
    };
    fc.assert(
      fc.property(...anything, (cards, all, loaded) => {
        for (const { action, before } of run(cards, all, loaded).trail)
          reduce(freeze(before), freeze(action));
      }),
      { numRuns: 100 },
    );
  });
});

/** What an undo's effect takes back, as the effect that it answers, without ids. */
function opposite(effect: Effect): unknown {
  if (effect.type === "taken-back") return { type: "answered", answer: effect.answer };
  if (effect.type === "answered") return effect;
  const { change, cardId } = effect;
  if ("archived" in change) return { type: "change", cardId, change: { archived: !change.archived } };
  if ("trashed" in change) return { type: "change", cardId, change: { trashed: !change.trashed } };
  return { type: "change", cardId, change: "tags" };
}

function forget(effect: Effect): unknown {
  if (effect.type !== "change") return effect;
  const { change, cardId } = effect;
  return { type: "change", cardId, change: "tags" in change ? "tags" : change };
}
