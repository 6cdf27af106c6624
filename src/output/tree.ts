import { inTree, type TreeDeck } from "../deck-tree.ts";
import { columnGap } from "./layout.ts";
import type { Style } from "./style.ts";
import { oneLine } from "./table.ts";
import { cut, displayWidth } from "./width.ts";

export interface NamedDeck extends TreeDeck {
  readonly name: string;
}

interface TreeSettings {
  /** Columns of the terminal; Infinity where nothing is cut. */
  readonly width: number;
  /** Whether the terminal shows more than ASCII. */
  readonly unicode: boolean;
  readonly style: Style;
}

/** The decks as lines of a tree; one whose parent was deleted is marked as orphaned. */
export function deckTree(decks: readonly NamedDeck[], settings: TreeSettings): string[] {
  const ids = new Set(decks.map(({ id }) => id));
  const [tee, corner, bar] = settings.unicode ? ["├── ", "└── ", "│   "] : ["|-- ", "`-- ", "|   "];
  /** What is drawn before the decks under the last one of each depth. */
  const indents: string[] = [];
  return inTree(decks).map(({ deck, depth, isLast }) => {
    const indent = indents[depth - 1] ?? "";
    indents[depth] = depth === 0 ? "" : indent + (isLast ? "    " : bar);
    const lead = depth === 0 ? "" : indent + (isLast ? corner : tee);
    const orphaned = deck.parent != null && !ids.has(deck.parent);
    const state = deck.trashed ? "(trashed)" : orphaned ? "(orphaned)" : deck.archived ? "(archived)" : "";
    return treeLine(deck, lead, state, settings);
  });
}

function treeLine(deck: NamedDeck, lead: string, state: string, { width, style }: TreeSettings): string {
  const name = oneLine(deck.name);
  // What does not fit is left out from the end: the state, then the id; then the name is cut.
  for (const tail of [`${oneLine(deck.id)} ${state}`.trimEnd(), oneLine(deck.id)]) {
    // A lead has one column for each character, and is long where decks are nested deeply.
    const room = width - lead.length - displayWidth(tail) - columnGap.length;
    if (room < Math.min(8, displayWidth(name))) continue;
    const shown = Number.isFinite(room) ? cut(name, room) : name;
    return `${style.dim(lead)}${shown}${columnGap}${style.dim(tail)}`;
  }
  return cut(lead.slice(0, width) + name, width);
}
