/** Brings frames onto a terminal: only the rows that differ from what is there, in one write. */

const ESC = "\u001b";

/**
 * Alternate screen; no wrapping, so that a row that the terminal thinks wider than we do cannot push others down;
 * marks around pasted text, so that it is not taken for keys.
 */
export const enterScreen = `${ESC}[?1049h${ESC}[?7l${ESC}[?2004h${ESC}[?25l${ESC}[2J${ESC}[H`;
/** All of it taken back. Harmless on a screen that was never entered. */
export const leaveScreen = `${ESC}[0m${ESC}[?2004l${ESC}[?7h${ESC}[?25h${ESC}[?1049l`;

/** Terminals that know it draw what is between these in one go; others ignore them. */
const beginUpdate = `${ESC}[?2026h`;
const endUpdate = `${ESC}[?2026l`;

export interface Cursor {
  readonly column: number;
  readonly row: number;
}

export class Frames {
  #shown: readonly string[] | undefined;
  #cursor: Cursor | undefined;

  /** What has to be written so that the terminal shows these rows; "" if it does already. */
  next(rows: readonly string[], cursor?: Cursor): string {
    const before = this.#shown?.length === rows.length ? this.#shown : undefined;
    const moved = cursor?.column !== this.#cursor?.column || cursor?.row !== this.#cursor?.row;
    const changed = rows.flatMap((row, index) =>
      row === (before?.[index] ?? "") ? [] : [`${ESC}[${index + 1};1H${ESC}[0m${ESC}[K${row}`],
    );
    this.#shown = rows;
    this.#cursor = cursor;
    if (before !== undefined && changed.length === 0 && !moved) return "";
    const clear = before === undefined ? `${ESC}[0m${ESC}[2J` : "";
    const place =
      cursor === undefined ? `${ESC}[?25l` : `${ESC}[${cursor.row + 1};${cursor.column + 1}H${ESC}[?25h`;
    return `${beginUpdate}${clear}${changed.join("")}${ESC}[0m${place}${endUpdate}`;
  }

  /** Forgets what is on the terminal: the next frame is drawn whole. */
  reset(): void {
    this.#shown = undefined;
    this.#cursor = undefined;
  }
}
