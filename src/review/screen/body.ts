import type { ClozeView, Pass, ShownSide } from "../../cards/passes.ts";
import { stepAt } from "../../cards/passes.ts";
import type { World } from "../ports.ts";
import type { SessionCard } from "../session/card.ts";

/** A card as rows of text. */
export interface CardLines {
  readonly lines: readonly string[];
  /** The row at which the side begins that was shown last. */
  readonly latest: number;
}

/** Text is not set wider than this: longer lines are hard to read. */
const WIDEST = 100;

export interface CardComposer {
  /** What a step of a pass shows on a screen so wide. */
  compose(card: SessionCard, pass: Pass, step: number, columns: number): CardLines;
}

/**
 * Puts the sides of a card together, a rule between them. Rendered sides are kept as long as their card is, so that a
 * reveal renders only what is new.
 */
export function createComposer(render: World["render"], dim: (text: string) => string): CardComposer {
  const kept = new WeakMap<SessionCard, Map<string, readonly string[]>>();

  const sideLines = (card: SessionCard, shown: ShownSide, width: number): readonly string[] => {
    const sides = kept.get(card) ?? new Map<string, readonly string[]>();
    kept.set(card, sides);
    const key = `${shown.index} ${width} ${clozeKey(shown.cloze)}`;
    const found = sides.get(key);
    if (found !== undefined) return found;
    const side = card.presentation.sides[shown.index];
    const lines = side === undefined ? [] : render(side, { width, cloze: shown.cloze });
    sides.set(key, lines);
    return lines;
  };

  return {
    compose(card, pass, step, columns) {
      const { margin, width } = measure(columns);
      const indent = " ".repeat(margin);
      const rule = `${indent}${dim("─".repeat(width))}`;
      const lines: string[] = [""];
      let latest = 0;
      stepAt(pass, step).forEach((shown, index) => {
        if (index > 0) {
          latest = lines.length;
          lines.push("", rule, "");
        }
        for (const line of sideLines(card, shown, width)) lines.push(line === "" ? "" : indent + line);
      });
      return { lines, latest };
    },
  };
}

/** Where text stands on a screen so wide. */
export function measure(columns: number): { readonly margin: number; readonly width: number } {
  const least = columns >= 60 ? 2 : 1;
  const width = Math.max(1, Math.min(WIDEST, columns - 2 * least));
  return { margin: Math.floor((columns - width) / 2), width };
}

const clozeKey = (cloze: ClozeView | undefined): string =>
  cloze === undefined ? "" : `${cloze.group} ${cloze.hidden}`;
