import { cut, displayWidth } from "../../output/width.ts";
import { oneLine, type PanelInput, panelOf } from "../panels.ts";
import type { OutboxStatus } from "../session/outbox.ts";
import type { Engine } from "../session/session.ts";
import { currentCard, placeOf, toReveal } from "../session/state.ts";
import { clockTime } from "../session/summary.ts";
import { measure } from "./body.ts";
import { type Controller, isPanel } from "./controller.ts";
import type { Cursor } from "./frames.ts";
import { visiblePart } from "./line-input.ts";
import type { BodyView, BottomView, KeyHint, ScreenView, TopView } from "./view.ts";
import { panelHeight, wrapPanel } from "./view.ts";

/** The smallest screen that a session is shown on. */
export const smallest = { columns: 40, rows: 10 } as const;

/** Whether a screen of that size is shown. */
export const fits = ({ columns, rows }: { readonly columns: number; readonly rows: number }): boolean =>
  columns >= smallest.columns && rows >= smallest.rows;

export interface ViewInput extends PanelInput {
  readonly engine: Engine;
  readonly controller: Controller;
  readonly columns: number;
  readonly rows: number;
  readonly colour: boolean;
  /** Milliseconds since the session began, pauses not counted. */
  readonly elapsed: number;
  /** What the top line always says. */
  readonly notice?: string | undefined;
  readonly outbox?: OutboxStatus | undefined;
}

export interface Drawn {
  readonly view: ScreenView;
  readonly cursor?: Cursor;
}

/** All that is on the screen now. */
export function buildView(input: ViewInput): Drawn {
  const { columns, rows, colour } = input;
  if (!fits(input)) return { view: tooSmall(input) };
  const bottom = bottomView(input);
  const view = { columns, rows, colour, top: topView(input), body: bodyView(input), bottom };
  if (bottom.input === undefined) return { view };
  return { view, cursor: { row: rows - 1, column: displayWidth(bottom.input.prompt) + bottom.input.cursor } };
}

/** What a screen shows that has no room for anything else. */
export function tooSmall({
  columns,
  rows,
  colour,
}: Pick<ScreenView, "columns" | "rows" | "colour">): ScreenView {
  const text = `Too small: ${columns}x${rows}. Needs ${smallest.columns}x${smallest.rows}.`;
  const top = { deck: "", position: "", done: 0, elapsed: "" };
  return { columns, rows, colour, top, body: { type: "too-small", text }, bottom: { keys: [] } };
}

function topView({ engine, deckPath, elapsed, notice, columns }: ViewInput): TopView {
  const state = engine.state();
  const { at, all, finished } = placeOf(state);
  const deckId = engine.due.get(currentCard(state) ?? "")?.["deck-id"];
  return {
    deck: deckId == null ? "" : oneLine(deckPath(deckId)),
    position: `${at} of ${all}`,
    done: all === 0 ? 1 : finished / all,
    elapsed: clockTime(elapsed / 1000),
    notice: notice !== undefined && columns < 60 ? "not recorded" : notice,
  };
}

function bodyView(input: ViewInput): BodyView {
  const { controller, engine, columns, rows } = input;
  const mode = controller.mode();
  const height = rows - 2;
  const from = controller.scroll();
  if (isPanel(mode)) {
    const panel = wrapPanel(panelOf(mode, input), input);
    return {
      type: "panel",
      panel: { ...panel, rows: panel.rows.slice(from, from + panelHeight(panel, rows)) },
    };
  }
  const card = controller.onScreen();
  if (card !== undefined) return { type: "lines", lines: card.lines.slice(from, from + height) };
  const trouble = engine.trouble();
  const { margin, width } = measure(columns);
  const texts =
    trouble === undefined
      ? ["Fetching the card…"]
      : ["The service does not answer; trying again…", `(${oneLine(trouble)})`];
  return { type: "lines", lines: ["", ...texts.map((text) => " ".repeat(margin) + cut(text, width))] };
}

function bottomView(input: ViewInput): BottomView {
  const { controller, engine, columns } = input;
  const mode = controller.mode();
  if (mode.type === "tags") {
    const prompt = `Tags (with ${mode.separator}s between): `;
    const room = columns - displayWidth(prompt);
    return { keys: [], input: { prompt, ...visiblePart(mode.input, room) } };
  }
  if (mode.type === "trash")
    return {
      keys: [
        { key: "y", does: "trash this card" },
        { key: "n", does: "keep it" },
      ],
    };
  const notice = noticeOf(input);
  const said = engine.message();
  if (said !== undefined) {
    const message = oneLine(said);
    // What is said for a moment must be read now; what goes on comes back after it.
    const both = displayWidth(`${message}  ${notice ?? ""}`) <= columns;
    return { keys: [], message, notice: both ? notice : undefined };
  }
  const room = columns - (notice === undefined ? 0 : displayWidth(notice) + 2);
  return { keys: fitting(keysOf(input), room), notice };
}

/** What goes on at the right: answers that are kept here, else that there is more below. */
function noticeOf(input: ViewInput): string | undefined {
  const { controller, outbox, rows, columns } = input;
  if (outbox?.away !== undefined && outbox.waiting > 0) {
    return columns < 60
      ? `offline, ${outbox.waiting} kept`
      : `The service does not answer: ${kept(outbox.waiting)}`;
  }
  if (outbox?.failing !== undefined && outbox.waiting > 0)
    return columns < 60 ? `${outbox.waiting} kept` : `The service failed: ${kept(outbox.waiting)}`;
  const mode = controller.mode();
  const card = controller.onScreen();
  if (card?.card.partial && !isPanel(mode))
    return columns < 60 ? "incomplete" : "The service does not answer: shown without its template";
  const panel = isPanel(mode) ? wrapPanel(panelOf(mode, input), input) : undefined;
  const lines = panel?.rows.length ?? card?.lines.length ?? 0;
  const below = lines - controller.scroll() - (panel ? panelHeight(panel, rows) : rows - 2);
  if (below > 0) return `↓ ${below} more`;
  return controller.scroll() > 0 ? "↑ more" : undefined;
}

const kept = (count: number): string => (count === 1 ? "1 answer is kept" : `${count} answers are kept`);

function keysOf({ controller, engine }: ViewInput): KeyHint[] {
  const mode = controller.mode();
  const state = engine.state();
  const undo = state.history.length > 0 ? [{ key: "u", does: "undo" }] : [];
  const end = [
    { key: "?", does: "keys" },
    { key: "q", does: "quit" },
  ];
  if (mode.type === "summary") return [...undo, { key: "q", does: "quit" }];
  if (mode.type === "links") return [{ key: "esc", does: "back to the card" }];
  if (isPanel(mode)) return [{ key: "any key", does: "back to the card" }];
  if (controller.onScreen() === undefined) return [{ key: "s", does: "skip" }, ...undo, ...end];
  if (toReveal(state) > 0)
    return [{ key: "space", does: "reveal" }, { key: "s", does: "skip" }, ...undo, ...end];
  return [{ key: "1", does: "forgot" }, { key: "2", does: "remembered" }, ...undo, ...end];
}

/** Keys that are left out where there is no room for all, the first first. */
const dispensable = ["u", "q", "s"];

function fitting(keys: readonly KeyHint[], room: number): KeyHint[] {
  const width = (hints: readonly KeyHint[]) =>
    hints.reduce((sum, { key, does }) => sum + displayWidth(key) + displayWidth(does) + 3, -2);
  let result = [...keys];
  for (const key of dispensable) if (width(result) > room) result = result.filter((hint) => hint.key !== key);
  return result;
}
