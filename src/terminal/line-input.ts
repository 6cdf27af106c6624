import { visible } from "../output/sanitize.ts";
import { clusters, displayWidth } from "../output/width.ts";
import type { Key } from "./keys.ts";

export interface LineInput {
  readonly text: string;
  /** In UTF-16 units, never within a cluster. */
  readonly cursor: number;
}

export const lineInput = (text: string): LineInput => ({ text, cursor: text.length });

/** The line after a key, or undefined for a key that edits nothing. */
export function editLine({ text, cursor }: LineInput, key: Key): LineInput | undefined {
  const before = text.slice(0, cursor);
  const after = text.slice(cursor);
  const previous = clusters(before).at(-1)?.length ?? 0;
  const next = clusters(after)[0]?.length ?? 0;
  switch (key.name) {
    case "left":
      return { text, cursor: cursor - previous };
    case "right":
      return { text, cursor: cursor + next };
    case "home":
    case "ctrl-a":
      return { text, cursor: 0 };
    case "end":
    case "ctrl-e":
      return { text, cursor: text.length };
    case "backspace":
      return { text: before.slice(0, before.length - previous) + after, cursor: cursor - previous };
    case "delete":
    case "ctrl-d":
      return { text: before + after.slice(next), cursor };
    case "ctrl-u":
      return { text: after, cursor: 0 };
    case "ctrl-k":
      return { text: before, cursor };
    case "ctrl-w": {
      const kept = before.replace(/\S+\s*$/, "");
      return { text: kept + after, cursor: kept.length };
    }
    default: {
      if (key.text === undefined) return undefined;
      const typed = key.text.replace(/[\0-\x1f\x7f-\x9f]+/g, " ");
      return { text: before + typed + after, cursor: cursor + typed.length };
    }
  }
}

/** The part of a line that fits, safe to print, and the column of the cursor in it: the cursor is always to be seen. */
export function visiblePart({ text, cursor }: LineInput, width: number): { text: string; cursor: number } {
  const pieces = clusters(text.slice(0, cursor));
  let used = 0;
  let from = cursor;
  // One column is left for the cursor itself.
  for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) {
    used += displayWidth(safe(piece));
    if (used > Math.max(0, width - 1)) break;
    from -= piece.length;
  }
  return { text: safe(text.slice(from)), cursor: displayWidth(safe(text.slice(from, cursor))) };
}

/** Only what is shown: what was there before it was edited may hold anything. */
const safe = (text: string): string => visible(text.replace(/\s/g, " "));
