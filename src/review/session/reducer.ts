import { CardQueue } from "./card-queue.ts";
import type { Action, Answer, Change, Effect } from "./state.ts";
import {
  atStart,
  cameBack,
  currentCard,
  currentPass,
  elapsed,
  later,
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

/** Two taps of a finger are further apart than the repeats of a key. */
const guardOf = (key: string): number => (key === "tap" ? 400 : GUARD_MS);

export const tooSoon = "Too soon: press it again to grade.";

/** Whether a grade comes within the guard, from another key than the one that may be held down. */
export const isTooSoon = (state: SessionState, action: Action): boolean =>
  action.type === "grade" &&
  currentPass(state) !== undefined &&
  toReveal(state) === 0 &&
  action.at - state.guard.at < guardOf(action.key) &&
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
    edited: loaded,
    more: (state, { cardIds, at }) =>
      everywhere({ ...state, incomplete: false }, at, (position) => ({
        ...position,
        queue: position.queue.withMore(cardIds),
      })),
    back: cameBack,
    unavailable,
    gone,
    "next-day": nextDay,
    kept,
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

function loaded(state: SessionState, { type, cardId, passes, at }: Of<"loaded" | "edited">): SessionState {
  const known = state.cards[cardId];
  if (known?.gone) return state;
  const next = { ...state, cards: { ...state.cards, [cardId]: { passes } } };
  const isShown = known?.passes !== undefined && type === "loaded";
  if (currentCard(state) !== cardId || isShown) return next;
  // The clock of a card starts when it can be seen: the time in the editor is none of the answer's.
  return { ...withPosition(next, atStart(state.position, at)), guard: { at, key: "" } };
}

function kept(state: SessionState, { cardId, at }: Of<"kept">): SessionState {
  return everywhere(state, at, (position) => {
    if (!position.removed.includes(cardId)) return position;
    const removed = position.removed.filter((id) => id !== cardId);
    return { ...position, queue: position.queue.withLater(cardId, 1), removed };
  });
}

/** A change of the queue that undo must not take back: earlier positions get it, too. */
function everywhere(state: SessionState, at: number, change: (position: Position) => Position): SessionState {
  const history = state.history.map((past) =>
    past.position ? { ...past, position: change(past.position) } : past,
  );
  const next = { ...state, history, position: change(state.position) };
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

/** Another day has begun, on which other cards are asked: what is left is the card on the screen, unless it was begun. */
function nextDay(state: SessionState, { at }: Of<"next-day">): SessionState {
  const cardId = currentCard(state);
  const rest = { ...state, incomplete: false };
  if (cardId === undefined || progressOf(state.position, cardId) !== undefined)
    return shown(rest, { ...atStart(state.position, at), queue: CardQueue.of([]) }, at);
  return withPosition(rest, { queue: CardQueue.of([cardId]) });
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
  if (at - state.guard.at < guardOf(key))
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
  return {
    state: shown(withPast(state, at, { type: "taken-back", answer }), next, at),
    effects: [{ type: "answered", answer }],
  };
}

/** With what takes an action back that changes the position. */
function withPast(state: SessionState, at: number, undo?: Effect): SessionState {
  const position = { ...state.position, spent: elapsed(state.position, at) };
  return { ...state, history: [...state.history, { position, ...(undo && { undo }) }] };
}

function skip(state: SessionState, { at }: Of<"skip">): SessionState {
  if (state.position.queue.length < 2) return state;
  return shown(withPast(state, at), later(state.position, at), at);
}

const changeOf = (cardId: string, change: Change, inverse: boolean): Effect => ({
  type: "change",
  cardId,
  change,
  inverse,
});

function remove(state: SessionState, { change: kind, at }: Of<"remove">): SessionState | Step {
  const cardId = currentCard(state);
  if (cardId === undefined) return state;
  const [change, inverse] = removals[kind];
  const removed = [...state.position.removed, cardId];
  return {
    state: shown(
      withPast(state, at, changeOf(cardId, inverse, true)),
      { ...without(state.position, cardId, at), removed },
      at,
    ),
    effects: [changeOf(cardId, change, false)],
  };
}

function tags(state: SessionState, { before, after }: Of<"tags">): SessionState | Step {
  const cardId = currentCard(state);
  if (cardId === undefined) return state;
  const undo = changeOf(cardId, { tags: before, before: after }, true);
  return {
    state: { ...state, history: [...state.history, { undo }] },
    effects: [changeOf(cardId, { tags: after, before }, false)],
  };
}

/** Takes the last action back. The card is as it was, all that was revealed with it, so that it can be graded anew. */
function undo(state: SessionState, { at }: Of<"undo">): SessionState | Step {
  const past = state.history.at(-1);
  if (past === undefined) return state;
  const position = past.position === undefined ? state.position : resumeFrom(state, past.position, at);
  const next = { ...state, history: state.history.slice(0, -1), position, guard: { at, key: "u" } };
  return { state: next, effects: past.undo === undefined ? [] : [past.undo] };
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
