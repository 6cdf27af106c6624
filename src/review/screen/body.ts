import { type Pass, type Reached, sidesAt } from "../../cards/passes.ts";
import type { World } from "../ports.ts";
import type { SessionCard } from "../session/card.ts";
import { type TypedPart, type TypedStyles, typedLines } from "../session/typing.ts";

export interface CardLines {
  readonly lines: readonly string[];
  /** The row at which the side begins that was shown last. */
  readonly latest: number;
}

/** Text is not set wider than this: longer lines are hard to read. */
const WIDEST = 100;

export interface Styles {
  dim(text: string): string;
  /** What was typed and is not in the answer, and what is missing. Undefined without colour. */
  readonly typed?: TypedStyles | undefined;
}

/** Puts the sides of a card together, a rule between them. */
export class CardComposer {
  readonly #render: World["render"];
  readonly #styles: Styles;

  constructor(render: World["render"], styles: Styles) {
    this.#render = render;
    this.#styles = styles;
  }

  /** What is shown of a pass on a screen so wide, and below it what was typed, if something was. */
  compose(
    { card, presentation }: SessionCard,
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
    sidesAt(presentation, pass, reached).forEach(({ side, cloze }, index, { length }) => {
      if (index > 0) {
        latest = lines.length;
        lines.push("", rule, "");
      }
      const options = { width, tableWidth, shrunk: index < length - 1, card, cloze };
      for (const line of this.#render(side, options)) lines.push(line === "" ? "" : indent + line);
    });
    if (typed !== undefined)
      lines.push("", ...typedLines(typed, this.#styles.typed).map((line) => indent + line));
    return { lines, latest };
  }
}

/** The margin and width of text on a screen so wide. */
export function measure(columns: number): { readonly margin: number; readonly width: number } {
  const least = columns >= 60 ? 2 : 1;
  const width = Math.max(1, Math.min(WIDEST, columns - 2 * least));
  return { margin: Math.floor((columns - width) / 2), width };
}
