import { relativeDate } from "../output/relative.ts";
import { visible } from "../output/sanitize.ts";
import { cut, displayWidth, pad } from "../output/width.ts";
import { visiblePart } from "../terminal/line-input.ts";
import {
  type BottomView,
  fits,
  fittingKeys,
  type KeyHint,
  type ScreenView,
  type TopView,
  tooSmall,
  wrapText,
} from "../terminal/view.ts";
import { decksLines } from "./decks-view.ts";
import { addKeys, allKeys, emptyKeys, homeKeys, listKeys, pageKeys, queryKeys } from "./keymap.ts";
import { type HomeState, isEmpty, type Prompt } from "./state.ts";
import { addLines, type Drawing, type Lines, searchLines } from "./views.ts";

/** All that is on the screen now. */
export function homeView(state: HomeState, drawing: Drawing): ScreenView {
  const { columns, rows, colour } = drawing;
  if (!fits(drawing)) return tooSmall(drawing);
  const bottom = bottomOf(state, drawing);
  const height = rows - 1 - Math.max(1, bottom.message?.length ?? 0);
  const body = linesOf(state, drawing, height);
  const lines = body.lines.slice(0, height);
  const cursor = body.cursor && { ...body.cursor, row: body.cursor.row + 1 };
  return { columns, rows, colour, top: topOf(state, drawing), bottom, body: lines, cursor };
}

function linesOf(state: HomeState, drawing: Drawing, height: number): Lines {
  switch (state.view) {
    case "decks":
      return { lines: decksLines(state, drawing, height) };
    case "add":
      return addLines(state, drawing, height);
    case "search":
      return searchLines(state, drawing, height);
    case "statistics":
      return { lines: (state.statistics ?? ["", "  Reading your reviews…"]).slice(state.top) };
    case "keys":
      return { lines: ["", ...keyLines(drawing).slice(state.top)] };
  }
}

const keyLines = ({ style, columns }: Drawing): string[] =>
  allKeys.map(({ key, about }) => ` ${style.bold(pad(key, 8))} ${cut(about, columns - 10)}`);

const titles = {
  decks: "deckhand",
  add: "Add",
  search: "Search",
  statistics: "Statistics",
  keys: "Keys",
} as const;

function topOf(state: HomeState, { day, now, columns }: Drawing): TopView {
  const { overview, view, draft } = state;
  const streak = overview?.streak ?? 0;
  const path = view === "add" ? ` to ${draft.deck?.path ?? ""}` : "";
  const notice =
    state.isCached && overview !== undefined
      ? `as of ${relativeDate(new Date(overview.at).toISOString(), now)}`
      : undefined;
  return {
    deck: visible(titles[view] + path),
    position: view === "decks" ? day : "",
    again: "",
    elapsed: view !== "decks" || streak < 2 || columns < 50 ? "" : `${streak} days in a row`,
    notice,
  };
}

/** What the most important keys of a view need. */
const leastRoom = 36;

function bottomOf(state: HomeState, { columns, rows, working }: Drawing): BottomView {
  const { prompt, message } = state;
  if (prompt !== undefined) {
    const isFirst = prompt.type === "create-deck" && prompt.adds;
    const words = isFirst ? "Name of the first deck: " : questions[prompt.type];
    const room = columns - displayWidth(words);
    const input = { prompt: words, ...visiblePart(prompt.input, room) };
    // Beside it what else it may be, where completion found several.
    const left = room - Math.max(20, displayWidth(input.text) + 2);
    return { keys: [], input, notice: message === undefined ? undefined : cut(visible(message), left) };
  }
  const said = message === undefined ? undefined : visible(message).replace(/\s+/g, " ");
  const room = columns - displayWidth(said ?? working ?? "") - 2;
  // How a card is saved is needed most when one has just been.
  if (said !== undefined && state.view === "add" && room >= leastRoom)
    return { keys: fittingKeys(addKeys, room, dispensable), notice: said };
  if (said !== undefined) return { keys: [], message: wrapText(said, columns).slice(0, rows - 4) };
  return { keys: fittingKeys(keysOf(state), room, dispensable), notice: working };
}

/** What is asked. */
const questions: Readonly<Record<Prompt["type"], string>> = {
  "create-deck": "New deck (or Parent/Name): ",
  "rename-deck": "Name: ",
  import: "File or folder to import: ",
  move: "Move to deck: ",
  tags: "Tags: ",
};

function keysOf(state: HomeState): readonly KeyHint[] {
  switch (state.view) {
    case "decks":
      return isEmpty(state) ? emptyKeys : homeKeys.filter(({ rare }) => rare !== true);
    case "add":
      return addKeys;
    case "search":
      return state.search.isTyping ? queryKeys : listKeys.filter(({ rare }) => rare !== true);
    case "statistics":
      return pageKeys;
    case "keys":
      return [{ key: "any key", does: "back" }];
  }
}

/** Keys that are left out where there is no room for all, the first first. */
const dispensable = ["n", "r", "tab", "ctrl-e", "s", "/", "i", "a", "x", "t", "m"];
