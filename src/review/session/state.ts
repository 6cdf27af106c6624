import type { CardQueue } from "./card-queue.ts";

/** What can happen in a session, and what has to be done in the world for it. Times (`at`) are monotonic milliseconds. */

/** One way a card is asked: forwards, reversed, or one cloze group. `steps`: how many reveals until all is shown. */
export interface PassShape {
  readonly id: string;
  readonly steps: number;
}

/** What a change of a card sets; `trashed` is true for now and false for none. Of tags, what differs from `before`. */
export type Change =
  | { readonly archived: boolean }
  | { readonly trashed: boolean }
  | { readonly putOff: boolean }
  | { readonly tags: readonly string[]; readonly before: readonly string[] };

/** What takes a card out of the session, and what takes that back. */
export const removals: Readonly<Record<"archive" | "trash" | "put-off", readonly [Change, Change]>> = {
  archive: [{ archived: true }, { archived: false }],
  trash: [{ trashed: true }, { trashed: false }],
  "put-off": [{ putOff: true }, { putOff: false }],
};

/** One answered pass, and the review that follows from it, if one does. Durations are seconds. */
export interface Answer {
  readonly id: string;
  readonly cardId: string;
  readonly pass: string;
  readonly remembered: boolean;
  readonly duration: number;
  readonly review?: { readonly remembered: boolean; readonly duration?: number } | undefined;
  /** How many passes of the card have still to be remembered after it; at 0 the card is finished. */
  readonly left: number;
}

export type Action = { readonly at: number } & (
  | { readonly type: "loaded"; readonly cardId: string; readonly passes: readonly PassShape[] }
  | { readonly type: "edited"; readonly cardId: string; readonly passes: readonly PassShape[] }
  /** The rest of what is due has been read: these are the last cards that come. */
  | { readonly type: "more"; readonly cardIds: readonly string[] }
  /** An answer of an earlier session was taken back: the card is asked now, from where it was. */
  | { readonly type: "back"; readonly cardId: string; readonly resumed: Resumed | undefined }
  /** The card cannot be shown now; it goes behind those that can. */
  | { readonly type: "unavailable"; readonly cardId: string }
  /** Another day has begun. */
  | { readonly type: "next-day" }
  | { readonly type: "gone"; readonly cardId: string }
  /** The card could not be removed: it comes next. */
  | { readonly type: "kept"; readonly cardId: string }
  | { readonly type: "reveal"; readonly key: string }
  /** The closed parts of what is shown are opened, before all is revealed. */
  | { readonly type: "hint" }
  /** The key that reveals and grades scrolled instead: held down, it must not grade. */
  | { readonly type: "page"; readonly key: string }
  | { readonly type: "grade"; readonly remembered: boolean; readonly id: string; readonly key: string }
  | { readonly type: "skip" }
  | { readonly type: "remove"; readonly change: keyof typeof removals }
  | { readonly type: "tags"; readonly before: Tags; readonly after: Tags }
  | { readonly type: "undo" }
);

type Tags = readonly string[];

export type Effect =
  | { readonly type: "answered"; readonly answer: Answer }
  | { readonly type: "taken-back"; readonly answer: Answer }
  /** `inverse`: it takes a change back. */
  | { readonly type: "change"; readonly cardId: string; readonly change: Change; readonly inverse: boolean };

/** The state of a session, and the small moves that actions are made of. */

/** What is known of a card: not part of the position, since undo does not make it unknown. */
interface CardFacts {
  readonly passes?: readonly PassShape[];
  readonly unavailable?: boolean;
  readonly gone?: boolean;
}

/** How far a card is: the last outcome of each pass, the seconds it took, the outcome of its one review of the day. */
interface Progress {
  readonly passes: Readonly<Record<string, boolean>>;
  readonly seconds: number;
  readonly review?: boolean | undefined;
  /** What this session's answers came to. Differs from `review` where an earlier session of the day forgot the card. */
  readonly outcome?: boolean | undefined;
}

/** How far an earlier session got with a card: the last outcome of its passes, and of its review if it had one. */
export type Resumed = Pick<Progress, "passes" | "review">;

/** All that undo brings back. */
export interface Position {
  /** Ids of the cards to come; the first is the one on the screen. */
  readonly queue: CardQueue;
  readonly step: number;
  /** Whether the hints of the current pass (`<details>`) were opened. */
  readonly opened: boolean;
  /** Milliseconds spent on the current pass before `since`: before an answer that was taken back. */
  readonly spent: number;
  readonly since: number;
  readonly progress: Readonly<Record<string, Progress>>;
  readonly finished: readonly string[];
  /** Archived, trashed or put off in this session. */
  readonly removed: readonly string[];
}

/** An action that can be undone: the position before it, if it changed that, and what takes it back in the world. */
export interface Past {
  readonly position?: Position;
  readonly undo?: Effect;
}

export interface SessionState {
  readonly cards: Readonly<Record<string, CardFacts>>;
  readonly position: Position;
  readonly history: readonly Past[];
  /** When the last side appeared, and by which key. */
  readonly guard: { readonly at: number; readonly key: string };
  /** Whether cards beside those of the queue are still being read. */
  readonly incomplete: boolean;
}

/** The card on the screen; undefined when the session is over. */
export function currentCard(state: SessionState): string | undefined {
  return state.position.queue.at(0);
}

/**
 * The pass asked now: one that was not asked yet, else one that was forgotten; undefined while the card is not loaded.
 * After an edit that took the last open pass away, the last one.
 */
export function currentPass(state: SessionState): PassShape | undefined {
  const cardId = currentCard(state);
  const passes = cardId === undefined ? undefined : state.cards[cardId]?.passes;
  if (cardId === undefined || passes === undefined) return undefined;
  const outcomes = progressOf(state.position, cardId)?.passes ?? {};
  return (
    passes.find(({ id }) => !Object.hasOwn(outcomes, id)) ??
    passes.find(({ id }) => outcomes[id] !== true) ??
    passes.at(-1)
  );
}

/** How far a card is; undefined for one that was not asked yet. Ids are the service's: `constructor` may be one. */
export const progressOf = ({ progress }: Position, cardId: string): Progress | undefined =>
  Object.hasOwn(progress, cardId) ? progress[cardId] : undefined;

/** How many reveals are left before the pass can be graded. */
export function toReveal(state: SessionState): number {
  const pass = currentPass(state);
  return pass === undefined ? 0 : Math.max(0, pass.steps - state.position.step);
}

export const isOver = ({ position, incomplete }: SessionState): boolean =>
  position.queue.length === 0 && !incomplete;

/** Which card of how many it is, and how many are finished. A forgotten card that comes back is not counted again. */
export function placeOf({ position }: SessionState): { at: number; all: number; finished: number } {
  const { finished, queue } = position;
  // What only an earlier session of the day asked is still to come.
  const progress = Object.entries(position.progress).filter(([, { seconds }]) => seconds > 0);
  const all = finished.length + queue.length;
  // Most cards with progress are finished: they need not be looked for among thousands to come.
  const done = new Set([queue.at(0), ...finished, ...position.removed]);
  const seen = progress.filter(([id]) => !done.has(id) && queue.includes(id)).length;
  return { at: Math.min(finished.length + seen + 1, all), all, finished: finished.length };
}

/** The same in words; `1 of 100+` while more cards are being read. */
export function placeText(state: SessionState): string {
  const { at, all } = placeOf(state);
  return `${at} of ${all}${state.incomplete ? "+" : ""}`;
}

/** How many cards were forgotten in this session and come again in it, the one on the screen included: `, 3 again`. */
export function againText({ position }: SessionState): string {
  const forgotten = Object.entries(position.progress).filter(
    ([id, { seconds, passes }]) =>
      seconds > 0 && Object.values(passes).includes(false) && position.queue.includes(id),
  );
  return forgotten.length === 0 ? "" : `, ${forgotten.length} again`;
}

/** Milliseconds that the current pass has taken. */
export const elapsed = ({ spent, since }: Position, at: number): number => spent + Math.max(0, at - since);

/** The position at the beginning of a pass, whose clock starts now. */
export const atStart = (position: Position, at: number): Position => ({
  ...position,
  step: 0,
  opened: false,
  spent: 0,
  since: at,
});

/** The current card behind so many others, to be asked again. */
export function later(position: Position, at: number, places = Number.POSITIVE_INFINITY): Position {
  const first = position.queue.at(0);
  if (first === undefined) return position;
  return { ...atStart(position, at), queue: position.queue.withLater(first, places) };
}

/** A card before all others, as far as an earlier session got with it. */
export function cameBack(
  state: SessionState,
  { cardId, resumed, at }: Extract<Action, { type: "back" }>,
): SessionState {
  const { [cardId]: _, ...others } = state.position.progress;
  const progress = resumed === undefined ? others : { ...others, [cardId]: { ...resumed, seconds: 0 } };
  const queue = state.position.queue.withLater(cardId, 0);
  // It may have been left out as answered.
  const cards = { ...state.cards, [cardId]: {} };
  return { ...state, cards, position: { ...atStart(state.position, at), queue, progress } };
}

/** The position without a card; `at` is given if it was the one on the screen. */
export function without(position: Position, cardId: string, at: number | undefined): Position {
  const queue = position.queue.without(cardId);
  return at === undefined ? { ...position, queue } : { ...atStart(position, at), queue };
}
