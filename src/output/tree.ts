import { columnGap } from "./layout.ts";
import type { Style } from "./style.ts";
import { oneLine } from "./table.ts";
import { cut, displayWidth } from "./width.ts";

export interface TreeDeck {
  readonly id: string;
  readonly name: string;
  readonly sort?: number | null | undefined;
  readonly parent?: string | null | undefined;
  readonly trashed?: boolean | undefined;
  readonly archived?: boolean | undefined;
}

interface TreeSettings {
  /** Columns of the terminal; Infinity where nothing is cut. */
  readonly width: number;
  /** Whether the terminal shows more than ASCII. */
  readonly unicode: boolean;
  readonly style: Style;
}

/**
 * The decks as lines of a tree, each below its parent, in the service's order. Every deck once: one whose parent was
 * deleted is at the root, marked as orphaned, and so is the first of decks that are each other's parents.
 */
export function deckTree(decks: readonly TreeDeck[], settings: TreeSettings): string[] {
  const ids = new Set(decks.map(({ id }) => id));
  return treeOf(decks, settings.unicode).map(({ deck, lead }) => {
    const orphaned = deck.parent != null && !ids.has(deck.parent);
    const state = deck.trashed ? "(trashed)" : orphaned ? "(orphaned)" : deck.archived ? "(archived)" : "";
    return treeLine(deck, lead, state, settings);
  });
}

/** The decks as the tree has them, each below its parent. */
export function decksInOrder<T extends TreeDeck>(decks: readonly T[]): T[] {
  return treeOf(decks, false).map(({ deck }) => deck);
}

/** Each deck with what is drawn before it. */
function treeOf<T extends TreeDeck>(decks: readonly T[], unicode: boolean): { deck: T; lead: string }[] {
  const ids = new Set(decks.map((deck) => deck.id));
  const children = new Map<string | null, T[]>();
  for (const deck of [...decks].sort(inOrder)) {
    const parent = deck.parent != null && ids.has(deck.parent) ? deck.parent : null;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [deck]);
    else siblings.push(deck);
  }
  const [tee, corner, bar] = unicode ? ["├── ", "└── ", "│   "] : ["|-- ", "`-- ", "|   "];
  const lines: { deck: T; lead: string }[] = [];
  const drawn = new Set<string>();
  // A stack of its own: a chain of decks may be deeper than the call stack.
  const pending: { deck: T; lead: string; below: string }[] = [];
  const push = (siblings: readonly T[], indent: string, root: boolean) => {
    for (const [index, deck] of [...siblings.entries()].reverse()) {
      const last = index === siblings.length - 1;
      const lead = root ? "" : indent + (last ? corner : tee);
      pending.push({ deck, lead, below: root ? "" : indent + (last ? "    " : bar) });
    }
  };
  const drain = () => {
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (drawn.has(next.deck.id)) continue;
      drawn.add(next.deck.id);
      lines.push({ deck: next.deck, lead: next.lead });
      push(children.get(next.deck.id) ?? [], next.below, false);
    }
  };
  push(children.get(null) ?? [], "", true);
  drain();
  for (const deck of [...decks].sort(inOrder)) {
    if (drawn.has(deck.id)) continue;
    push([deck], "", true);
    drain();
  }
  return lines;
}

function treeLine(deck: TreeDeck, lead: string, state: string, { width, style }: TreeSettings): string {
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

const inOrder = (a: TreeDeck, b: TreeDeck) =>
  (a.sort ?? 0) - (b.sort ?? 0) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
