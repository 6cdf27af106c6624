import { commandOf, isScroll, scrolled } from "../review/keymap.ts";
import { lineOfTags } from "../review/session/card.ts";
import type { Key } from "../terminal/keys.ts";
import { editLine, lineInput } from "../terminal/line-input.ts";
import type { Found } from "./ports.ts";
import { does, type Effect, type HomeState, type Search, type Step, step, targets, undo } from "./state.ts";

/** The view that finds cards and changes them. */

/** Looks again: what is found may have changed. */
export const searchAgain = (state: HomeState, ...effects: readonly Effect[]): Step =>
  step(state, ...effects, does("find", state.search.query.text));

/** An answer to an earlier query is late. */
export function withFound(state: HomeState, query: string, found: Found): HomeState {
  const { search } = state;
  if (query !== search.query.text) return state;
  const before = search.found?.cards[search.at]?.id;
  const same = found.cards.findIndex(({ id }) => id === before);
  const at = same >= 0 ? same : Math.max(0, Math.min(search.at, found.cards.length - 1));
  const there = new Set(found.cards.map(({ id }) => id));
  const marked = new Set([...search.marked].filter((id) => there.has(id)));
  return { ...state, search: { ...search, found, at, marked } };
}

/** The keys of the view, but for Esc. */
export function pressSearch(state: HomeState, key: Key, page: number): Step {
  const { search } = state;
  const moves = key.text === undefined ? commandOf(key.name) : undefined;
  if (!search.isTyping) return pressList(state, key, page);
  if (key.name === "enter" || key.name === "tab") return step(withSearch(state, { isTyping: false }));
  // The list moves also while the query is typed; its ends are those of the line.
  if (moves !== undefined && isScroll(moves) && !["home", "end"].includes(key.name))
    return step(moved(state, scrolled[moves](search.at, page)));
  const query = editLine(search.query, key);
  if (query === undefined) return step(state);
  const next = withSearch(state, { query, at: query.text === search.query.text ? search.at : 0 });
  return query.text === search.query.text ? step(next) : searchAgain(next);
}

const withSearch = (state: HomeState, part: Partial<Search>): HomeState => ({
  ...state,
  search: { ...state.search, ...part },
});

function moved(state: HomeState, to: number): HomeState {
  const last = Math.max(0, (state.search.found?.cards.length ?? 0) - 1);
  return withSearch(state, { at: Math.max(0, Math.min(to, last)) });
}

function pressList(state: HomeState, key: Key, page: number): Step {
  const { search } = state;
  const command = commandOf(key.name);
  if (key.name === "/" || key.name === "tab") return step(withSearch(state, { isTyping: true }));
  if (command !== undefined && isScroll(command))
    return step(moved(state, scrolled[command](search.at, page)));
  const cards = targets(search);
  const [first] = cards;
  if (first === undefined) return step({ ...state, message: "There is no card to act on." });
  const ids = cards.map(({ id }) => id);
  switch (key.name) {
    case "space": {
      const at = search.found?.cards[search.at]?.id ?? first.id;
      const marked = new Set(search.marked);
      if (!marked.delete(at)) marked.add(at);
      return step(moved(withSearch(state, { marked }), search.at + 1));
    }
    case "e":
    case "enter":
      return step(state, does("editCard", search.found?.cards[search.at]?.id ?? first.id));
    case "m":
      return step({ ...state, prompt: { type: "move", ids, input: lineInput("") } });
    case "t": {
      const before = first.tags.filter((tag) => cards.every(({ tags }) => tags.includes(tag)));
      return step({ ...state, prompt: { type: "tags", ids, before, input: lineInput(lineOfTags(before)) } });
    }
    case "a": {
      const archived = !cards.every((card) => card.state === "archived");
      const what = archived ? "archived" : "taken out of the archive";
      return step(state, does("changeCards", ids, { archived }, what));
    }
    case "x":
      return step(state, does("changeCards", ids, { trashed: true }, "put in the trash"));
    case "u":
      return undo(state);
    default:
      return step(state);
  }
}
