import { visible } from "../output/sanitize.ts";
import type { Style } from "../output/style.ts";
import { cut, displayWidth, pad } from "../output/width.ts";
import { textRows, visiblePart } from "../terminal/line-input.ts";
import type { ListedCard } from "./ports.ts";
import type { HomeState } from "./state.ts";

/** The views that add cards and find them. */

/** Text is not set wider than this: longer lines are hard to read. */
const widest = 100;

/** What the views are drawn with. */
export interface Drawing {
  readonly columns: number;
  readonly rows: number;
  readonly colour: boolean;
  readonly unicode: boolean;
  readonly style: Style;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The day of the user, as `Mon 23 Nov`. */
  readonly day: string;
  /** What is being read or sent. */
  readonly working: string | undefined;
  /** The card at the cursor of the search, so wide. */
  pane(columns: number): readonly string[];
}

/** The lines of a view, and where the cursor is in them. */
export interface Lines {
  readonly lines: readonly string[];
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
}

/** A row with a margin on both sides, which is marked where the cursor is on it. */
export function chosen(text: string, isChosen: boolean, { colour }: Pick<Drawing, "colour">): string {
  if (!isChosen) return ` ${text} `;
  return colour ? `\u001b[7m ${text} \u001b[27m` : `>${text}<`;
}

const escapes = /\u001b\[[\d;]*m/g;

/** Padded to a width, escape sequences not counted. */
export const padStyled = (line: string, width: number): string =>
  line + " ".repeat(Math.max(0, width - displayWidth(line.replace(escapes, ""))));

/** Front and back, one below the other. */
export function addLines({ draft }: HomeState, { columns, style }: Drawing, height: number): Lines {
  const width = Math.min(widest, columns) - 4;
  const lines = [""];
  let cursor: Lines["cursor"];
  const room = Math.max(1, Math.floor((height - 6) / 2));
  for (const field of ["front", "back"] as const) {
    const isHere = draft.field === field && !draft.isSending;
    const { rows, row, column } = textRows(draft[field], width);
    const top = Math.max(0, Math.min(row - room + 1, rows.length - room));
    const title = field === "front" ? "Front" : "Back";
    lines.push(` ${isHere ? style.bold(title) : style.dim(title)}`);
    if (isHere) cursor = { row: lines.length + row - top, column: column + 3 };
    const bar = isHere ? style.good("│") : style.dim("│");
    const shown = isHere || rows.length <= room ? rows.slice(top, top + room) : rows.slice(0, room);
    for (const text of shown) lines.push(` ${bar} ${text}`);
    lines.push("");
  }
  if (draft.same !== undefined)
    lines.push(
      ` ${style.warning(cut(`A card with this front exists: ${visible(draft.same)}`, columns - 2))}`,
    );
  return { lines, cursor };
}

/** The query, what it finds, and the card at the cursor: beside the list, or below it. */
export function searchLines({ search }: HomeState, drawing: Drawing, height: number): Lines {
  const { columns, style, colour } = drawing;
  const { found, query, at, marked } = search;
  const line = visiblePart(query, columns - 4);
  const cursor = search.isTyping ? { row: 0, column: 3 + line.cursor } : undefined;
  const cards = found?.cards ?? [];
  const isBeside = columns >= widest;
  const width = isBeside ? Math.min(60, Math.floor(columns / 2)) : columns;
  const listHeight = isBeside ? height - 2 : Math.max(3, Math.floor((height - 3) / 2));
  const top = Math.max(0, Math.min(at - Math.floor(listHeight / 2), cards.length - listHeight));
  const list = cards
    .slice(top, top + listHeight)
    .map((card, index) =>
      chosen(cardLine(card, marked.has(card.id), width - 2), top + index === at, { colour }),
    );
  const begin = [` ${style.bold("/")} ${line.text}`, style.dim(` ${cut(countLine(search), columns - 2)}`)];
  if (cards.length === 0) return { lines: begin, cursor };
  if (!isBeside) {
    const rule = style.dim("─".repeat(columns));
    return { lines: [...begin, ...list, rule, ...drawing.pane(columns)], cursor };
  }
  const pane = drawing.pane(columns - width - 1);
  const rows = Array.from({ length: Math.max(list.length, pane.length) }, (_, index) =>
    `${padStyled(list[index] ?? "", width)} ${pane[index] ?? ""}`.trimEnd(),
  );
  return { lines: [...begin, ...rows], cursor };
}

function countLine({ found, marked }: HomeState["search"]): string {
  if (found === undefined) return "…";
  const { total, cards, reading } = found;
  const all = `${total} ${total === 1 ? "card" : "cards"}`;
  const parts = [total > cards.length ? `the first ${cards.length} of ${all}` : all];
  if (total === 0) parts[0] = reading === undefined ? "No card is found" : "Reading cards…";
  if (marked.size > 0) parts.push(`${marked.size} marked`);
  if (reading !== undefined && reading > 0) parts.push(`${reading} read so far`);
  return parts.join(", ");
}

/** Its front, and where there is room its deck and when it is due. */
function cardLine(card: ListedCard, isMarked: boolean, width: number): string {
  const right = width >= 40 ? Math.floor(width / 3) : 0;
  const left = Math.max(1, width - right - 4);
  const state = displayWidth(card.state) < right ? card.state : "";
  const room = Math.max(0, right - displayWidth(state) - 2);
  const side = right === 0 ? "" : `  ${pad(cut(card.deck, room), room)}  ${state}`;
  return `${isMarked ? "* " : "  "}${pad(cut(card.name, left), left)}${side}`;
}
