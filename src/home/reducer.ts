import { commandOf, isScroll, scrolled } from "../review/keymap.ts";
import { parseTags, presented } from "../review/session/card.ts";
import type { Key } from "../terminal/keys.ts";
import { editLine, lineInput } from "../terminal/line-input.ts";
import { pressAdd } from "./add.ts";
import { allKeys } from "./keymap.ts";
import type { AddDeck, Done } from "./ports.ts";
import { pressSearch, searchAgain, withFound } from "./search.ts";
import {
  deckAt,
  does,
  type Effect,
  emptyDraft,
  type HomeEvent,
  type HomeState,
  isEmpty,
  isWritten,
  type Prompt,
  type Result,
  type Step,
  startHome,
  step,
  undo,
  withRows,
} from "./state.ts";

/** The next state of the home screen, and what has to be done for it. */
export function reduce(state: HomeState, event: HomeEvent): Step {
  switch (event.type) {
    case "key":
      return press({ ...state, message: undefined }, event.key, event.page);
    case "cached":
      return step(withRows({ ...state, overview: event.overview, isCached: true }));
    case "result":
      return done(state, event);
    case "failed": {
      const { call, args } = event.effect;
      const isLate = call === "find" && args[0] !== state.search.query.text;
      if (isLate || call === "firstDue" || call === "sameFront") return step(state);
      const draft = call === "addCard" ? { ...state.draft, isSending: false } : state.draft;
      const undo = call === "takeBack" ? [...state.undo, ...args] : state.undo;
      return step({ ...state, message: event.text, draft, undo });
    }
  }
}

/** Shows what came of something that was done. */
function done(state: HomeState, event: Result): Step {
  const { draft } = state;
  switch (event.call) {
    case "overview": {
      const next = withRows({ ...state, overview: event.value, isCached: false });
      // What was found before the decks were known does not name them.
      return state.view === "search" ? searchAgain(next) : step(next);
    }
    case "firstDue":
      return step({ ...state, firstDue: event.value });
    case "load": {
      const card = event.value.kind === "card" ? presented(event.value) : undefined;
      return step({ ...state, search: { ...state.search, card: { id: event.args[0], card } } });
    }
    case "find":
      return step(withFound(state, event.args[0], event.value));
    case "statistics":
      return step({ ...state, statistics: event.value });
    case "complete":
      return step(completed(state, event.value));
    case "sameFront":
      return step(
        event.args[1] === draft.front.text ? { ...state, draft: { ...draft, same: event.value } } : state,
      );
    case "editSides": {
      const [front, back] = event.value;
      return step({ ...state, draft: { ...draft, front: lineInput(front), back: lineInput(back) } });
    }
    case "readCards":
      return searchAgain(state);
    default:
      return changed(state, event.call, event.value);
  }
}

/** What was done is said, and can be taken back; the figures are others. */
function changed(
  state: HomeState,
  call: Effect["call"],
  { text, undo, deck, id }: Done & { deck?: AddDeck | undefined; id?: string },
): Step {
  const message = text === "" ? undefined : text;
  // After answers the last change is one of them: what was changed before is not taken for it.
  const before = call === "review" && message === undefined ? [] : state.undo;
  const next = { ...state, message, goTo: id, undo: undo === undefined ? before : [...before, undo] };
  if (call === "addCard") return step({ ...next, draft: emptyDraft(state.draft.deck) });
  if (deck !== undefined)
    return step({ ...next, view: "add", draft: { ...state.draft, deck } }, does("overview"));
  if (state.view === "search") return searchAgain({ ...next, search: { ...next.search, card: undefined } });
  return step(next, does("overview"));
}

function completed(state: HomeState, { text, choices }: { text: string; choices: readonly string[] }) {
  if (state.prompt === undefined) return state;
  const message = choices.length > 1 ? choices.join("  ") : undefined;
  return { ...state, message, prompt: { ...state.prompt, input: lineInput(text) } };
}

function press(state: HomeState, key: Key, page: number): Step {
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
  step({ ...state, view: "decks", statistics: undefined }, does("overview"));

/** A card that was begun is not lost by one key. */
function quit(state: HomeState): Step {
  if (!isWritten(state.draft) || state.isWarned) return step(state, does("quit"));
  const message = "A card is not saved yet: a goes back to it, the same key again leaves without it.";
  return step({ ...state, view: "decks", prompt: undefined, isWarned: true, message }, does("overview"));
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
      return deck === undefined ? step(state) : step(state, does("review", deck.id));
    case "r":
      return step(state, does("review", undefined));
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
      return isEmpty(state) ? step(state, does("sample")) : unknown(state, key);
    case "/":
      return searchAgain(
        { ...state, view: "search", search: startHome(undefined).search },
        does("readCards"),
      );
    case "s":
      return step({ ...state, view: "statistics", statistics: undefined, top: 0 }, does("statistics"));
    case "u":
      return undo(state);
    case "?":
      return step({ ...state, view: "keys", top: 0 });
    case "q":
      return quit(state);
    default:
      return unknown(state, key);
  }
}

/** Keys that type nothing, what is pasted, and what was typed before the decks were read, are not taken for keys. */
const unknown = (state: HomeState, key: Key): Step =>
  step(
    key.text === key.name && state.overview !== undefined
      ? { ...state, message: `${JSON.stringify(key.name)} is no key here; ? lists them.` }
      : state,
  );

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
  const { view, statistics, top } = state;
  const rows = view === "statistics" ? (statistics?.length ?? 0) : allKeys.length;
  const command = key.name === "space" ? "page-down" : commandOf(key.name);
  if (command !== undefined && isScroll(command))
    return step({ ...state, top: Math.max(0, Math.min(rows - page, scrolled[command](top, page))) });
  return toDecks(state);
}

function pressPrompt(state: HomeState, prompt: Prompt, key: Key): Step {
  const closed = { ...state, prompt: undefined };
  if (key.name === "escape") return step(closed);
  if (key.name === "enter") return answer(closed, prompt, prompt.input.text.trim());
  if (key.name === "tab") {
    const kind = prompt.type === "import" ? "path" : "deck";
    if (prompt.type === "tags" || prompt.type === "rename-deck") return step(state);
    return step(state, does("complete", kind, prompt.input.text));
  }
  const input = editLine(prompt.input, key);
  return step(input === undefined ? state : { ...state, prompt: { ...prompt, input } });
}

function answer(state: HomeState, prompt: Prompt, text: string): Step {
  if (prompt.type === "tags") {
    const tags = parseTags(text, prompt.before);
    const change = { tags, before: prompt.before };
    const what = tags.length === 0 ? "without tags" : `tagged ${tags.join(", ")}`;
    return step(state, does("changeCards", prompt.ids, change, what));
  }
  if (text === "") return step({ ...state, prompt });
  switch (prompt.type) {
    case "create-deck":
      return step(state, does("createDeck", text, prompt.adds));
    case "rename-deck":
      return step(state, does("renameDeck", prompt.id, text));
    case "import":
      return step(state, does("importFile", text));
    case "move":
      return step(state, does("moveCards", prompt.ids, text));
  }
}
