import { visible } from "../output/sanitize.ts";
import { asciiGlyphs, bars, unicodeGlyphs } from "../output/stats/plots.ts";
import { cut, displayWidth, pad } from "../output/width.ts";
import { oneLine } from "../review/panels.ts";
import type { HomeDeck, ListedCard } from "./ports.ts";
import { deckAt, type HomeState, isEmpty } from "./state.ts";
import { chosen, type Drawing, padStyled } from "./views.ts";

/** Columns of a figure, with the gap before it. */
const figure = 6;
/** The narrowest terminal that shows the first due cards beside the tree, and the columns of the tree there. */
export const BESIDE = 120;
const treeBeside = 66;

/** The first view: today, and the decks as a tree; on a wide terminal the first due cards of the deck beside it. */
export function decksLines(state: HomeState, drawing: Drawing, height: number): string[] {
  const { overview } = state;
  if (overview === undefined) return ["", "  Reading your decks…"];
  const lines = [todayLine(state, drawing), ""];
  if (isEmpty(state)) return [...lines, ...emptyLines(drawing)];
  const isWide = drawing.columns >= BESIDE;
  const width = isWide ? treeBeside : Math.min(drawing.columns, 100);
  const tree = treeLines(state, drawing, width, height - 3);
  lines.push(headLine(drawing, width), ...tree);
  if (!isWide) return lines;
  const due = dueLines(firstOf(state), drawing, drawing.columns - width - 3);
  return lines.map((line, index) => {
    const right = index < 2 ? undefined : due[index - 2];
    return right === undefined ? line : `${padStyled(line, width)}   ${right}`;
  });
}

function todayLine({ overview }: HomeState, { columns, unicode, style }: Drawing): string {
  const { due = 0, new: fresh = 0, held = 0, done = 0, ahead = [] } = overview ?? {};
  const later = held === 0 ? "" : `, ${held} on later days`;
  const words = ` Today   ${due} due   ${fresh} new${later}   ${done} done`;
  const plot = bars(ahead, 1, unicode ? unicodeGlyphs : asciiGlyphs)[0] ?? "";
  const right = `${plot}  next ${ahead.length} days`;
  const gap = Math.min(columns, 100) - displayWidth(words) - displayWidth(right) - 1;
  const left = ` ${style.bold("Today")}${words.slice(6)}`;
  if (gap < 3 || ahead.length === 0) return displayWidth(words) > columns ? cut(words, columns) : left;
  return `${left}${" ".repeat(gap)}${style.good(plot)}${style.dim(right.slice(plot.length))}`;
}

/** A narrow screen has no room for the cards of a deck. */
const figuresAt = (width: number): readonly ("due" | "new" | "cards")[] =>
  width < 64 ? ["due", "new"] : ["due", "new", "cards"];

function headLine({ style }: Drawing, width: number): string {
  const names = figuresAt(width).map((name) => name.padStart(name === "cards" ? figure + 2 : figure));
  const text = names.join("");
  return style.dim(`${" ".repeat(Math.max(0, width - text.length - 2))}${text}`);
}

function treeLines(state: HomeState, drawing: Drawing, width: number, height: number): string[] {
  const { rows, at, folded } = state;
  // The cursor stays in the middle of a long tree.
  const top = Math.max(0, Math.min(at - Math.floor(height / 2), rows.length - height));
  return rows
    .slice(top, top + height)
    .map((deck, index) =>
      deckLine(deck, { isChosen: top + index === at, isFolded: folded.has(deck.id), width }, drawing),
    );
}

interface DeckLine {
  readonly isChosen: boolean;
  readonly isFolded: boolean;
  readonly width: number;
}

function deckLine(deck: HomeDeck, { isChosen, isFolded, width }: DeckLine, drawing: Drawing): string {
  const [open, closed] = drawing.unicode ? ["▾", "▸"] : ["v", ">"];
  const mark = deck.hasChildren ? (isFolded ? closed : open) : " ";
  const figures = figuresAt(width)
    .map((name) => String(deck[name] ?? "").padStart(name === "cards" ? figure + 2 : figure))
    .join("");
  const indent = "  ".repeat(Math.min(deck.depth, 12));
  const room = width - figures.length - indent.length - 5;
  const name = pad(cut(visible(deck.name), Math.max(1, room)), Math.max(1, room));
  return chosen(`${indent}${mark} ${name}${figures}`, isChosen, drawing);
}

/** The first cards of today in the deck at the cursor and those under it. */
function firstOf(state: HomeState): readonly ListedCard[] | undefined {
  const path = oneLine(deckAt(state)?.path ?? "");
  return state.firstDue?.filter(({ deck }) => deck === path || deck.startsWith(`${path}/`));
}

function dueLines(cards: readonly ListedCard[] | undefined, { style }: Drawing, width: number): string[] {
  if (cards === undefined) return [];
  const widest = Math.max(...cards.map(({ state }) => state.length));
  const room = Math.max(1, width - widest - 1);
  const lines = cards.map(({ name, state }) => `${pad(cut(name, room), room)} ${style.dim(state)}`);
  return [style.dim(cards.length === 0 ? "Nothing to review here today" : "Next"), ...lines];
}

const emptyLines = ({ style }: Drawing): string[] =>
  [
    ["a", "add the first card"],
    ["i", "import a file: Anki, CSV, Markdown, Mochi"],
    ["d", "try a review with a sample; nothing of it is kept"],
  ].map(([key = "", about = ""]) => `   ${style.bold(key)}  ${about}`);
