import { type Placed, sumsInTree } from "../deck-tree.ts";
import type { SessionCard } from "../review/session/card.ts";
import type { Key } from "../terminal/keys.ts";
import { type LineInput, lineInput } from "../terminal/line-input.ts";
import type { AddDeck, Deeds, Found, HomeDeck, ListedCard, Overview, Undo } from "./ports.ts";

/** What can happen on the home screen, what it shows, and what has to be done in the world for it. */

export type HomeEvent =
  /** `page`: how many rows a page key goes. */
  | { readonly type: "key"; readonly key: Key; readonly page: number }
  | { readonly type: "cached"; readonly overview: Overview }
  | Result
  | { readonly type: "failed"; readonly effect: Effect; readonly text: string };

/** Something that the world is to do, with what it needs for it. */
export type Effect =
  | { readonly call: "quit"; readonly args: [] }
  | { [D in keyof Deeds]: { readonly call: D; readonly args: Parameters<Deeds[D]> } }[keyof Deeds];

/** What came of it. */
export type Result = {
  [D in keyof Deeds]: {
    readonly type: "result";
    readonly call: D;
    readonly args: Parameters<Deeds[D]>;
    readonly value: Awaited<ReturnType<Deeds[D]>>;
  };
}[keyof Deeds];

/** An effect: `does("review", deck)`. */
export const does = <D extends Effect["call"]>(
  call: D,
  ...args: Extract<Effect, { readonly call: D }>["args"]
): Effect => ({ call, args }) as unknown as Effect;

export interface Step {
  readonly state: HomeState;
  readonly effects: readonly Effect[];
}

/** The decks with their paths, and the figures of each and those under it. @param own of each by itself */
export function treeOf(
  decks: readonly Placed<{ readonly id: string; readonly name: string }>[],
  own: ReadonlyMap<string, Readonly<Record<"due" | "new" | "cards", number>>>,
): HomeDeck[] {
  const sums = sumsInTree(decks, own);
  const path: string[] = [];
  return decks.map(({ deck: { id, name }, depth }, index) => {
    path.splice(depth, path.length, name.replaceAll("/", "\\/"));
    const hasChildren = (decks[index + 1]?.depth ?? 0) > depth;
    const figures = sums.get(id) ?? { due: 0, new: 0, cards: 0 };
    return { id, name, path: path.join("/"), depth, hasChildren, ...figures };
  });
}

/** A question in the bottom line. */
export type Prompt = { readonly input: LineInput } & (
  | { readonly type: "create-deck"; readonly adds: boolean }
  | { readonly type: "rename-deck"; readonly id: string }
  | { readonly type: "import" }
  | { readonly type: "move"; readonly ids: readonly string[] }
  | { readonly type: "tags"; readonly ids: readonly string[]; readonly before: readonly string[] }
);

/** The card that is being written. It stays until it is saved. */
export interface Draft {
  readonly deck: AddDeck | undefined;
  readonly front: LineInput;
  readonly back: LineInput;
  readonly field: "front" | "back";
  /** The id of a card with this front. */
  readonly same?: string | undefined;
  /** Whether it is on its way: what is typed meanwhile belongs to the next. */
  readonly isSending: boolean;
}

export interface Search {
  readonly query: LineInput;
  /** Whether keys go to the query, or to the list. */
  readonly isTyping: boolean;
  readonly found: Found | undefined;
  readonly at: number;
  readonly marked: ReadonlySet<string>;
  readonly card: { readonly id: string; readonly card: SessionCard | undefined } | undefined;
}

export interface HomeState {
  readonly view: "decks" | "add" | "search" | "statistics" | "keys";
  readonly overview: Overview | undefined;
  /** Whether it is what was known the last time. */
  readonly isCached: boolean;
  readonly folded: ReadonlySet<string>;
  /** The decks that are shown. */
  readonly rows: readonly HomeDeck[];
  readonly at: number;
  /** The deck that the cursor goes to when it is among them. */
  readonly goTo?: string | undefined;
  /** The first cards of today, in all decks; undefined where they are not known. */
  readonly firstDue: readonly ListedCard[] | undefined;
  readonly draft: Draft;
  readonly search: Search;
  readonly statistics: readonly string[] | undefined;
  /** The first row that is shown of the statistics, or of the keys. */
  readonly top: number;
  readonly prompt: Prompt | undefined;
  readonly message: string | undefined;
  readonly undo: readonly Undo[];
  /** Whether the warning that the draft is not saved was shown. */
  readonly isWarned: boolean;
}

export const emptyDraft = (deck: AddDeck | undefined): Draft => ({
  ...{ deck, field: "front", isSending: false },
  front: lineInput(""),
  back: lineInput(""),
});

export const isWritten = ({ front, back }: Draft): boolean => `${front.text}${back.text}`.trim() !== "";

/** What was asked for when the program began: cards for a deck, or for one that is still to be chosen. */
export interface Adding {
  readonly deck: AddDeck | undefined;
  readonly front: string;
  readonly back: string;
}

/** @param adding whether it begins with the view that adds cards */
export const startHome = (adding: Adding | undefined): HomeState => ({
  view: adding?.deck === undefined ? "decks" : "add",
  overview: undefined,
  isCached: false,
  folded: new Set(),
  rows: [],
  at: 0,
  firstDue: undefined,
  draft: {
    ...emptyDraft(adding?.deck),
    front: lineInput(adding?.front ?? ""),
    back: lineInput(adding?.back ?? ""),
    field: adding?.front ? "back" : "front",
  },
  search: {
    query: lineInput(""),
    isTyping: true,
    found: undefined,
    at: 0,
    marked: new Set(),
    card: undefined,
  },
  statistics: undefined,
  top: 0,
  prompt: undefined,
  message: adding !== undefined && adding.deck === undefined ? "Choose a deck, then press a." : undefined,
  undo: [],
  isWarned: false,
});

export const step = (state: HomeState, ...effects: readonly Effect[]): Step => ({ state, effects });

/** Takes back the last change. */
export function undo(state: HomeState): Step {
  const last = state.undo.at(-1);
  const message = "There is nothing to take back here; in a review, u takes back the last answer.";
  if (last === undefined) return step({ ...state, message });
  return step({ ...state, undo: state.undo.slice(0, -1) }, does("takeBack", last));
}

/** The deck that the cursor is on. */
export const deckAt = ({ rows, at }: HomeState): HomeDeck | undefined => rows[at];

/** Whether the collection is known to have no decks. */
export const isEmpty = ({ overview, isCached }: HomeState): boolean =>
  overview !== undefined && !isCached && overview.decks.length === 0;

/** The state with the decks that are shown, the cursor on the deck where it was, or on the one that folds it. */
export function withRows(state: HomeState): HomeState {
  const { overview, folded } = state;
  const before = deckAt(state);
  const rows = unfolded(overview?.decks ?? [], folded);
  const same = rows.findIndex(({ id }) => id === (state.goTo ?? before?.id));
  const above =
    same >= 0 || before === undefined
      ? same
      : rows.findLastIndex(({ path, depth }) => depth < before.depth && before.path.startsWith(`${path}/`));
  const at = above >= 0 ? above : Math.max(0, Math.min(state.at, rows.length - 1));
  return { ...state, rows, at, goTo: same >= 0 ? undefined : state.goTo };
}

/** The decks that are not under a folded one. */
function unfolded(decks: readonly HomeDeck[], folded: ReadonlySet<string>): readonly HomeDeck[] {
  if (folded.size === 0) return decks;
  let hidden = Number.POSITIVE_INFINITY;
  return decks.filter(({ id, depth }) => {
    if (depth > hidden) return false;
    hidden = folded.has(id) ? depth : Number.POSITIVE_INFINITY;
    return true;
  });
}

/** The cards that a key acts on: those that are marked, else the one at the cursor. */
export function targets({ found, at, marked }: Search): readonly ListedCard[] {
  const cards = found?.cards ?? [];
  const chosen = cards.filter(({ id }) => marked.has(id));
  return chosen.length > 0 ? chosen : cards.slice(at, at + 1);
}
