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

/** The lines of a text, each ended by LF or CRLF: it ends at `end`, and what follows it begins at `next`. */
export function* lines(text: string): Generator<{ text: string; end: number; next: number }> {
  let start = 0;
  while (start <= text.length) {
    const newline = text.indexOf("\n", start);
    const stop = newline < 0 ? text.length : newline;
    const end = newline > start && text.charCodeAt(newline - 1) === 13 ? newline - 1 : stop;
    yield { text: text.slice(start, end), end, next: stop + 1 };
    if (newline < 0) return;
    start = stop + 1;
  }
}

/**
 * The sides of a content, one or more, without the separating lines and the line breaks next to them. A line of exactly three
 * dashes ends a side, but in a fenced code block it is text (docs/design/cards.md).
 */
export function splitSides(content: string): string[] {
  if (!content.includes("---")) return [content];
  const sides: string[] = [];
  const fences = new FenceScan();
  let [start, before] = [0, 0];
  for (const line of lines(content)) {
    if (!fences.inside(line.text) && line.text === "---") {
      sides.push(content.slice(start, Math.max(start, before)));
      start = Math.min(line.next, content.length);
    }
    before = line.end;
  }
  return [...sides, content.slice(start)];
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
