/**
 * Where a side begins and ends in its content, in UTF-16 units. Between two spans lies the line that separates
 * them, with its line breaks.
 */
interface SideSpan {
  readonly start: number;
  readonly end: number;
}

const fenceLine = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/;

/** Follows the code fences of CommonMark line by line. */
export class FenceScan {
  #open: string | undefined;

  /** The fence that a code block began with which is not closed yet. */
  get open(): string | undefined {
    return this.#open;
  }

  /** Whether the next line is in a fenced code block (its fences included). Lines come without their line break. */
  inside(line: string): boolean {
    const found = line.includes("```") || line.includes("~~~") ? fenceLine.exec(line) : null;
    const fence = found?.[1];
    if (this.#open === undefined) {
      this.#open = fence;
      return fence !== undefined;
    }
    const closes =
      fence !== undefined &&
      fence[0] === this.#open[0] &&
      fence.length >= this.#open.length &&
      found?.[2]?.trim() === "";
    if (closes) this.#open = undefined;
    return true;
  }
}

/** A line and its place: `end` is before the line break, `next` after it. */
export interface Line {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/** The lines of a text; a line ends with LF or CRLF. */
export function* lines(text: string): Generator<Line> {
  let start = 0;
  while (start <= text.length) {
    const newline = text.indexOf("\n", start);
    const stop = newline < 0 ? text.length : newline;
    const end = newline > start && text.charCodeAt(newline - 1) === 13 ? newline - 1 : stop;
    yield { text: text.slice(start, end), start, end, next: stop + 1 };
    if (newline < 0) return;
    start = stop + 1;
  }
}

/**
 * The spans of the sides of a content. A line of exactly three dashes ends a side, but in a fenced code block it is text
 * (docs/design/cards.md). `structural` returns false for a line that is text even if it looks like a separator.
 */
export function sideSpans(content: string, structural: (line: Line) => boolean = () => true): SideSpan[] {
  if (!content.includes("---")) return [{ start: 0, end: content.length }];
  const spans: SideSpan[] = [];
  const fences = new FenceScan();
  let start = 0;
  let before = 0;
  for (const line of lines(content)) {
    if (structural(line) && !fences.inside(line.text) && line.text === "---") {
      spans.push({ start, end: Math.max(start, before) });
      start = Math.min(line.next, content.length);
    }
    before = line.end;
  }
  spans.push({ start, end: content.length });
  return spans;
}

/** The sides of a content, one or more, without the separating lines and the line breaks next to them. */
export function splitSides(content: string): string[] {
  return sideSpans(content).map(({ start, end }) => content.slice(start, end));
}

/** Of a card with several sides the one that says nothing, though it should. */
export function emptySide(content: string): "front" | "back" | undefined {
  if (!/^\s*---|---\s*$/.test(content)) return undefined;
  const [front = "", ...rest] = splitSides(content);
  if (rest.every((side) => side.trim() === ""))
    return rest.length === 0 || front.includes("{{") ? undefined : "back";
  return front.trim() === "" ? "front" : undefined;
}

/**
 * The content that has these sides. A code block that a side leaves open extends to its end and is closed there: otherwise
 * it would include the separating line and everything after it.
 */
export function joinSides(sides: readonly string[]): string {
  return sides
    .map((side, index) => (index < sides.length - 1 ? withFenceClosed(side) : side))
    .join("\n---\n");
}

function withFenceClosed(side: string): string {
  const fences = new FenceScan();
  for (const line of lines(side)) fences.inside(line.text);
  return fences.open === undefined ? side : `${side}\n${fences.open}`;
}
