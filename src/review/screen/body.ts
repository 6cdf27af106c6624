import {
  type ClozeView,
  type Pass,
  type Reached,
  type ShownSide,
  type Side,
  sideAt,
  stepAt,
} from "../../cards/passes.ts";
import type { World } from "../ports.ts";
import type { SessionCard } from "../session/card.ts";
import { type TypedPart, type TypedStyles, typedLines } from "../session/typing.ts";

/** A card as rows of text. */
export interface CardLines {
  readonly lines: readonly string[];
  /** The row at which the side begins that was shown last. */
  readonly latest: number;
}

/** Text is not set wider than this: longer lines are hard to read. */
const WIDEST = 100;

/** How text is styled on the screen. */
export interface Styles {
  dim(text: string): string;
  /** What was typed and is not in the answer, and what is missing. Undefined without colour. */
  readonly typed?: TypedStyles | undefined;
}

/**
 * Puts the sides of a card together, a rule between them. Rendered sides are kept as long as their card is, so that a
 * reveal renders only what is new.
 */
export class CardComposer {
  readonly #render: World["render"];
  readonly #styles: Styles;
  #kept = new WeakMap<SessionCard, Map<string, readonly string[]>>();

  constructor(render: World["render"], styles: Styles) {
    this.#render = render;
    this.#styles = styles;
  }

  /** What is shown of a pass on a screen so wide, and below it what was typed, if something was. */
  compose(
    card: SessionCard,
    pass: Pass,
    reached: Reached,
    columns: number,
    typed?: readonly TypedPart[],
  ): CardLines {
    const { margin, width } = measure(columns);
    const tableWidth = columns - margin - 1;
    const indent = " ".repeat(margin);
    const rule = `${indent}${this.#styles.dim("─".repeat(width))}`;
    const lines: string[] = [""];
    let latest = 0;
    stepAt(pass, reached.step).forEach((shown, index, { length }) => {
      if (index > 0) {
        latest = lines.length;
        lines.push("", rule, "");
      }
      const whole = card.presentation.sides[shown.index];
      const side = whole && sideAt(whole, pass, reached);
      for (const line of this.#sideLines(card, side, shown, {
        width,
        tableWidth,
        shrunk: index < length - 1,
      }))
        lines.push(line === "" ? "" : indent + line);
    });
    if (typed !== undefined)
      lines.push("", ...typedLines(typed, this.#styles.typed).map((line) => indent + line));
    return { lines, latest };
  }

  /** Forgets how cards were rendered: something that they show has come. */
  forget(): void {
    this.#kept = new WeakMap();
  }

  #sideLines(
    card: SessionCard,
    side: Side | undefined,
    shown: ShownSide,
    place: { readonly width: number; readonly tableWidth: number; readonly shrunk: boolean },
  ): readonly string[] {
    const sides = this.#kept.get(card) ?? new Map<string, readonly string[]>();
    this.#kept.set(card, sides);
    const isOpen = side === card.presentation.sides[shown.index];
    const key = `${shown.index} ${isOpen} ${place.width} ${place.tableWidth} ${place.shrunk} ${clozeKey(shown.cloze)}`;
    const found = sides.get(key);
    if (found !== undefined) return found;
    const options = { ...place, card: card.card, cloze: shown.cloze };
    const lines = side === undefined ? [] : this.#render(side, options);
    sides.set(key, lines);
    return lines;
  }
}

/** The margin and width of text on a screen so wide. */
export function measure(columns: number): { readonly margin: number; readonly width: number } {
  const least = columns >= 60 ? 2 : 1;
  const width = Math.max(1, Math.min(WIDEST, columns - 2 * least));
  return { margin: Math.floor((columns - width) / 2), width };
}

const clozeKey = (cloze: ClozeView | undefined): string =>
  cloze === undefined ? "" : `${cloze.group} ${cloze.hidden}`;
