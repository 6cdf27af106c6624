import { CardQueue } from "./card-queue.ts";
import type { Action, Answer, Effect } from "./state.ts";
import {
  atStart,
  cameBack,
  currentCard,
  currentPass,
  elapsed,
  later,
  type Past,
  type Position,
  progressOf,
  type Resumed,
  removals,
  type SessionState,
  toReveal,
  without,
} from "./state.ts";

/**
 * The session as a pure reducer: what happened comes in with its time, the next state and what has to be done in the
 * world go out. It draws nothing, waits for nothing and knows no clock.
 */

/** Grade keys do nothing for so long after the last side was shown, so that a held key cannot grade (docs/design/review.md). */
export const GUARD_MS = 150;

export const tooSoon = "Too soon: press it again to grade.";

/** Whether a grade comes within the guard, from another key than the one that may be held down. */
export const isTooSoon = (state: SessionState, action: Action): boolean =>
  action.type === "grade" &&
  currentPass(state) !== undefined &&
  toReveal(state) === 0 &&
  action.at - state.guard.at < GUARD_MS &&
  action.key !== state.guard.key;

interface Step {
  readonly state: SessionState;
  readonly effects: readonly Effect[];
}

/** So many others come between two ways in which a card is asked: the first one tells the answer of the second. */
const placesBetween = 5;

/** An answer counts at most so many seconds: the user was not thinking all the time. */
export const LONGEST_SECONDS = 60;

/**
 * A session over these cards, in this order.
 *
 * @param resumed how far an earlier session of the day got with cards
 * @param incomplete whether an action `more` will follow
 */
export function startSession(
  cardIds: readonly string[],
  at: number,
  resumed: Readonly<Record<string, Resumed>> = {},
  incomplete = false,
): SessionState {
  const progress = Object.fromEntries(
    Object.entries(resumed).map(([cardId, { passes, review }]) => [cardId, { passes, review, seconds: 0 }]),
  );
  return {
    cards: {},
    position: {
      queue: CardQueue.of(cardIds),
      step: 0,
      opened: false,
      spent: 0,
      since: at,
      progress,
      finished: [],
      removed: [],
    },
    history: [],
    guard: { at: Number.NEGATIVE_INFINITY, key: "" },
    incomplete,
  };
}

type Of<Type extends Action["type"]> = Extract<Action, { type: Type }>;

/** What each action does: the next state, with what has to be done in the world for it if anything has. */
const moves: { readonly [T in Action["type"]]: (state: SessionState, action: Of<T>) => SessionState | Step } =
  {
    loaded,
    edited,
    more,
    back: cameBack,
    unavailable,
    gone,
    reveal,
    hint: (state) => (toReveal(state) === 0 ? state : withPosition(state, { opened: true })),
    page: (state, { at, key }) => ({ ...state, guard: { at, key } }),
    grade,
    skip,
    remove,
    tags,
    undo,
  };

/** What comes after an action. An action that makes no sense now changes nothing. */
export function reduce(state: SessionState, action: Action): Step {
  const move = moves[action.type] as (state: SessionState, action: Action) => SessionState | Step;
  const next = move(state, action);
  return "effects" in next ? next : { state: next, effects: [] };
}

const withPosition = (state: SessionState, part: Partial<Position>): SessionState => ({
  ...state,
  position: { ...state.position, ...part },
});

function loaded(state: SessionState, { cardId, passes, at }: Of<"loaded">): SessionState {
  if (state.cards[cardId]?.gone) return state;
  const cards = { ...state.cards, [cardId]: { passes } };
  if (currentCard(state) !== cardId || state.cards[cardId]?.passes !== undefined) return { ...state, cards };
  // The clock of a card starts when it can be seen.
  return { ...withPosition({ ...state, cards }, atStart(state.position, at)), guard: { at, key: "" } };
}

function edited(state: SessionState, { cardId, passes, at }: Of<"edited">): SessionState {
  if (state.cards[cardId]?.gone) return state;
  const cards = { ...state.cards, [cardId]: { passes } };
  if (currentCard(state) !== cardId) return { ...state, cards };
  // The time in the editor is none of the answer's.
  return { ...withPosition({ ...state, cards }, atStart(state.position, at)), guard: { at, key: "" } };
}

/** Undo must not lose the cards that came since: earlier positions get them, too. */
function more(state: SessionState, { cardIds, at }: Of<"more">): SessionState {
  const extended = <T extends Position | undefined>(position: T): T =>
    position && { ...position, queue: position.queue.withMore(cardIds) };
  const history = state.history.map((past) => ({ ...past, position: extended(past.position) }) as Past);
  const next = { ...state, history, position: extended(state.position), incomplete: false };
  // Where the cards had run out, the first of these comes up.
  const waited = state.position.queue.length === 0;
  return waited ? shown(next, atStart(next.position, at), at) : next;
}

function unavailable(state: SessionState, { cardId, at }: Of<"unavailable">): SessionState {
  const facts = state.cards[cardId];
  if (facts?.passes !== undefined || facts?.gone) return state;
  const cards = { ...state.cards, [cardId]: { unavailable: true } };
  const others = [...state.position.queue].some((id) => id !== cardId && cards[id]?.unavailable !== true);
  if (currentCard(state) !== cardId || !others) return { ...state, cards };
  return shown({ ...state, cards }, later(state.position, at), at);
}

function gone(state: SessionState, { cardId, at }: Of<"gone">): SessionState {
  if (!state.position.queue.includes(cardId)) return state;
  const cards = { ...state.cards, [cardId]: { gone: true } };
  const wasCurrent = currentCard(state) === cardId;
  const position = without(state.position, cardId, wasCurrent ? at : undefined);
  return wasCurrent ? shown({ ...state, cards }, position, at) : { ...state, cards, position };
}

function reveal(state: SessionState, { key, at }: Of<"reveal">): SessionState {
  if (toReveal(state) === 0) return state;
  return { ...withPosition(state, { step: state.position.step + 1 }), guard: { at, key } };
}

function grade(state: SessionState, { remembered, id, key, at }: Of<"grade">): SessionState | Step {
  const cardId = currentCard(state);
  const pass = currentPass(state);
  const { position } = state;
  if (cardId === undefined || pass === undefined || toReveal(state) > 0) return state;
  if (at - state.guard.at < GUARD_MS)
    // As long as the key that revealed is held down, the guard holds too.
    return key === state.guard.key ? { ...state, guard: { at, key } } : state;
  const spent = Math.min(elapsed(position, at) / 1000, LONGEST_SECONDS);
  const before = progressOf(position, cardId);
  const passes = { ...before?.passes, [pass.id]: remembered };
  const seconds = (before?.seconds ?? 0) + spent;
  const known = state.cards[cardId]?.passes ?? [];
  const left = known.filter(({ id }) => passes[id] !== true).length;
  const complete = left === 0;
  const decided = complete || !remembered ? remembered : undefined;
  const review =
    before?.review === undefined && decided !== undefined ? { remembered, duration: seconds } : undefined;
  const answer: Answer = { id, cardId, pass: pass.id, remembered, duration: spent, review, left };
  const outcomes = { review: before?.review ?? decided, outcome: before?.outcome ?? decided };
  const progress = { ...position.progress, [cardId]: { passes, seconds, ...outcomes } };
  const more = known.some(({ id }) => !Object.hasOwn(passes, id));
  const next: Position = complete
    ? { ...without(position, cardId, at), progress, finished: [...position.finished, cardId] }
    : { ...later(position, at, more ? placesBetween : undefined), progress };
  const past = {
    position: { ...position, spent: elapsed(position, at) },
    undo: { type: "answer", answer },
  } as const;
  return {
    state: shown({ ...state, history: [...state.history, past] }, next, at),
    effects: [{ type: "answered", answer }],
  };
}

function skip(state: SessionState, { at }: Of<"skip">): SessionState {
  const { position } = state;
  if (position.queue.length < 2) return state;
  const past = { position: { ...position, spent: elapsed(position, at) }, undo: { type: "skip" } } as const;
  return shown({ ...state, history: [...state.history, past] }, later(position, at), at);
}

function remove(state: SessionState, { change: kind, at }: Of<"remove">): SessionState | Step {
  const cardId = currentCard(state);
  if (cardId === undefined) return state;
  const { position } = state;
  const [change, inverse] = removals[kind];
  const past = {
    position: { ...position, spent: elapsed(position, at) },
    undo: { type: "change", cardId, inverse },
  } as const;
  const next = { ...without(position, cardId, at), removed: [...position.removed, cardId] };
  return {
    state: shown({ ...state, history: [...state.history, past] }, next, at),
    effects: [{ type: "change", cardId, change, inverse: false }],
  };
}

function tags(state: SessionState, { before, after }: Of<"tags">): SessionState | Step {
  const cardId = currentCard(state);
  if (cardId === undefined) return state;
  const past = { undo: { type: "change", cardId, inverse: { tags: before, before: after } } } as const;
  return {
    state: { ...state, history: [...state.history, past] },
    effects: [{ type: "change", cardId, change: { tags: after, before }, inverse: false }],
  };
}

/** Takes the last action back. The card is as it was, all that was revealed with it, so that it can be graded anew. */
function undo(state: SessionState, { at }: Of<"undo">): SessionState | Step {
  const past = state.history.at(-1);
  if (past === undefined) return state;
  const history = state.history.slice(0, -1);
  const restored = past.position === undefined ? state.position : resumeFrom(state, past.position, at);
  const next: SessionState = { ...state, history, position: restored, guard: { at, key: "u" } };
  switch (past.undo.type) {
    case "answer":
      return { state: next, effects: [{ type: "taken-back", answer: past.undo.answer }] };
    case "skip":
      return next;
    case "change":
      return {
        state: next,
        effects: [{ type: "change", cardId: past.undo.cardId, change: past.undo.inverse, inverse: true }],
      };
  }
}

/** An earlier position, less the cards that have gone since, its clock running on from what it had counted. */
function resumeFrom(state: SessionState, earlier: Position, at: number): Position {
  const gone = Object.keys(state.cards).filter(
    (id) => state.cards[id]?.gone === true && earlier.queue.includes(id),
  );
  const position = gone.reduce((p, id) => without(p, id, id === p.queue.at(0) ? at : undefined), earlier);
  return { ...position, since: at };
}

/** The state after another card or pass came up: the guard holds for a card that has nothing to reveal. */
function shown(state: SessionState, position: Position, at: number): SessionState {
  return { ...state, position, guard: { at, key: state.guard.key } };
}
