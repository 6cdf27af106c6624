import { commandOf, isScroll, scrolled } from "../review/keymap.ts";
import { parseTags } from "../review/session/card.ts";
import type { Key } from "../terminal/keys.ts";
import { editLine, lineInput } from "../terminal/line-input.ts";
import { pressAdd } from "./add.ts";
import { homeKeys, listKeys } from "./keymap.ts";
import { pressSearch, searchAgain, withFound } from "./search.ts";
import {
  deckAt,
  emptyDraft,
  type HomeEvent,
  type HomeState,
  isEmpty,
  isWritten,
  type Prompt,
  type Step,
  step,
  withRows,
} from "./state.ts";

/** The next state of the home screen, and what has to be done for it. */
export function reduce(state: HomeState, event: HomeEvent): Step {
  switch (event.type) {
    case "key":
      return press({ ...state, message: undefined }, event.key, event.page);
    case "overview":
      return step(
        withRows({
          ...state,
          overview: event.overview,
          isCached: event.cached === true,
        }),
      );
    case "first-due":
      return step({ ...state, firstDue: event.cards });
    case "found":
      return step(withFound(state, event.query, event.found));
    case "card":
      return step({ ...state, search: { ...state.search, card: { id: event.id, card: event.card } } });
    case "statistics":
      return step({ ...state, statistics: event.lines });
    case "completed":
      return step(completed(state, event.completed));
    case "same-front":
      return step(
        event.front === state.draft.front.text
          ? { ...state, draft: { ...state.draft, same: event.id } }
          : state,
      );
    case "sides": {
      const [front, back] = event.sides;
      return step({ ...state, draft: { ...state.draft, front: lineInput(front), back: lineInput(back) } });
    }
    case "done":
      return finished(state, event);
    case "said":
      return step({ ...state, message: event.text });
    case "failed":
      return step({
        ...state,
        message: event.text,
        draft: event.of.type === "add-card" ? { ...state.draft, isSending: false } : state.draft,
        undo: event.of.type === "undo" ? [...state.undo, event.of.undo] : state.undo,
      });
  }
}

function finished(state: HomeState, { of, done, deck }: Extract<HomeEvent, { type: "done" }>): Step {
  const next = {
    ...state,
    message: done.text,
    undo: done.undo === undefined ? state.undo : [...state.undo, done.undo],
  };
  if (of.type === "add-card") return step({ ...next, draft: emptyDraft(state.draft.deck) });
  if (deck !== undefined)
    return step({ ...next, view: "add", draft: { ...state.draft, deck } }, { type: "refresh" });
  if (state.view === "search") return searchAgain({ ...next, search: { ...next.search, card: undefined } });
  return step(next, { type: "refresh" });
}

function completed(state: HomeState, { text, choices }: { text: string; choices: readonly string[] }) {
  if (state.prompt === undefined) return state;
  const message = choices.length > 1 ? choices.join("  ") : undefined;
  return { ...state, message, prompt: { ...state.prompt, input: lineInput(text) } };
}

function press(state: HomeState, key: Key, page: number): Step {
  if (key.name === "ctrl-z") return step(state, { type: "suspend" });
  if (key.name === "ctrl-l") return step(state, { type: "redraw" });
  if (key.name === "ctrl-c") return quit(state);
  if (state.prompt !== undefined) return pressPrompt(state, state.prompt, key);
  switch (state.view) {
    case "decks":
      return pressDecks(state, key, page);
    case "add":
      return key.name === "escape" ? toDecks(state) : pressAdd(state, key);
    case "search":
      return key.name === "escape" ? toDecks(state) : pressSearch(state, key, page);
    case "statistics":
    case "keys":
      return pressPages(state, key, page);
  }
}

const toDecks = (state: HomeState): Step =>
  step({ ...state, view: "decks", statistics: undefined }, { type: "refresh" });

/** A card that was begun is not lost by one key. */
function quit(state: HomeState): Step {
  if (!isWritten(state.draft) || state.isWarned) return step(state, { type: "quit" });
  const message = "A card is not saved yet: a goes back to it, the same key again leaves without it.";
  return step({ ...state, view: "decks", prompt: undefined, isWarned: true, message });
}

function pressDecks(state: HomeState, key: Key, page: number): Step {
  const command = commandOf(key.name);
  const deck = deckAt(state);
  if (command !== undefined && isScroll(command)) {
    const last = Math.max(0, state.rows.length - 1);
    return step({ ...state, at: Math.max(0, Math.min(last, scrolled[command](state.at, page))) });
  }
  switch (key.name) {
    case "left":
    case "h":
    case "right":
    case "l":
      return fold(state, key.name === "left" || key.name === "h");
    case "enter":
    case "space":
      return deck === undefined ? step(state) : step(state, { type: "review", deck: deck.id });
    case "r":
      return step(state, { type: "review", deck: undefined });
    case "a":
      return addCards(state);
    case "n":
      return step({ ...state, prompt: { type: "create-deck", adds: false, input: lineInput("") } });
    case "e":
      return deck === undefined
        ? step(state)
        : step({ ...state, prompt: { type: "rename-deck", id: deck.id, input: lineInput(deck.name) } });
    case "i":
      return step({ ...state, prompt: { type: "import", input: lineInput("") } });
    case "d":
      return isEmpty(state) ? step(state, { type: "sample" }) : unknown(state, key);
    case "/":
      return searchAgain(
        { ...state, view: "search", search: { ...state.search, isTyping: true, marked: new Set() } },
        { type: "read-cards" },
      );
    case "s":
      return step({ ...state, view: "statistics", statistics: undefined, top: 0 }, { type: "statistics" });
    case "u":
      return undo(state);
    case "?":
      return step({ ...state, view: "keys", isSearchHelp: false, top: 0 });
    case "q":
      return quit(state);
    default:
      return unknown(state, key);
  }
}

/** Keys that type nothing, and what is pasted, are not taken for keys. */
const unknown = (state: HomeState, key: Key): Step =>
  step(
    key.text === key.name
      ? { ...state, message: `${JSON.stringify(key.name)} is no key here; ? lists them.` }
      : state,
  );

function undo(state: HomeState): Step {
  const last = state.undo.at(-1);
  if (last === undefined) return step({ ...state, message: "There is nothing to take back." });
  return step({ ...state, undo: state.undo.slice(0, -1) }, { type: "undo", undo: last });
}

/** A draft of another deck goes on; else cards go into the deck at the cursor. */
function addCards(state: HomeState): Step {
  const { draft } = state;
  const deck = isWritten(draft) ? (draft.deck ?? deckAt(state)) : deckAt(state);
  if (state.overview === undefined) return step({ ...state, message: "Your decks are still being read." });
  if (deck === undefined)
    return step({ ...state, prompt: { type: "create-deck", adds: true, input: lineInput("") } });
  return step({ ...state, view: "add", isWarned: false, draft: { ...draft, deck } });
}

/** Folds the deck, or the one above it where it has nothing to fold. */
function fold(state: HomeState, closes: boolean): Step {
  const deck = deckAt(state);
  if (deck === undefined) return step(state);
  const folded = new Set(state.folded);
  if (!closes) folded.delete(deck.id);
  else if (deck.hasChildren && !folded.has(deck.id)) folded.add(deck.id);
  else {
    const above = state.rows.slice(0, state.at).findLast(({ depth }) => depth < deck.depth);
    if (above === undefined) return step(state);
    return step({ ...state, at: state.rows.indexOf(above) });
  }
  return step(withRows({ ...state, folded }));
}

/** A text of several pages, which any key but those that scroll leaves. */
function pressPages(state: HomeState, key: Key, page: number): Step {
  const { view, statistics, isSearchHelp, top } = state;
  const rows =
    view === "statistics" ? (statistics?.length ?? 0) : (isSearchHelp ? listKeys : homeKeys).length;
  const command = key.name === "space" ? "page-down" : commandOf(key.name);
  if (command !== undefined && isScroll(command))
    return step({ ...state, top: Math.max(0, Math.min(rows - page, scrolled[command](top, page))) });
  return view === "keys" && isSearchHelp ? step({ ...state, view: "search" }) : toDecks(state);
}

function pressPrompt(state: HomeState, prompt: Prompt, key: Key): Step {
  const closed = { ...state, prompt: undefined };
  if (key.name === "escape") return step(closed);
  if (prompt.type === "trash") {
    if (key.name !== "y" && key.name !== "Y") return step(closed);
    return step(closed, {
      type: "change",
      ids: prompt.ids,
      change: { trashed: true },
      what: "put in the trash",
    });
  }
  if (key.name === "enter") return answer(closed, prompt, prompt.input.text.trim());
  if (key.name === "tab") {
    const kind = prompt.type === "import" ? "path" : "deck";
    if (prompt.type === "tags" || prompt.type === "rename-deck") return step(state);
    return step(state, { type: "complete", kind, text: prompt.input.text });
  }
  const input = editLine(prompt.input, key);
  return step(input === undefined ? state : { ...state, prompt: { ...prompt, input } });
}

function answer(state: HomeState, prompt: Exclude<Prompt, { type: "trash" }>, text: string): Step {
  if (prompt.type === "tags") {
    const tags = parseTags(text, text.includes(",") ? "comma" : "space");
    const change = { tags, before: prompt.before };
    const what = tags.length === 0 ? "without tags" : `tagged ${tags.join(", ")}`;
    return step(state, { type: "change", ids: prompt.ids, change, what });
  }
  if (text === "") return step(state);
  switch (prompt.type) {
    case "create-deck":
      return step(state, { type: "create-deck", path: text, adds: prompt.adds });
    case "rename-deck":
      return step(state, { type: "rename-deck", id: prompt.id, name: text });
    case "import":
      return step(state, { type: "import", path: text });
    case "move":
      return step(state, { type: "move", ids: prompt.ids, deck: text });
  }
}
